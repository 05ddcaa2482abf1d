import { useCallback, useSyncExternalStore } from 'react';
import { browserStorage } from '../browser/browserStorage.ts';
import { draftOwner } from './draftOwner.ts';
import { getPersistentKey, tabDrafts, type DraftTexts } from './draftStore.ts';
import { session } from './session.ts';

// What is typed on a page belongs to the account: it outlives the page, a session that ends and the login after it, and is shown to nobody else.

export interface DraftOptions {
  /** Never leaves the memory of this page. */
  readonly isSecret?: boolean;
  /** This browser stores it, so that it is there after a reload and in another tab. */
  readonly isPersistent?: boolean;
  /** It is there after a reload of this tab, and in no other: two tabs may type two texts. */
  readonly isOfTab?: boolean;
}

const isUnknown = (owner: string): boolean => owner.startsWith('\0');

/** Texts by owner and key. */
const drafts = new Map<string, Map<string, string>>();
const secretKeys = new Set<string>();
const persistentKeys = new Set<string>();
const tabKeys = new Set<string>();
const listeners = new Set<() => void>();

const notifyListeners = (): void => {
  for (const tell of listeners) tell();
};
const getCurrentOwner = (): string => draftOwner.getCurrent() ?? draftOwner.getUnknownOwner();
const getTexts = (owner: string): Map<string, string> => {
  const texts = drafts.get(owner) ?? new Map<string, string>();
  drafts.set(owner, texts);
  return texts;
};

/** The login may load the page anew. */
const stash = (owner: string): void => {
  const texts = [...getTexts(owner)].filter(
    ([key, text]) => text !== '' && !secretKeys.has(key) && !persistentKeys.has(key),
  );
  tabDrafts.write(owner, { ...tabDrafts.read(owner), ...Object.fromEntries(texts) });
};
/** What the tab has stored of a text that is a secret by now. */
const removeStored = (owner: string, key: string): void => {
  const { [key]: before, ...others } = tabDrafts.read(owner);
  if (before !== undefined) tabDrafts.write(owner, others);
};
const restore = (owner: string): void => {
  for (const [key, text] of Object.entries(tabDrafts.read(owner))) {
    if (!getTexts(owner).has(key)) getTexts(owner).set(key, text);
    if (secretKeys.has(key)) removeStored(owner, key);
  }
};
/** A text of the tab is stored as it is typed; what else the tab has stored never stays behind what is typed. */
const storeInTab = (owner: string, key: string, text: string): void => {
  const { [key]: before, ...others } = tabDrafts.read(owner);
  const isStored = text !== '' && !secretKeys.has(key) && tabKeys.has(key);
  if (isStored || before !== undefined) tabDrafts.write(owner, isStored ? { ...others, [key]: text } : others);
};
const set = (owner: string, key: string, text: string): void => {
  getTexts(owner).set(key, text);
  if (isUnknown(owner)) return;
  if (persistentKeys.has(key)) browserStorage.set(getPersistentKey(owner, key), text);
  else storeInTab(owner, key, text);
};
const getText = (owner: string, key: string): string =>
  drafts.get(owner)?.get(key) ??
  (persistentKeys.has(key) ? browserStorage.get(getPersistentKey(owner, key)) : undefined) ??
  '';

/** What was typed before the name was known is the owner's. */
const adoptUnknownDrafts = (owner: string): void => {
  const unknown = draftOwner.getUnknownOwner();
  for (const [key, text] of getTexts(unknown)) if (text !== '') set(owner, key, text);
  drafts.delete(unknown);
};

const followOwner = (): void => {
  const owner = draftOwner.getCurrent();
  if (owner === undefined) return;
  if (session.getCurrent() !== undefined) {
    adoptUnknownDrafts(owner);
    restore(owner);
  } else if (session.hasLoggedOut()) drafts.clear();
  else stash(owner);
  notifyListeners();
};
draftOwner.subscribe(followOwner);
followOwner();

/**
 * Takes over texts that an earlier version kept elsewhere in this browser, as soon as it is known whose they are: `take` gives them by their
 * keys here, and removes them there.
 */
export function migrateDrafts(take: () => DraftTexts): void {
  const takeNow = (): void => {
    const owner = draftOwner.getCurrent();
    if (owner === undefined || owner === '' || session.getCurrent() === undefined) return;
    for (const [key, text] of Object.entries(take())) {
      persistentKeys.add(key);
      const now = getText(owner, key);
      set(owner, key, now === '' || now === text ? text : `${text}\n${now}`);
    }
    notifyListeners();
  };
  draftOwner.subscribe(takeNow);
  takeNow();
}

const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  const stop = draftOwner.subscribe(tell);
  return () => {
    listeners.delete(tell);
    stop();
  };
};

const getCurrentText = (key: string): string => getText(getCurrentOwner(), key);

type SetDraft = (next: string | ((now: string) => string)) => void;

/** The text of a field, and how to set it. */
export function useDraft(
  key: string,
  { isSecret = false, isPersistent = false, isOfTab = false }: DraftOptions = {},
): readonly [string, SetDraft] {
  if (isPersistent) persistentKeys.add(key);
  if (isOfTab) tabKeys.add(key);
  if (!isSecret) secretKeys.delete(key);
  else if (!secretKeys.has(key)) {
    secretKeys.add(key);
    if (!isUnknown(getCurrentOwner())) removeStored(getCurrentOwner(), key);
  }
  const now = (): string => getCurrentText(key);
  const text = useSyncExternalStore(subscribe, now, now);
  const setText = useCallback<SetDraft>(
    (next) => {
      set(getCurrentOwner(), key, typeof next === 'string' ? next : next(getCurrentText(key)));
      notifyListeners();
    },
    [key],
  );
  return [text, setText];
}
