import { getPersistentKey } from '#platform/web/app/draftStore.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';

const DRAFT_KEY = 'paste.draft';
const STASH_KEY = 'paste.aside';

export interface Draft {
  readonly text: string;
  /** The code in the page's address when the text was typed; '' if there was none. */
  readonly code: string;
}

/**
 * Drafts of visitors have no owner and pass to the account that logs in. Drafts of an account are shown to its user
 * only.
 */
const getStorageKey = (key: string, owner: string): string => (owner === '' ? key : getPersistentKey(owner, key));

const read = (key: string, owner: string): unknown => {
  try {
    return JSON.parse(browserStorage.get(getStorageKey(key, owner)) || 'null');
  } catch {
    // Not our JSON: ignore it.
    return undefined;
  }
};
const readDraft = (owner: string): Draft | undefined => {
  const { text, code } = (read(DRAFT_KEY, owner) ?? {}) as Partial<Record<keyof Draft, unknown>>;
  return typeof text === 'string' && typeof code === 'string' && text !== '' ? { text, code } : undefined;
};
const readStash = (owner: string): readonly string[] => {
  const texts = read(STASH_KEY, owner);
  return Array.isArray(texts) ? (texts as readonly unknown[]).filter((text) => typeof text === 'string') : [];
};
const write = (key: string, owner: string, value: string): void => {
  if (value !== '' || browserStorage.get(getStorageKey(key, owner)))
    browserStorage.set(getStorageKey(key, owner), value);
};

export const storedDrafts = {
  /** Returns the draft of this page, and all other unsaved texts, including those of the visitor, as stashed. */
  read: (owner: string, code: string): { readonly draft: Draft | undefined; readonly aside: readonly string[] } => {
    const owners = owner === '' ? [''] : ['', owner];
    const drafts = owners.flatMap((each) => readDraft(each) ?? []);
    const draft = drafts.findLast((each) => each.code === code);
    const others = drafts.filter((each) => each !== draft && each.text !== draft?.text);
    return { draft, aside: [...new Set([...owners.flatMap(readStash), ...others.map(({ text }) => text)])] };
  },
  saveDraft: (owner: string, draft: Draft | undefined): void =>
    write(DRAFT_KEY, owner, draft ? JSON.stringify(draft) : ''),
  saveStash: (owner: string, texts: readonly string[]): void =>
    write(STASH_KEY, owner, texts.length === 0 ? '' : JSON.stringify(texts)),
  /** Removes the drafts of the visitor, after they were saved as drafts of the account. */
  dropVisitors: (): void => {
    write(DRAFT_KEY, '', '');
    write(STASH_KEY, '', '');
  },
};
