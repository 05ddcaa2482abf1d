import type { MouseButton } from '../drivers.ts';
import { startGuardian, type GuardianCommand } from '../guardian.ts';
import { type HeldInput, type HeldInputs, type LentKeycode, createHeldInputs, readLeftovers } from '../heldInput.ts';
import { openDisplay, type Display } from './display.ts';
import { openXKeyboard, type XKeyboard } from './keyboard.ts';
import { sendHeldInput } from './keyboardLayout.ts';
import { clearLeftovers } from './scratchKeys.ts';
import { openXkb } from './xkb.ts';

const buttons = { left: 1, middle: 2, right: 3 } as const;
const wheel = { up: 4, down: 5, left: 6, right: 7 } as const;
/** More at once is no hand. */
const MAX_WHEEL_STEPS = 100;

export interface XMouse {
  readonly move: (dx: number, dy: number) => void;
  readonly centre: () => void;
  readonly button: (which: MouseButton, down: boolean) => void;
  readonly wheel: (dx: number, dy: number) => void;
}

export function openXMouse(display: Display, holding: HeldInputs): XMouse {
  const turn = (button: number, steps: number): void => {
    for (let step = 0; step < Math.min(Math.abs(steps), MAX_WHEEL_STEPS); step++) {
      display.fakeButton(button, true);
      display.fakeButton(button, false);
    }
  };
  return {
    move: display.fakeMove,
    centre: () => display.fakeMoveTo(Math.floor(display.width / 2), Math.floor(display.height / 2)),
    button: (which, down) => {
      const button = buttons[which];
      if (down) holding.add([`b${button}`]);
      display.fakeButton(button, down);
      if (!down) holding.remove([`b${button}`]);
    },
    wheel: (dx, dy) => {
      turn(dy > 0 ? wheel.down : wheel.up, dy);
      turn(dx > 0 ? wheel.right : wheel.left, dx);
    },
  };
}

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
export async function releaseLeftovers(display: Display, path: string): Promise<void> {
  const left = readLeftovers(path);
  if (left?.display !== display.name) return;
  for (const thing of left.held) sendHeldInput(display, thing as HeldInput, false);
  if (left.scratch.length > 0) await clearLeftovers(display, await openXkb(display), left.scratch);
  await display.sync();
}

/** The same where no agent runs: lets go of what the file names; gives lines that say what was done. */
export async function releaseOnDisplay(name: string | undefined, path: string): Promise<readonly string[]> {
  if (!name) return ['There is no display here'];
  await using display = await openDisplay(name);
  await releaseLeftovers(display, path);
  return ['Let go of every key and button that an agent held'];
}

export interface XDesktopOptions {
  /** Such as ':0'. */
  readonly display: string;
  /** File that says what is held. */
  readonly heldPath: string;
  /** How the guardian is started; without one nobody lets go if this process is killed (tests). */
  readonly guardian?: GuardianCommand | undefined;
}

const NO_GUARDIAN = { send: () => undefined, close: () => undefined };

/** @throws where there is no such display, or it lets nobody press keys (no XTEST, no XKB). */
export async function openXDesktop({ display: name, heldPath, guardian }: XDesktopOptions): Promise<XDesktop> {
  const display = await openDisplay(name);
  const xkb = await openXkb(display);
  await releaseLeftovers(display, heldPath);

  const release = (things: readonly HeldInput[]): void => {
    for (const thing of things) sendHeldInput(display, thing, false);
  };
  let lent: readonly LentKeycode[] = [];
  const retell = (): readonly string[] => [`+${holding.list().join(' ')}`, `s${lent.join(' ')}`];
  const watcher = guardian ? startGuardian(guardian, name, retell) : NO_GUARDIAN;
  const account = createHeldInputs({ display: name, path: heldPath, sendToGuardian: watcher.send, release });
  const holding: HeldInputs = {
    ...account,
    setLent: (entries) => {
      lent = entries;
      account.setLent(entries);
    },
  };
  const keyboard = openXKeyboard(display, xkb, holding);
  const releaseAll = async (): Promise<void> => {
    const things = holding.list();
    release(things);
    await display.sync();
    holding.remove(things);
  };
  let isGone = false;
  display.onClosed(() => {
    isGone = true;
    holding.close();
    watcher.close();
  });

  return {
    keyboard,
    mouse: openXMouse(display, holding),
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
}
