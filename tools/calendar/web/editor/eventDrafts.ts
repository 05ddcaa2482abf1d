import { draftOwner, useDraftOwner } from '#platform/web/app/draftOwner.ts';
import { getPersistentKey } from '#platform/web/app/draftStore.ts';
import { session } from '#platform/web/app/session.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import type { Proposal } from '../selection.ts';
import type { WireEvent } from './eventData.ts';
import type { Form } from './eventForm.ts';

/** Unsaved edits of an event. This browser stores them for the account until it logs out. */
export interface StoredDraft {
  /** Changed fields, which are applied to the form of `base`. */
  readonly edits: Partial<Form>;
  /** The version that was edited. Undefined for a new event. */
  readonly base?: WireEvent;
  /** Proposal that the form of a new event started with. */
  readonly proposal?: Proposal;
}

const EVENT_KEY_PREFIX = 'calendar.draft.';
const NEW_DRAFTS_KEY = 'calendar.drafts';
type NewDrafts = Readonly<Record<string, StoredDraft>>;

function parseJson(stored: string | undefined): unknown {
  try {
    return stored === undefined || stored === '' ? undefined : JSON.parse(stored);
  } catch {
    return undefined; // Not written by this program.
  }
}
const parseNewDrafts = (stored: string | undefined): NewDrafts => (parseJson(stored) ?? {}) as NewDrafts;

/** Returns the storage key of a draft of the current account. */
const toStorageKey = (key: string): string =>
  getPersistentKey(draftOwner.getCurrent() ?? draftOwner.getUnknownOwner(), key);
const toEventKey = (id: number): string => toStorageKey(`${EVENT_KEY_PREFIX}${id}`);
const toNewKey = ({ name = '', date }: Proposal): string => `${date} ${name}`;
const readNewDrafts = (): NewDrafts => parseNewDrafts(browserStorage.get(toStorageKey(NEW_DRAFTS_KEY)));

/** Drafts of other new events are worth keeping, but not indefinitely. */
const MAX_NEW_DRAFTS = 10;
const writeNewDrafts = (drafts: NewDrafts): void =>
  browserStorage.set(
    toStorageKey(NEW_DRAFTS_KEY),
    JSON.stringify(Object.fromEntries(Object.entries(drafts).slice(-MAX_NEW_DRAFTS))),
  );

/** What a draft belongs to: an event, or a proposal of a new one. */
export type DraftTarget = number | Proposal;

export const drafts = {
  read: (target: DraftTarget): StoredDraft | undefined =>
    typeof target === 'number'
      ? (parseJson(browserStorage.get(toEventKey(target))) as StoredDraft | undefined)
      : readNewDrafts()[toNewKey(target)],
  save: (target: DraftTarget, draft: StoredDraft): void => {
    if (typeof target === 'number') {
      browserStorage.set(toEventKey(target), JSON.stringify(draft));
      return;
    }
    const { [toNewKey(target)]: _before, ...others } = readNewDrafts();
    writeNewDrafts({ ...others, [toNewKey(target)]: { ...draft, proposal: target } });
  },
  remove: (target: DraftTarget): void => {
    if (drafts.read(target) === undefined) return;
    if (typeof target === 'number') {
      browserStorage.set(toEventKey(target), '');
      return;
    }
    const { [toNewKey(target)]: _gone, ...others } = readNewDrafts();
    writeNewDrafts(others);
  },
};

/** Moves drafts stored under `prefix` to the account: all of them, or those that name it as their owner. */
function adoptDrafts(prefix: string, belongsToAccount: (draft: StoredDraft) => boolean): void {
  for (const key of browserStorage.listKeys(prefix + EVENT_KEY_PREFIX)) {
    const draft = parseJson(browserStorage.get(key)) as StoredDraft | undefined;
    const id = Number(key.slice((prefix + EVENT_KEY_PREFIX).length));
    if (!draft || !belongsToAccount(draft)) continue;
    drafts.save(id, draft);
    browserStorage.set(key, '');
  }
  const entries = Object.entries(parseNewDrafts(browserStorage.get(prefix + NEW_DRAFTS_KEY)));
  if (entries.length === 0) return;
  const isOwnedEntry = ([, draft]: readonly [string, StoredDraft]): boolean => belongsToAccount(draft);
  writeNewDrafts({ ...readNewDrafts(), ...Object.fromEntries(entries.filter(isOwnedEntry)) });
  browserStorage.set(
    prefix + NEW_DRAFTS_KEY,
    JSON.stringify(Object.fromEntries(entries.filter((entry) => !isOwnedEntry(entry)))),
  );
}

/** Assigns drafts to the account that were typed before it was known, or that earlier versions stored with its name. */
function adoptAllDrafts(): void {
  const owner = draftOwner.getCurrent();
  if (owner === undefined || owner === '' || session.getCurrent() === undefined) return;
  adoptDrafts(getPersistentKey(draftOwner.getUnknownOwner(), ''), () => true);
  adoptDrafts('', (draft) => [owner, ''].includes((draft as { readonly who?: string }).who ?? ''));
}
draftOwner.subscribe(adoptAllDrafts);
adoptAllDrafts();

/** Returns the drafts of other new events of this account. */
export function useOtherNewDrafts(proposal: Proposal | undefined): readonly StoredDraft[] {
  const owner = useDraftOwner() ?? draftOwner.getUnknownOwner();
  const [stored] = useBrowserStorage(getPersistentKey(owner, NEW_DRAFTS_KEY));
  if (proposal === undefined) return [];
  return Object.entries(parseNewDrafts(stored)).flatMap(([key, draft]) => (key === toNewKey(proposal) ? [] : draft));
}
