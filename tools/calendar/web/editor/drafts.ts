import { remember, useRemembered } from '#platform/web/remember.ts';
import type { Proposal } from '../selection.ts';
import type { WireEvent } from './eventData.ts';
import type { Form } from './form.ts';

/** What is not saved of an event, kept by this browser. */
export interface Draft {
  /** Laid over the form of `base`. */
  readonly edits: Partial<Form>;
  /** The version on which it was begun; none for a new event. */
  readonly base?: WireEvent;
  /** Of a new event. */
  readonly proposal?: Proposal;
  /** The account's name: new events of one person are not offered to another. */
  readonly who: string;
}

const parse = (kept: string | undefined): unknown => {
  try {
    return kept === undefined || kept === '' ? undefined : JSON.parse(kept);
  } catch {
    return undefined; // Written by nobody of ours.
  }
};

const eventKey = (id: number): string => `calendar.draft.${id}`;
const NEW = 'calendar.drafts';
type NewDrafts = Readonly<Record<string, Draft>>;
const newKey = ({ name = '', date }: Proposal): string => `${date} ${name}`;
const newDrafts = (): NewDrafts => (parse(remember.get(NEW)) ?? {}) as NewDrafts;

/** Drafts of new events that are not the one at hand are worth keeping, but not for ever. */
const MOST_NEW = 10;

/** What a draft is of: an event, or a proposal of a new one. */
export type DraftOf = number | Proposal;

export const drafts = {
  read: (of: DraftOf): Draft | undefined =>
    typeof of === 'number' ? (parse(remember.get(eventKey(of))) as Draft | undefined) : newDrafts()[newKey(of)],
  keep: (of: DraftOf, draft: Draft): void => {
    if (typeof of === 'number') {
      remember.set(eventKey(of), JSON.stringify(draft));
      return;
    }
    const { [newKey(of)]: _before, ...others } = newDrafts();
    const all = [...Object.entries(others), [newKey(of), { ...draft, proposal: of }] as const].slice(-MOST_NEW);
    remember.set(NEW, JSON.stringify(Object.fromEntries(all)));
  },
  drop: (of: DraftOf): void => {
    if (drafts.read(of) === undefined) return;
    if (typeof of === 'number') {
      remember.set(eventKey(of), '');
      return;
    }
    const { [newKey(of)]: _gone, ...others } = newDrafts();
    remember.set(NEW, JSON.stringify(others));
  },
};

/** Drafts of new events of this person, but the one at hand. */
export const useOtherNew = (who: string, proposal: Proposal | undefined): readonly Draft[] => {
  const [kept] = useRemembered(NEW);
  if (proposal === undefined || who === '') return [];
  return Object.entries((parse(kept) ?? {}) as NewDrafts)
    .filter(([key, draft]) => key !== newKey(proposal) && draft.who === who)
    .map(([, draft]) => draft);
};
