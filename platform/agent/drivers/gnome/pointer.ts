import type { Ability, MouseButton, MouseDriver } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import type { InputSession } from './inputSession.ts';
import { AXIS, type RemoteInput } from './remoteInput.ts';

/** The kernel's codes of buttons. */
const BUTTONS: Readonly<Record<MouseButton, number>> = { left: 0x110, right: 0x111, middle: 0x112 };
const BUTTON_BY_NUMBER = ['left', 'middle', 'right'] as const;
/** More steps in one event are not caused by a person. */
const MAX_WHEEL_STEPS = 100;
/** Farther than any screen. */
const FAR_PIXELS = 100_000;

export interface Point {
  readonly x: number;
  readonly y: number;
}

const toHeldInput = (button: MouseButton): HeldInput => `b${BUTTON_BY_NUMBER.indexOf(button) + 1}`;

const limitSteps = (steps: number): number => Math.max(-MAX_WHEEL_STEPS, Math.min(MAX_WHEEL_STEPS, Math.trunc(steps)));

export interface GnomePointerOptions {
  readonly session: InputSession;
  readonly heldInputs: HeldInputs;
  /** Returns the middle of the primary screen, from the upper left corner of all screens. */
  readonly readCentre: () => Promise<Point>;
}

/** Creates the mouse of a GNOME desktop. */
export function createGnomePointer({ session, heldInputs, readCentre }: GnomePointerOptions): MouseDriver {
  /** Calls in the order in which they were made, while remote input is being opened. */
  let last: Promise<unknown> | undefined;
  function use(task: (input: RemoteInput) => void | Promise<void>): void {
    const input = session.getOpen();
    if (input && !last) {
      void session.open(); // postpones its closing
      const running = task(input);
      if (!running) return;
      last = running;
    } else last = (last ?? Promise.resolve()).then(async () => task(await session.open()));
    const current = last;
    // A moved pointer has no answer. The ability says why nothing moves.
    current
      .catch(() => undefined)
      .finally(() => {
        if (last === current) last = undefined;
      });
  }
  function setButton(button: MouseButton, down: boolean): void {
    use((input) => {
      if (down) heldInputs.add([toHeldInput(button)]);
      input.sendButton(BUTTONS[button], down);
      if (!down) heldInputs.remove([toHeldInput(button)]);
    });
  }
  return {
    get ability(): Ability {
      return session.ability;
    },
    move: (dx, dy) => use((input) => input.movePointer(dx, dy)),
    centre: () =>
      use(async (input) => {
        // A failure must not stop what waits for this, such as the release of a button.
        const centre = await readCentre().catch(() => undefined);
        if (!centre) return;
        // There is no absolute motion without a recording of the screen.
        input.movePointer(-FAR_PIXELS, -FAR_PIXELS);
        input.movePointer(centre.x, centre.y);
      }),
    button: setButton,
    wheel: (dx, dy) =>
      use((input) => {
        if (limitSteps(dy) !== 0) input.turnWheel(AXIS.vertical, limitSteps(dy));
        if (limitSteps(dx) !== 0) input.turnWheel(AXIS.horizontal, limitSteps(dx));
      }),
    releaseAll: async () => {
      // Those that are held for too long are removed from the list as soon as their release has begun.
      const heldBefore = heldInputs.list();
      await last?.catch(() => undefined); // nothing was pressed
      const held = new Set([...heldBefore, ...heldInputs.list()]);
      for (const button of BUTTON_BY_NUMBER) if (held.has(toHeldInput(button))) setButton(button, false);
      await last?.catch(() => undefined); // the end of remote input has released them
      await session
        .getOpen()
        ?.flush()
        .catch(() => undefined); // the end of remote input has released them
    },
  };
}
