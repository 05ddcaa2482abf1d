import { getPersistentKey } from '#platform/web/app/draftStore.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';

const DRAFT_KEY = 'paste.draft';
const STASH_KEY = 'paste.aside';

export interface Draft {
  readonly text: string;
  /** The code in the page's address when the text was typed; '' if there was none. */
  readonly code: string;
}

/** Drafts of visitors have no owner ('') and pass to the account that logs in. */
const getStorageKey = (key: string, owner: string): string => (owner === '' ? key : getPersistentKey(owner, key));

function readJson(key: string, owner: string): unknown {
  try {
    return JSON.parse(browserStorage.get(getStorageKey(key, owner)) || 'null');
  } catch {
    return undefined; // not valid JSON
  }
}
function readDraft(owner: string): Draft | undefined {
  const { text, code } = (readJson(DRAFT_KEY, owner) ?? {}) as Partial<Record<keyof Draft, unknown>>;
  return typeof text === 'string' && typeof code === 'string' && text !== '' ? { text, code } : undefined;
}
function readStash(owner: string): readonly string[] {
  const texts = readJson(STASH_KEY, owner);
  return Array.isArray(texts) ? (texts as readonly unknown[]).filter((text) => typeof text === 'string') : [];
}
function write(key: string, owner: string, value: string): void {
  if (value !== '' || browserStorage.get(getStorageKey(key, owner)))
    browserStorage.set(getStorageKey(key, owner), value);
}

interface StoredDrafts {
  readonly draft: Draft | undefined;
  readonly stash: readonly string[];
}

function readDrafts(owners: readonly string[], code: string): StoredDrafts {
  const drafts = owners.flatMap((owner) => readDraft(owner) ?? []);
  const draft = drafts.findLast((candidate) => candidate.code === code);
  const otherTexts = drafts.map(({ text }) => text).filter((text) => text !== draft?.text);
  return { draft, stash: [...new Set([...owners.flatMap(readStash), ...otherTexts])] };
}

export const storedDrafts = {
  /** Returns the draft of this page, and all other unsaved texts, including those of the visitor, as stashed. */
  read: (owner: string, code: string): StoredDrafts => readDrafts(owner === '' ? [''] : ['', owner], code),
  /** The same without those of the visitor. */
  readOwn: (owner: string, code: string): StoredDrafts => readDrafts([owner], code),
  saveDraft: (owner: string, draft: Draft | undefined): void =>
    write(DRAFT_KEY, owner, draft ? JSON.stringify(draft) : ''),
  saveStash: (owner: string, texts: readonly string[]): void =>
    write(STASH_KEY, owner, texts.length === 0 ? '' : JSON.stringify(texts)),
  /** Removes the drafts of the visitor, after they were saved as drafts of the account. */
  removeVisitorDrafts: (): void => {
    write(DRAFT_KEY, '', '');
    write(STASH_KEY, '', '');
  },
};
