import { startGuardian, type GuardianCommand } from '../guardian.ts';
import type { Held, Holding, Lent } from '../holding.ts';
import { makeHolding, readLeftovers } from '../holding.ts';
import { openDisplay, type Display } from './display.ts';
import { openKeyboard, type XKeyboard } from './keyboard.ts';
import { openMouse, type XMouse } from './mouse.ts';
import { clearLeftovers } from './scratch.ts';
import { fakeHeld } from './state.ts';
import { openXkb } from './xkb.ts';

/** Keyboard and mouse of one X display. */
export interface XDesktop extends AsyncDisposable {
  readonly keyboard: XKeyboard;
  readonly mouse: XMouse;
  /** Lets go of everything that is held. */
  readonly releaseAll: () => Promise<void>;
  /** Runs when the display is gone. */
  readonly onClosed: Display['onClosed'];
}

/** Lets go of what an agent before this one held, and clears the keycodes it lent. */
export const releaseLeftovers = async (display: Display, path: string): Promise<void> => {
  const left = readLeftovers(path);
  if (left?.display !== display.name) return;
  for (const thing of left.held) fakeHeld(display, thing as Held, false);
  if (left.scratch.length > 0) await clearLeftovers(display, await openXkb(display), left.scratch);
  await display.sync();
};

/** The same where no agent runs: lets go of what the file names; gives lines that say what was done. */
export const releaseOnDisplay = async (name: string | undefined, path: string): Promise<readonly string[]> => {
  if (!name) return ['There is no display here'];
  await using display = await openDisplay(name);
  await releaseLeftovers(display, path);
  return ['Let go of every key and button that an agent held'];
};

export interface XDesktopOptions {
  /** Such as ':0'. */
  readonly display: string;
  /** File that says what is held. */
  readonly heldPath: string;
  /** How the guardian is started; without one nobody lets go if this process is killed (tests). */
  readonly guardian?: GuardianCommand | undefined;
}

const NO_GUARDIAN = { tell: () => undefined, close: () => undefined };

/** @throws where there is no such display, or it lets nobody press keys (no XTEST, no XKB). */
export const openDesktop = async ({ display: name, heldPath, guardian }: XDesktopOptions): Promise<XDesktop> => {
  const display = await openDisplay(name);
  const xkb = await openXkb(display);
  await releaseLeftovers(display, heldPath);

  const release = (things: readonly Held[]): void => {
    for (const thing of things) fakeHeld(display, thing, false);
  };
  let lent: readonly Lent[] = [];
  const retell = (): readonly string[] => [`+${holding.held().join(' ')}`, `s${lent.join(' ')}`];
  const watcher = guardian ? startGuardian(guardian, name, retell) : NO_GUARDIAN;
  const account = makeHolding({ display: name, path: heldPath, tell: watcher.tell, release });
  const holding: Holding = {
    ...account,
    lend: (entries) => {
      lent = entries;
      account.lend(entries);
    },
  };
  const keyboard = openKeyboard(display, xkb, holding);
  const releaseAll = async (): Promise<void> => {
    const things = holding.held();
    release(things);
    await display.sync();
    holding.drop(things);
  };
  let isGone = false;
  display.onClosed(() => {
    isGone = true;
    holding.close();
    watcher.close();
  });

  return {
    keyboard,
    mouse: openMouse(display, holding),
    releaseAll,
    onClosed: display.onClosed,
    [Symbol.asyncDispose]: async () => {
      if (!isGone) {
        await keyboard[Symbol.asyncDispose]();
        await releaseAll();
      }
      holding.close();
      watcher.close();
      await display[Symbol.asyncDispose]();
    },
  };
};
