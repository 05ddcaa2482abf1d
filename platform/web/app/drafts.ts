import { useCallback, useSyncExternalStore } from 'react';
import { browserStorage } from '../browser/browserStorage.ts';
import { createListeners } from '../store.ts';
import { draftOwner } from './draftOwner.ts';
import { getPersistentKey, tabDrafts, type DraftTexts } from './draftStore.ts';
import { session } from './session.ts';

// Drafts belong to an account: they survive the page, an expired session and the next login, and no one else sees them.

export interface DraftOptions {
  /** Never leaves the memory of this page. */
  readonly isSecret?: boolean;
  /** Stored in this browser, so it is available after a reload and in other tabs. */
  readonly isPersistent?: boolean;
  /** Available after a reload, but only in this tab, because two tabs may contain different texts. */
  readonly isOfTab?: boolean;
}

const isUnknown = (owner: string): boolean => owner.startsWith('\0');

/** Texts by owner and key. */
const drafts = new Map<string, Map<string, string>>();
const secretKeys = new Set<string>();
const persistentKeys = new Set<string>();
const tabKeys = new Set<string>();
const listeners = createListeners();

const getCurrentOwner = (): string => draftOwner.getCurrent() ?? draftOwner.getUnknownOwner();
function getTexts(owner: string): Map<string, string> {
  const texts = drafts.get(owner) ?? new Map<string, string>();
  drafts.set(owner, texts);
  return texts;
}

/** Saves drafts, because the login may reload the page. */
function stash(owner: string): void {
  const texts = [...getTexts(owner)].filter(
    ([key, text]) => text !== '' && !secretKeys.has(key) && !persistentKeys.has(key),
  );
  tabDrafts.write(owner, { ...tabDrafts.read(owner), ...Object.fromEntries(texts) });
}
/** Removes the stored text of a field that became secret. */
function removeStored(owner: string, key: string): void {
  const { [key]: storedText, ...otherTexts } = tabDrafts.read(owner);
  if (storedText !== undefined) tabDrafts.write(owner, otherTexts);
}
function restore(owner: string): void {
  for (const [key, text] of Object.entries(tabDrafts.read(owner))) {
    if (!getTexts(owner).has(key)) getTexts(owner).set(key, text);
    if (secretKeys.has(key)) removeStored(owner, key);
  }
}
/** Saves tab drafts on every change. Other stored drafts are removed, so that they never outlive newer text. */
function storeInTab(owner: string, key: string, text: string): void {
  const { [key]: storedText, ...otherTexts } = tabDrafts.read(owner);
  const isStored = text !== '' && !secretKeys.has(key) && tabKeys.has(key);
  if (isStored || storedText !== undefined)
    tabDrafts.write(owner, isStored ? { ...otherTexts, [key]: text } : otherTexts);
}
function storeText(owner: string, key: string, text: string): void {
  getTexts(owner).set(key, text);
  if (isUnknown(owner)) return;
  if (persistentKeys.has(key)) browserStorage.set(getPersistentKey(owner, key), text);
  else storeInTab(owner, key, text);
}
const getText = (owner: string, key: string): string =>
  drafts.get(owner)?.get(key) ??
  (persistentKeys.has(key) ? browserStorage.get(getPersistentKey(owner, key)) : undefined) ??
  '';

/** Assigns text that was typed before the username was known to its owner. */
function adoptUnknownDrafts(owner: string): void {
  const unknown = draftOwner.getUnknownOwner();
  for (const [key, text] of getTexts(unknown)) if (text !== '') storeText(owner, key, text);
  drafts.delete(unknown);
}

function handleOwnerChange(): void {
  const owner = draftOwner.getCurrent();
  if (owner === undefined) return;
  if (session.getCurrent() !== undefined) {
    adoptUnknownDrafts(owner);
    restore(owner);
  } else if (session.hasLoggedOut()) drafts.clear();
  else stash(owner);
  listeners.notify();
}
draftOwner.subscribe(handleOwnerChange);
handleOwnerChange();

/**
 * Moves drafts of an earlier version to this storage as soon as their owner is known. `takeOldDrafts` returns them by
 * their new keys and removes the old ones.
 */
export function migrateDrafts(takeOldDrafts: () => DraftTexts): void {
  function migrate(): void {
    const owner = draftOwner.getCurrent();
    if (owner === undefined || owner === '' || session.getCurrent() === undefined) return;
    for (const [key, text] of Object.entries(takeOldDrafts())) {
      persistentKeys.add(key);
      const currentText = getText(owner, key);
      storeText(owner, key, currentText === '' || currentText === text ? text : `${text}\n${currentText}`);
    }
    listeners.notify();
  }
  draftOwner.subscribe(migrate);
  migrate();
}

function subscribe(listener: () => void): () => void {
  const unsubscribers = [listeners.subscribe(listener), draftOwner.subscribe(listener)];
  return () => unsubscribers.forEach((unsubscribe) => unsubscribe());
}

const getCurrentText = (key: string): string => getText(getCurrentOwner(), key);

type SetDraft = (next: string | ((current: string) => string)) => void;

/** Returns the text of a field and a function that sets it. */
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
  const getSnapshot = (): string => getCurrentText(key);
  const text = useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
  const setText = useCallback<SetDraft>(
    (next) => {
      storeText(getCurrentOwner(), key, typeof next === 'string' ? next : next(getCurrentText(key)));
      listeners.notify();
    },
    [key],
  );
  return [text, setText];
}
