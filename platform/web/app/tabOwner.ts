import { accountClient } from './account.ts';
import { notices } from './notices.ts';
import { session } from './session.ts';

/** A few digits that follow from a token, to tell one from another without storing it. */
export function fingerprintToken(token: string): string {
  let sum = 0;
  for (const letter of token) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 4_294_967_291;
  return sum.toString(36);
}

/** Whose this tab was last: `print` of the token, and the account's name. */
interface TabOwner {
  readonly print: string;
  readonly name: string;
}

const KEY = 'pegboard.tab';

const read = (): TabOwner | undefined => {
  try {
    const { print, name } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Partial<TabOwner>;
    return typeof print === 'string' && typeof name === 'string' ? { print, name } : undefined;
  } catch {
    return undefined; // Storage is withheld, or nothing of ours.
  }
};

const write = (owner: TabOwner | undefined): void => {
  try {
    if (owner) sessionStorage.setItem(KEY, JSON.stringify(owner));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage a reloaded tab cannot know whose it was.
  }
};

const before = read();

const rememberOwner = (): void => {
  const current = session.getCurrent();
  if (current === undefined) {
    if (session.hasLoggedOut()) write(undefined);
  } else if (current.username !== '') write({ print: fingerprintToken(current.token), name: current.username });
};
session.subscribe(rememberOwner);
rememberOwner();

const isSame = (): boolean =>
  before === undefined || before.print === fingerprintToken(session.getCurrent()?.token ?? '');

const showOwnerChanged = (name: string): void => {
  if (before && name !== before.name)
    notices.add('info', `You are now signed in as ${name}. This tab was signed in as ${before.name} before`);
};

/** Whose this tab is. */
export const tabOwner = {
  /** The name behind the token with which this tab was opened, where this tab knew it before its reload. */
  getName: (): string | undefined => (before && session.getCurrent() && isSame() ? before.name : undefined),
  /**
   * Settles once it is known whether another account has signed in elsewhere since, and has said so. Nothing of the account is asked for
   * before.
   */
  check: async (): Promise<void> => {
    const current = session.getCurrent();
    if (current === undefined || isSame()) return;
    try {
      const name = current.username || (await accountClient.fetchUsername());
      session.setUsername(current.token, name);
      showOwnerChanged(name);
    } catch {
      // Nobody answers: it is said as soon as the name is known.
      const stop = session.subscribe(() => {
        const name = session.getCurrent()?.username ?? '';
        if (name === '') return;
        stop();
        showOwnerChanged(name);
      });
    }
  },
};
