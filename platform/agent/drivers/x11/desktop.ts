import type { MouseButton } from '../drivers.ts';
import { startGuardian, type GuardianCommand } from '../guardian.ts';
import { createHeldInputs, readLeftovers, type HeldInput, type HeldInputs } from '../heldInputs.ts';
import { openDisplay, type Display } from './display.ts';
import { openXKeyboard, type XKeyboard } from './keyboard.ts';
import { sendHeldInput } from './keyboardLayout.ts';
import { clearLeftovers } from './scratchKeys.ts';
import { openXkb } from './xkb.ts';

const BUTTONS = { left: 1, middle: 2, right: 3 } as const;
const WHEEL_BUTTONS = { up: 4, down: 5, left: 6, right: 7 } as const;
/** More steps in one event are not caused by a person. */
const MAX_WHEEL_STEPS = 100;

export interface XMouse {
  readonly move: (dx: number, dy: number) => void;
  readonly centre: () => void;
  readonly button: (which: MouseButton, down: boolean) => void;
  readonly wheel: (dx: number, dy: number) => void;
}

export function openXMouse(display: Display, heldInputs: HeldInputs): XMouse {
  function turnWheel(button: number, steps: number): void {
    for (let step = 0; step < Math.min(Math.abs(steps), MAX_WHEEL_STEPS); step++) {
      display.fakeButton(button, true);
      display.fakeButton(button, false);
    }
  }
  return {
    move: display.fakeMove,
    centre: () => display.fakeMoveTo(Math.floor(display.width / 2), Math.floor(display.height / 2)),
    button: (which, down) => {
      const button = BUTTONS[which];
      if (down) heldInputs.add([`b${button}`]);
      display.fakeButton(button, down);
      if (!down) heldInputs.remove([`b${button}`]);
    },
    wheel: (dx, dy) => {
      turnWheel(dy > 0 ? WHEEL_BUTTONS.down : WHEEL_BUTTONS.up, dy);
      turnWheel(dx > 0 ? WHEEL_BUTTONS.right : WHEEL_BUTTONS.left, dx);
    },
  };
}

/** Keyboard and mouse of one X display. */
export interface XDesktop extends AsyncDisposable {
  readonly keyboard: XKeyboard;
  readonly mouse: XMouse;
  /** Releases everything that is held. */
  readonly releaseAll: () => Promise<void>;
  /** Registers a listener for the loss of the display. */
  readonly onClosed: Display['onClosed'];
}

/** Releases what an earlier agent held, and clears the keycodes it lent. */
export async function releaseLeftovers(display: Display, path: string): Promise<void> {
  const leftovers = readLeftovers(path);
  if (leftovers?.display !== display.name) return;
  for (const item of leftovers.held) sendHeldInput(display, item, false);
  if (leftovers.scratch.length > 0) await clearLeftovers(display, await openXkb(display), leftovers.scratch);
  await display.sync();
}

/** Releases leftovers on a display while no agent runs. Returns lines that say what was done. */
export async function releaseOnDisplay(name: string | undefined, path: string): Promise<readonly string[]> {
  if (!name) return ['No display was found on this computer'];
  await using display = await openDisplay(name);
  await releaseLeftovers(display, path);
  return ['Released every key and button that an agent was holding'];
}

export interface XDesktopOptions {
  /** Such as ':0'. */
  readonly display: string;
  /** Path of the file with the held inputs. */
  readonly heldPath: string;
  /** How to start the guardian. Without one, nothing is released if this process is killed (in tests). */
  readonly guardian?: GuardianCommand | undefined;
}

const NO_GUARDIAN = { send: () => undefined, close: () => undefined };

/**
 * Opens keyboard and mouse of a display.
 * @throws if the display is missing, or lacks XTEST or XKB.
 */
export async function openXDesktop({ display: name, heldPath, guardian }: XDesktopOptions): Promise<XDesktop> {
  const display = await openDisplay(name);
  const xkb = await openXkb(display);
  await releaseLeftovers(display, heldPath);

  function release(items: readonly HeldInput[]): void {
    for (const item of items) sendHeldInput(display, item, false);
  }
  const guardianProcess = guardian
    ? startGuardian(guardian, { display: name }, () => heldInputs.listGuardianLines())
    : NO_GUARDIAN;
  const heldInputs: HeldInputs = createHeldInputs({
    display: name,
    path: heldPath,
    sendToGuardian: guardianProcess.send,
    release,
  });
  const keyboard = openXKeyboard(display, xkb, heldInputs);
  async function releaseAll(): Promise<void> {
    const items = heldInputs.list();
    release(items);
    await display.sync();
    heldInputs.remove(items);
  }
  let isClosed = false;
  display.onClosed(() => {
    isClosed = true;
    heldInputs.close();
    guardianProcess.close();
  });

  return {
    keyboard,
    mouse: openXMouse(display, heldInputs),
    releaseAll,
    onClosed: display.onClosed,
    [Symbol.asyncDispose]: async () => {
      if (!isClosed) {
        await keyboard[Symbol.asyncDispose]();
        await releaseAll();
      }
      heldInputs.close();
      guardianProcess.close();
      await display[Symbol.asyncDispose]();
    },
  };
}
