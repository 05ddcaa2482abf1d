import { account } from './account.ts';
import { notices } from './notices.ts';
import { session } from './session.ts';
import { printOf } from './tokenPrint.ts';

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

const note = (): void => {
  const current = session.current();
  if (current === undefined) {
    if (session.wasLeftOnPurpose()) write(undefined);
  } else if (current.username !== '') write({ print: printOf(current.token), name: current.username });
};
session.subscribe(note);
note();

const isSame = (): boolean => before === undefined || before.print === printOf(session.current()?.token ?? '');

const tellOther = (name: string): void => {
  if (before && name !== before.name)
    notices.add('info', `You are now signed in as ${name}. This tab was signed in as ${before.name} before`);
};

/** Whose this tab is. */
export const tabOwner = {
  /** The name behind the token with which this tab was opened, where this tab knew it before its reload. */
  name: (): string | undefined => (before && session.current() && isSame() ? before.name : undefined),
  /**
   * Settles once it is known whether another account has signed in elsewhere since, and has said so. Nothing of the account is asked for
   * before.
   */
  check: async (): Promise<void> => {
    const current = session.current();
    if (current === undefined || isSame()) return;
    try {
      const name = current.username || (await account.whoAmI());
      session.name(current.token, name);
      tellOther(name);
    } catch {
      // Nobody answers: it is said as soon as the name is known.
      const stop = session.subscribe(() => {
        const name = session.current()?.username ?? '';
        if (name === '') return;
        stop();
        tellOther(name);
      });
    }
  },
};
