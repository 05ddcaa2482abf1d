import { draftOwner, useDraftOwner } from '#platform/web/draftOwner.ts';
import { persistentKey } from '#platform/web/draftStore.ts';
import { remember, useRemembered } from '#platform/web/remember.ts';
import { session } from '#platform/web/session.ts';
import type { Proposal } from '../selection.ts';
import type { WireEvent } from './eventData.ts';
import type { Form } from './form.ts';

/** What is not saved of an event. This browser keeps it for the account until that logs out. */
export interface Draft {
  /** Laid over the form of `base`. */
  readonly edits: Partial<Form>;
  /** The version on which it was begun; none for a new event. */
  readonly base?: WireEvent;
  /** Of a new event. */
  readonly proposal?: Proposal;
}

const EVENT = 'calendar.draft.';
const NEW = 'calendar.drafts';
type NewDrafts = Readonly<Record<string, Draft>>;

const parse = (kept: string | undefined): unknown => {
  try {
    return kept === undefined || kept === '' ? undefined : JSON.parse(kept);
  } catch {
    return undefined; // Written by nobody of ours.
  }
};
const parseNew = (kept: string | undefined): NewDrafts => (parse(kept) ?? {}) as NewDrafts;

/** Where a draft of the account at hand is stored. */
const stored = (key: string): string => persistentKey(draftOwner.current() ?? draftOwner.unknown(), key);
const eventKey = (id: number): string => stored(`${EVENT}${id}`);
const newKey = ({ name = '', date }: Proposal): string => `${date} ${name}`;
const newDrafts = (): NewDrafts => parseNew(remember.get(stored(NEW)));

/** Drafts of new events that are not the one at hand are worth keeping, but not for ever. */
const MOST_NEW = 10;
const writeNew = (drafts: NewDrafts): void =>
  remember.set(stored(NEW), JSON.stringify(Object.fromEntries(Object.entries(drafts).slice(-MOST_NEW))));

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
    writeNew({ ...others, [newKey(of)]: { ...draft, proposal: of } });
  },
  drop: (of: DraftOf): void => {
    if (drafts.read(of) === undefined) return;
    if (typeof of === 'number') {
      remember.set(eventKey(of), '');
      return;
    }
    const { [newKey(of)]: _gone, ...others } = newDrafts();
    writeNew(others);
  },
};

/** Makes drafts the account's that were stored under `prefix`: all of them, or those that say whose they are. */
const adoptFrom = (prefix: string, isOwn: (draft: Draft) => boolean): void => {
  for (const key of remember.keys(prefix + EVENT)) {
    const draft = parse(remember.get(key)) as Draft | undefined;
    const id = Number(key.slice((prefix + EVENT).length));
    if (!draft || !isOwn(draft)) continue;
    drafts.keep(id, draft);
    remember.set(key, '');
  }
  const found = Object.entries(parseNew(remember.get(prefix + NEW)));
  if (found.length === 0) return;
  const isOwnEntry = ([, draft]: readonly [string, Draft]): boolean => isOwn(draft);
  writeNew({ ...newDrafts(), ...Object.fromEntries(found.filter(isOwnEntry)) });
  remember.set(prefix + NEW, JSON.stringify(Object.fromEntries(found.filter((entry) => !isOwnEntry(entry)))));
};

/** What was typed before it was known by whom, and what earlier versions stored with a name in it, is the account's. */
const adopt = (): void => {
  const owner = draftOwner.current();
  if (owner === undefined || owner === '' || session.current() === undefined) return;
  adoptFrom(persistentKey(draftOwner.unknown(), ''), () => true);
  adoptFrom('', (draft) => [owner, ''].includes((draft as { readonly who?: string }).who ?? ''));
};
draftOwner.subscribe(adopt);
adopt();

/** Drafts of new events of this person, but the one at hand. */
export const useOtherNew = (proposal: Proposal | undefined): readonly Draft[] => {
  const owner = useDraftOwner() ?? draftOwner.unknown();
  const [kept] = useRemembered(persistentKey(owner, NEW));
  if (proposal === undefined) return [];
  return Object.entries(parseNew(kept)).flatMap(([key, draft]) => (key === newKey(proposal) ? [] : draft));
};
