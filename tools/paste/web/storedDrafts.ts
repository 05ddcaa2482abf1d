import { draftOwner } from '#platform/web/app/draftOwner.ts';
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

/** Lists whose drafts this page adopts: those of the visitor, and what was typed before the account was known. */
const listAdopted = (owner: string): readonly string[] =>
  ['', draftOwner.getUnknownOwner()].filter((other) => other !== owner);

function readDrafts(draftOwners: readonly string[], stashOwners: readonly string[], code: string): StoredDrafts {
  const drafts = draftOwners.flatMap((owner) => readDraft(owner) ?? []);
  const draft = drafts.findLast((candidate) => candidate.code === code);
  const otherTexts = drafts.map(({ text }) => text).filter((text) => text !== draft?.text);
  return { draft, stash: [...new Set([...stashOwners.flatMap(readStash), ...otherTexts])] };
}

export const storedDrafts = {
  /** Returns the draft of this page, and all other unsaved texts, including adopted ones, as stashed. */
  read: (owner: string, code: string): StoredDrafts => {
    const owners = [...listAdopted(owner), owner];
    return readDrafts(owners, owners, code);
  },
  /** The same for an editor that has the adopted draft already. */
  readKnown: (owner: string, code: string): StoredDrafts => readDrafts([owner], [...listAdopted(owner), owner], code),
  saveDraft: (owner: string, draft: Draft | undefined): void =>
    write(DRAFT_KEY, owner, draft ? JSON.stringify(draft) : ''),
  saveStash: (owner: string, texts: readonly string[]): void =>
    write(STASH_KEY, owner, texts.length === 0 ? '' : JSON.stringify(texts)),
  /** Removes drafts that were adopted, after they were saved as those of the account. */
  removeAdopted: (owner: string): void => {
    for (const other of listAdopted(owner)) {
      write(DRAFT_KEY, other, '');
      write(STASH_KEY, other, '');
    }
  },
};
