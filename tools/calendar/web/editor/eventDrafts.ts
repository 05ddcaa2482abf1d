import { draftOwner, useDraftOwner } from '#platform/web/app/draftOwner.ts';
import { getPersistentKey } from '#platform/web/app/draftStore.ts';
import { session } from '#platform/web/app/session.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import type { Proposal } from '../selection.ts';
import type { WireEvent } from './eventData.ts';
import type { Form } from './eventForm.ts';

/** Unsaved edits of an event. This browser stores them for the account until it logs out. */
export interface StoredDraft {
  /** Applied to the form of `base`. */
  readonly edits: Partial<Form>;
  /** The version that was edited. Undefined for a new event. */
  readonly base?: WireEvent;
  /** For a new event. */
  readonly proposal?: Proposal;
}

const EVENT = 'calendar.draft.';
const NEW = 'calendar.drafts';
type NewDrafts = Readonly<Record<string, StoredDraft>>;

const parse = (stored: string | undefined): unknown => {
  try {
    return stored === undefined || stored === '' ? undefined : JSON.parse(stored);
  } catch {
    return undefined; // Not written by this program.
  }
};
const parseNew = (stored: string | undefined): NewDrafts => (parse(stored) ?? {}) as NewDrafts;

/** Returns the storage key of a draft of the current account. */
const toStorageKey = (key: string): string =>
  getPersistentKey(draftOwner.getCurrent() ?? draftOwner.getUnknownOwner(), key);
const toEventKey = (id: number): string => toStorageKey(`${EVENT}${id}`);
const toNewKey = ({ name = '', date }: Proposal): string => `${date} ${name}`;
const readNewDrafts = (): NewDrafts => parseNew(browserStorage.get(toStorageKey(NEW)));

/** Drafts of other new events are worth keeping, but not indefinitely. */
const MAX_NEW_DRAFTS = 10;
const writeNew = (drafts: NewDrafts): void =>
  browserStorage.set(
    toStorageKey(NEW),
    JSON.stringify(Object.fromEntries(Object.entries(drafts).slice(-MAX_NEW_DRAFTS))),
  );

/** What a draft belongs to: an event, or a proposal of a new one. */
export type DraftOf = number | Proposal;

export const drafts = {
  read: (of: DraftOf): StoredDraft | undefined =>
    typeof of === 'number'
      ? (parse(browserStorage.get(toEventKey(of))) as StoredDraft | undefined)
      : readNewDrafts()[toNewKey(of)],
  save: (of: DraftOf, draft: StoredDraft): void => {
    if (typeof of === 'number') {
      browserStorage.set(toEventKey(of), JSON.stringify(draft));
      return;
    }
    const { [toNewKey(of)]: _before, ...others } = readNewDrafts();
    writeNew({ ...others, [toNewKey(of)]: { ...draft, proposal: of } });
  },
  drop: (of: DraftOf): void => {
    if (drafts.read(of) === undefined) return;
    if (typeof of === 'number') {
      browserStorage.set(toEventKey(of), '');
      return;
    }
    const { [toNewKey(of)]: _gone, ...others } = readNewDrafts();
    writeNew(others);
  },
};

/** Moves drafts stored under `prefix` to the account: all of them, or those that name it as their owner. */
const adoptFrom = (prefix: string, isOwn: (draft: StoredDraft) => boolean): void => {
  for (const key of browserStorage.listKeys(prefix + EVENT)) {
    const draft = parse(browserStorage.get(key)) as StoredDraft | undefined;
    const id = Number(key.slice((prefix + EVENT).length));
    if (!draft || !isOwn(draft)) continue;
    drafts.save(id, draft);
    browserStorage.set(key, '');
  }
  const found = Object.entries(parseNew(browserStorage.get(prefix + NEW)));
  if (found.length === 0) return;
  const isOwnEntry = ([, draft]: readonly [string, StoredDraft]): boolean => isOwn(draft);
  writeNew({ ...readNewDrafts(), ...Object.fromEntries(found.filter(isOwnEntry)) });
  browserStorage.set(prefix + NEW, JSON.stringify(Object.fromEntries(found.filter((entry) => !isOwnEntry(entry)))));
};

/** Assigns drafts to the account that were typed before it was known, or that earlier versions stored with its name. */
const adopt = (): void => {
  const owner = draftOwner.getCurrent();
  if (owner === undefined || owner === '' || session.getCurrent() === undefined) return;
  adoptFrom(getPersistentKey(draftOwner.getUnknownOwner(), ''), () => true);
  adoptFrom('', (draft) => [owner, ''].includes((draft as { readonly who?: string }).who ?? ''));
};
draftOwner.subscribe(adopt);
adopt();

/** Drafts of other new events of this account. */
export function useOtherNew(proposal: Proposal | undefined): readonly StoredDraft[] {
  const owner = useDraftOwner() ?? draftOwner.getUnknownOwner();
  const [stored] = useBrowserStorage(getPersistentKey(owner, NEW));
  if (proposal === undefined) return [];
  return Object.entries(parseNew(stored)).flatMap(([key, draft]) => (key === toNewKey(proposal) ? [] : draft));
}
