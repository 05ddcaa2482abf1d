import { useSyncExternalStore } from 'react';
import { offline } from './offline.ts';
import { session } from './session.ts';
import { tabOwner } from './tabOwner.ts';
import { printOf } from './tokenPrint.ts';

const listeners = new Set<() => void>();

/** The last one whose name was known, for as long as nobody else comes and nobody leaves on purpose. */
let last = tabOwner.name() ?? offline.account() ?? '';
let token = session.current()?.token;

const ownerNow = (): string | undefined => {
  const current = session.current();
  if (current === undefined) return last;
  if (current.username !== '') return current.username;
  // Who it is has not been said yet.
  return current.token === token && last !== '' ? last : undefined;
};

session.subscribe(() => {
  const current = session.current();
  if (current === undefined) {
    if (session.wasLeftOnPurpose()) last = '';
  } else {
    if (current.username !== '') last = current.username;
    else if (current.token !== token) last = offline.account() ?? '';
    token = current.token;
  }
  for (const tell of listeners) tell();
});

/**
 * Whose drafts this page shows and writes: the name of the account, '' for visitors, undefined until it is known. Where a session has ended
 * by itself it is still its account's.
 */
export const draftOwner = {
  current: ownerNow,
  /** For what is typed before it is known who is signed in. If that session ends before, nobody else is shown it. */
  unknown: (): string => `\0${printOf(session.current()?.token ?? '')}`,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
};

export const useDraftOwner = (): string | undefined => useSyncExternalStore(draftOwner.subscribe, draftOwner.current);
