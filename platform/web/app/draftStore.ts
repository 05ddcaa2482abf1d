import { browserStorage } from '../browser/browserStorage.ts';

// Where drafts are stored: those of this tab in its session, those of every tab in this browser. Both by account.

const KEY = 'pegboard.drafts';

/** The texts of one account, by what they are of. */
export type DraftTexts = Readonly<Record<string, string>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readAll = (): Readonly<Record<string, unknown>> => {
  try {
    const all: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    return isRecord(all) ? all : {};
  } catch {
    return {}; // Storage is withheld, or nothing of ours.
  }
};

const getPersistentPrefix = (owner: string): string => `draft ${encodeURIComponent(owner)} `;

/** The key in `remember` under which an account's draft is there after a reload and in another tab. */
export function getPersistentKey(owner: string, key: string): string {
  return getPersistentPrefix(owner) + key;
}

export const tabDrafts = {
  read: (owner: string): DraftTexts => {
    const texts = readAll()[owner];
    return isRecord(texts)
      ? Object.fromEntries(
          Object.entries(texts).filter((each): each is [string, string] => typeof each[1] === 'string'),
        )
      : {};
  },
  write: (owner: string, texts: DraftTexts): void => {
    const { [owner]: _before, ...others } = readAll();
    const all = Object.keys(texts).length === 0 ? others : { ...others, [owner]: texts };
    try {
      if (Object.keys(all).length === 0) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, JSON.stringify(all));
    } catch {
      // A browser that stores nothing, or has no room: the memory of this page still has it.
    }
  },
};

const EMPTY: ReadonlySet<string> = new Set(['', '[]', '{}']);

/** How many texts of an account this browser stores and the server has not. */
export function countDrafts(owner: string): number {
  return (
    Object.keys(tabDrafts.read(owner)).length +
    browserStorage.listKeys(getPersistentPrefix(owner)).filter((key) => !EMPTY.has(browserStorage.get(key) ?? ''))
      .length
  );
}

/** Nothing an account typed stays in this browser. */
export function removeDrafts(owner: string): void {
  try {
    sessionStorage.removeItem(KEY); // whoever else typed in this tab has left it too
  } catch {
    // Storage is withheld: nothing is in it.
  }
  browserStorage.removeByPrefix(getPersistentPrefix(owner));
}
