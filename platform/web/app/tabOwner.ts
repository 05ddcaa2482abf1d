import { accountClient } from './accountClient.ts';
import { notices } from './notices.ts';
import { session } from './session.ts';

/** Derives a few digits from a token, so that tokens can be compared without storing them. */
export function fingerprintToken(token: string): string {
  let sum = 0;
  for (const letter of token) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 4_294_967_291;
  return sum.toString(36);
}

/** The account that last used this tab. `print` is the fingerprint of its token. */
interface TabOwner {
  readonly print: string;
  readonly name: string;
}

const KEY = 'pegboard.tab';

function readOwner(): TabOwner | undefined {
  try {
    const { print, name } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Partial<TabOwner>;
    return typeof print === 'string' && typeof name === 'string' ? { print, name } : undefined;
  } catch {
    return undefined; // Storage is blocked, or the value is invalid.
  }
}

function writeOwner(owner: TabOwner | undefined): void {
  try {
    if (owner) sessionStorage.setItem(KEY, JSON.stringify(owner));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage, a reloaded tab does not know its previous account.
  }
}

const previousOwner = readOwner();

function storeOwner(): void {
  const current = session.getCurrent();
  if (current === undefined) {
    if (session.hasLoggedOut()) writeOwner(undefined);
  } else if (current.username !== '') writeOwner({ print: fingerprintToken(current.token), name: current.username });
}
session.subscribe(storeOwner);
storeOwner();

const isSameToken = (): boolean =>
  previousOwner === undefined || previousOwner.print === fingerprintToken(session.getCurrent()?.token ?? '');

function showOwnerChanged(name: string): void {
  if (previousOwner && name !== previousOwner.name)
    notices.add('info', `You are now logged in as ${name}. Before, this tab was logged in as ${previousOwner.name}`);
}

/** The account of this tab. */
export const tabOwner = {
  /** Returns the account name of the current token, if this tab knew it before its reload. */
  getName: (): string | undefined =>
    previousOwner && session.getCurrent() && isSameToken() ? previousOwner.name : undefined,
  /**
   * Checks whether another account has logged in in another tab, and shows it. Wait for this before loading data of the
   * account.
   */
  check: async (): Promise<void> => {
    const current = session.getCurrent();
    if (current === undefined || isSameToken()) return;
    try {
      const name = current.username || (await accountClient.fetchUsername());
      session.setUsername(current.token, name);
      showOwnerChanged(name);
    } catch {
      // Without an answer, show it as soon as the username is known.
      const stop = session.subscribe(() => {
        const name = session.getCurrent()?.username ?? '';
        if (name === '') return;
        stop();
        showOwnerChanged(name);
      });
    }
  },
};
