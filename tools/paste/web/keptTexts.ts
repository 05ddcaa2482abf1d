import { getPersistentKey } from '#platform/web/app/draftStore.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';

const DRAFT = 'paste.draft';
const ASIDE = 'paste.aside';

export interface Draft {
  readonly text: string;
  /** The code of the page's address while it was typed; '' for none. */
  readonly code: string;
}

/** Texts of visitors have no owner, and go on with whoever signs in; those of an account are shown to nobody else. */
const keyOf = (key: string, owner: string): string => (owner === '' ? key : getPersistentKey(owner, key));

const read = (key: string, owner: string): unknown => {
  try {
    return JSON.parse(browserStorage.get(keyOf(key, owner)) || 'null');
  } catch {
    return undefined; // Written by nobody of ours.
  }
};
const readDraft = (owner: string): Draft | undefined => {
  const { text, code } = (read(DRAFT, owner) ?? {}) as Partial<Record<keyof Draft, unknown>>;
  return typeof text === 'string' && typeof code === 'string' && text !== '' ? { text, code } : undefined;
};
const readAside = (owner: string): readonly string[] => {
  const texts = read(ASIDE, owner);
  return Array.isArray(texts) ? (texts as readonly unknown[]).filter((text) => typeof text === 'string') : [];
};
const write = (key: string, owner: string, value: string): void => {
  if (value !== '' || browserStorage.get(keyOf(key, owner))) browserStorage.set(keyOf(key, owner), value);
};

export const keptTexts = {
  /** What an owner finds: the draft that goes on, and every other text, the visitor's among them, aside. */
  read: (owner: string, code: string): { readonly draft: Draft | undefined; readonly aside: readonly string[] } => {
    const owners = owner === '' ? [''] : ['', owner];
    const found = owners.flatMap((each) => readDraft(each) ?? []);
    const draft = found.findLast((each) => each.code === code);
    const others = found.filter((each) => each !== draft && each.text !== draft?.text);
    return { draft, aside: [...new Set([...owners.flatMap(readAside), ...others.map(({ text }) => text)])] };
  },
  keepDraft: (owner: string, draft: Draft | undefined): void => write(DRAFT, owner, draft ? JSON.stringify(draft) : ''),
  keepAside: (owner: string, texts: readonly string[]): void =>
    write(ASIDE, owner, texts.length === 0 ? '' : JSON.stringify(texts)),
  /** The visitor's texts are an owner's from now on. Only after they are kept as that owner's. */
  dropVisitors: (): void => {
    write(DRAFT, '', '');
    write(ASIDE, '', '');
  },
};
