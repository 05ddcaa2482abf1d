import { useCallback, useSyncExternalStore } from 'react';
import { draftOwner } from './draftOwner.ts';
import { persistentKey, tabDrafts, type Texts } from './draftStore.ts';
import { remember } from './remember.ts';
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
const typed = new Map<string, Map<string, string>>();
const secrets = new Set<string>();
const persistent = new Set<string>();
const ofTab = new Set<string>();
const listeners = new Set<() => void>();

const tellAll = (): void => {
  for (const tell of listeners) tell();
};
const ownerNow = (): string => draftOwner.current() ?? draftOwner.unknown();
const textsOf = (owner: string): Map<string, string> => {
  const texts = typed.get(owner) ?? new Map<string, string>();
  typed.set(owner, texts);
  return texts;
};

/** The login may load the page anew. */
const stash = (owner: string): void => {
  const texts = [...textsOf(owner)].filter(([key, text]) => text !== '' && !secrets.has(key) && !persistent.has(key));
  tabDrafts.write(owner, { ...tabDrafts.read(owner), ...Object.fromEntries(texts) });
};
/** What the tab has stored of a text that is a secret by now. */
const unstore = (owner: string, key: string): void => {
  const { [key]: before, ...others } = tabDrafts.read(owner);
  if (before !== undefined) tabDrafts.write(owner, others);
};
const restore = (owner: string): void => {
  for (const [key, text] of Object.entries(tabDrafts.read(owner))) {
    if (!textsOf(owner).has(key)) textsOf(owner).set(key, text);
    if (secrets.has(key)) unstore(owner, key);
  }
};
/** A text of the tab is stored as it is typed; what else the tab has stored never stays behind what is typed. */
const storeInTab = (owner: string, key: string, text: string): void => {
  const { [key]: before, ...others } = tabDrafts.read(owner);
  const isStored = text !== '' && !secrets.has(key) && ofTab.has(key);
  if (isStored || before !== undefined) tabDrafts.write(owner, isStored ? { ...others, [key]: text } : others);
};
const set = (owner: string, key: string, text: string): void => {
  textsOf(owner).set(key, text);
  if (isUnknown(owner)) return;
  if (persistent.has(key)) remember.set(persistentKey(owner, key), text);
  else storeInTab(owner, key, text);
};
const textOf = (owner: string, key: string): string =>
  typed.get(owner)?.get(key) ?? (persistent.has(key) ? remember.get(persistentKey(owner, key)) : undefined) ?? '';

/** What was typed before the name was known is the owner's. */
const adopt = (owner: string): void => {
  const unknown = draftOwner.unknown();
  for (const [key, text] of textsOf(unknown)) if (text !== '') set(owner, key, text);
  typed.delete(unknown);
};

const follow = (): void => {
  const owner = draftOwner.current();
  if (owner === undefined) return;
  if (session.current() !== undefined) {
    adopt(owner);
    restore(owner);
  } else if (session.wasLeftOnPurpose()) typed.clear();
  else stash(owner);
  tellAll();
};
draftOwner.subscribe(follow);
follow();

/**
 * Takes over texts that an earlier version kept elsewhere in this browser, as soon as it is known whose they are: `take` gives them by their
 * keys here, and removes them there.
 */
export function adoptFormer(take: () => Texts): void {
  const takeNow = (): void => {
    const owner = draftOwner.current();
    if (owner === undefined || owner === '' || session.current() === undefined) return;
    for (const [key, text] of Object.entries(take())) {
      persistent.add(key);
      const now = textOf(owner, key);
      set(owner, key, now === '' || now === text ? text : `${text}\n${now}`);
    }
    tellAll();
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

const textNow = (key: string): string => textOf(ownerNow(), key);

type SetDraft = (next: string | ((now: string) => string)) => void;

/** The text of a field, and how to set it. */
export function useDraft(
  key: string,
  { isSecret = false, isPersistent = false, isOfTab = false }: DraftOptions = {},
): readonly [string, SetDraft] {
  if (isPersistent) persistent.add(key);
  if (isOfTab) ofTab.add(key);
  if (!isSecret) secrets.delete(key);
  else if (!secrets.has(key)) {
    secrets.add(key);
    if (!isUnknown(ownerNow())) unstore(ownerNow(), key);
  }
  const now = (): string => textNow(key);
  const text = useSyncExternalStore(subscribe, now, now);
  const setText = useCallback<SetDraft>(
    (next) => {
      set(ownerNow(), key, typeof next === 'string' ? next : next(textNow(key)));
      tellAll();
    },
    [key],
  );
  return [text, setText];
}
