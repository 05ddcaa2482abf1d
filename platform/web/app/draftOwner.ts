import { createListeners, useStore } from '../store.ts';
import { offlineStorage } from './offlineStorage.ts';
import { session } from './session.ts';
import { tabOwner, fingerprintToken } from './tabOwner.ts';

const listeners = createListeners();
const UNKNOWN_PREFIX = '\0';

/** Last known account name; cleared by a logout and replaced by another login. */
let lastOwner = tabOwner.getName() ?? offlineStorage.getAccount() ?? '';
let lastToken = session.getCurrent()?.token;

function getCurrentOwner(): string | undefined {
  const current = session.getCurrent();
  if (current === undefined) return lastOwner;
  if (current.username !== '') return current.username;
  // The username is not loaded yet.
  return current.token === lastToken && lastOwner !== '' ? lastOwner : undefined;
}

session.subscribe(() => {
  const current = session.getCurrent();
  if (current === undefined) {
    if (session.hasLoggedOut()) lastOwner = '';
  } else {
    if (current.username !== '') lastOwner = current.username;
    else if (current.token !== lastToken) lastOwner = offlineStorage.getAccount() ?? '';
    lastToken = current.token;
  }
  listeners.notify();
});

/**
 * Whose drafts this page shows and writes: the account name, '' for visitors, undefined until it is known. After a
 * session has expired, drafts still belong to its account.
 */
export const draftOwner = {
  getCurrent: getCurrentOwner,
  /** Owner of text that is typed before the username is known. No one else sees it if the session ends first. */
  getUnknownOwner: (): string => `${UNKNOWN_PREFIX}${fingerprintToken(session.getCurrent()?.token ?? '')}`,
  /** Returns whether an owner is an account, and neither a visitor nor unknown. */
  isAccount: (owner: string): boolean => owner !== '' && !owner.startsWith(UNKNOWN_PREFIX),
  subscribe: listeners.subscribe,
};

export function useDraftOwner(): string | undefined {
  return useStore({ get: getCurrentOwner, subscribe: listeners.subscribe });
}
