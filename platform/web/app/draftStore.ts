import { browserStorage } from '../browser/browserStorage.ts';

// Stores drafts by account: drafts of this tab in its session storage, persistent ones in the browser storage.

const KEY = 'pegboard.drafts';

/** Texts of one account by draft key. */
export type DraftTexts = Readonly<Record<string, string>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readAll(): Readonly<Record<string, unknown>> {
  try {
    const all: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    return isRecord(all) ? all : {};
  } catch {
    return {}; // Storage is blocked, or the value is invalid.
  }
}

const getPersistentPrefix = (owner: string): string => `draft ${encodeURIComponent(owner)} `;

/** Returns the browser storage key of a persistent draft. */
export function getPersistentKey(owner: string, key: string): string {
  return getPersistentPrefix(owner) + key;
}

export const tabDrafts = {
  read: (owner: string): DraftTexts => {
    const texts = readAll()[owner];
    return isRecord(texts)
      ? Object.fromEntries(
          Object.entries(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        )
      : {};
  },
  write: (owner: string, texts: DraftTexts): void => {
    const { [owner]: _before, ...otherOwners } = readAll();
    const all = Object.keys(texts).length === 0 ? otherOwners : { ...otherOwners, [owner]: texts };
    try {
      if (Object.keys(all).length === 0) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, JSON.stringify(all));
    } catch {
      // Storage is blocked or full. The memory of this page still has the draft.
    }
  },
};

const EMPTY_VALUES: ReadonlySet<string> = new Set(['', '[]', '{}']);

/** Counts drafts of an account that this browser stores and the server does not have. */
export function countDrafts(owner: string): number {
  return (
    Object.keys(tabDrafts.read(owner)).length +
    browserStorage
      .listKeys(getPersistentPrefix(owner))
      .filter((key) => !EMPTY_VALUES.has(browserStorage.get(key) ?? '')).length
  );
}

/** Removes everything that an account typed in this browser. */
export function removeDrafts(owner: string): void {
  try {
    sessionStorage.removeItem(KEY); // includes drafts of earlier users of this tab
  } catch {
    // Storage is blocked, so it is empty.
  }
  browserStorage.removeByPrefix(getPersistentPrefix(owner));
}
