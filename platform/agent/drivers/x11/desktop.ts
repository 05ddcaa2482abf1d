import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import type { MouseButton } from '../drivers.ts';
import { startGuardian, type GuardianCommand } from '../guardian.ts';
import { openDisplay, type Display } from './display.ts';
import { openXKeyboard, type XKeyboard } from './keyboard.ts';
import { sendHeldInput } from './keyboardLayout.ts';
import { clearLeftovers } from './scratchKeys.ts';
import { openXkb } from './xkb.ts';

/**
 * A held input, as the guardian and the file know it: `k37` is a key with its keycode, `b1` a button with its number.
 */
export type HeldInput = `k${number}` | `b${number}`;

/** A lent keycode with its keysyms. */
export type LentKeycode = `${number}:${string}`;

/** Nothing is held longer than this: docs/design/reliability.md section 11.2. */
export const MAX_HOLD_MS = 10_000;
const HEARTBEAT_INTERVAL_MS = 500;

/** State that a killed agent leaves behind. */
const leftoversFile = z.object({
  display: z.string(),
  held: z.array(z.string().check(z.regex(/^[kb]\d{1,3}$/))),
  scratch: z.array(z.string().check(z.regex(/^\d{1,3}:[\d.]*$/))),
});
export type Leftovers = z.output<typeof leftoversFile>;

/** Reads the file; undefined if it is missing or was cut short by a crash. */
export function readLeftovers(path: string): Leftovers | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return leftoversFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined; // an incomplete file is useless
  }
}

/** Records everything that is pressed, so that others can release it if this process can't. */
export interface HeldInputs {
  /** Call this before pressing anything. */
  readonly add: (items: readonly HeldInput[]) => void;
  readonly remove: (items: readonly HeldInput[]) => void;
  /**
   * Call this before keycodes get other keysyms, with all keycodes that are lent afterwards and every keysym each may
   * have, such as `93:16777217.233`.
   */
  readonly setLent: (lent: readonly LentKeycode[]) => void;
  readonly list: () => readonly HeldInput[];
  /** Returns the lines from which a new guardian learns the whole state. */
  readonly listGuardianLines: () => readonly string[];
  readonly close: () => void;
}

export interface HeldInputsOptions {
  readonly display: string;
  readonly path: string;
  /** Sends a line to the guardian. */
  readonly sendToGuardian: (line: string) => void;
  /** Releases inputs that were held for too long. */
  readonly release: (items: readonly HeldInput[]) => void;
}

export function createHeldInputs({ display, path, sendToGuardian, release }: HeldInputsOptions): HeldInputs {
  const held = new Map<HeldInput, number>();
  let scratch: readonly LentKeycode[] = [];
  let heartbeatTimer: NodeJS.Timeout | undefined;

  function save(): void {
    const leftovers = { display, held: [...held.keys()], scratch: [...scratch] } satisfies Leftovers;
    writeFileSync(path, JSON.stringify(leftovers), { mode: 0o600 });
  }
  function remove(items: readonly HeldInput[]): void {
    for (const item of items) held.delete(item);
    sendToGuardian(`-${items.join(' ')}`);
    save();
    if (held.size > 0) return;
    clearInterval(heartbeatTimer);
    heartbeatTimer = undefined;
  }
  function checkHeld(): void {
    sendToGuardian('.');
    const now = performance.now();
    const expired = [...held].flatMap(([item, since]) => (now - since >= MAX_HOLD_MS ? [item] : []));
    if (expired.length === 0) return;
    release(expired);
    remove(expired);
  }

  return {
    add: (items) => {
      sendToGuardian(`+${items.join(' ')}`);
      for (const item of items) held.set(item, performance.now());
      save();
      heartbeatTimer ??= setInterval(checkHeld, HEARTBEAT_INTERVAL_MS);
    },
    remove,
    setLent: (lent) => {
      scratch = lent;
      sendToGuardian(`s${lent.join(' ')}`);
      save();
    },
    list: () => [...held.keys()],
    listGuardianLines: () => [`+${[...held.keys()].join(' ')}`, `s${scratch.join(' ')}`],
    close: () => clearInterval(heartbeatTimer),
  };
}

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
  for (const item of leftovers.held) sendHeldInput(display, item as HeldInput, false);
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
  const guardianProcess = guardian ? startGuardian(guardian, name, () => heldInputs.listGuardianLines()) : NO_GUARDIAN;
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
