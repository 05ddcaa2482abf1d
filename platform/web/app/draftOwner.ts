import { useSyncExternalStore } from 'react';
import { offlineStorage } from './offline.ts';
import { session } from './session.ts';
import { tabOwner, fingerprintToken } from './tabOwner.ts';

const listeners = new Set<() => void>();

/** The last one whose name was known, for as long as nobody else comes and nobody leaves on purpose. */
let last = tabOwner.getName() ?? offlineStorage.getAccount() ?? '';
let token = session.getCurrent()?.token;

const getCurrentOwner = (): string | undefined => {
  const current = session.getCurrent();
  if (current === undefined) return last;
  if (current.username !== '') return current.username;
  // Who it is has not been said yet.
  return current.token === token && last !== '' ? last : undefined;
};

session.subscribe(() => {
  const current = session.getCurrent();
  if (current === undefined) {
    if (session.hasLoggedOut()) last = '';
  } else {
    if (current.username !== '') last = current.username;
    else if (current.token !== token) last = offlineStorage.getAccount() ?? '';
    token = current.token;
  }
  for (const tell of listeners) tell();
});

/**
 * Whose drafts this page shows and writes: the name of the account, '' for visitors, undefined until it is known. Where a session has ended
 * by itself it is still its account's.
 */
export const draftOwner = {
  getCurrent: getCurrentOwner,
  /** For what is typed before it is known who is signed in. If that session ends before, nobody else is shown it. */
  getUnknownOwner: (): string => `\0${fingerprintToken(session.getCurrent()?.token ?? '')}`,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
};

export function useDraftOwner(): string | undefined {
  return useSyncExternalStore(draftOwner.subscribe, draftOwner.getCurrent);
}
