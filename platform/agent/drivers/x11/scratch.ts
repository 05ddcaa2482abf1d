import type { Display } from './display.ts';
import { readLayout, type KeyboardState, type Layout } from './layout.ts';

/** Programs ask for the new map when they see the first key of it; Chromium lost or mistook that key in 2 of 30 texts without the wait. */
export const SETTLE_MS = 20;
/**
 * After its last press a keycode keeps its meaning for so long, as a slow program may still ask what it meant; one that answers when asked
 * is not waited for so long. With 250 ms a terminal on a machine at its limit took the second wave's meaning for the first's keys.
 */
export const REUSE_MS = 1000;

const NEVER = Number.NEGATIVE_INFINITY;

interface Slot {
  readonly keycode: number;
  keysym: number;
  usedAt: number;
}

/** Keycodes that the user's layout leaves free, lent to characters it does not have. */
export interface Scratch {
  /** Takes note of the map as it is now and gives the layout in it: free keycodes join, those that others took or cleared are given up. */
  readonly refresh: (state: KeyboardState) => Layout;
  readonly size: () => number;
  /** The keycode that has this keysym now. */
  readonly find: (keysym: number) => number | undefined;
  readonly markUsed: (keycode: number) => void;
  /** Lends keycodes to as many of these keysyms as there is room for, in their order. Gives back once the receiver may be sent them. */
  readonly lend: (keysyms: readonly number[]) => Promise<void>;
  /** Takes all meaning away again. */
  readonly clear: () => Promise<void>;
}

export interface ScratchOptions {
  /** Told before a keycode is given a meaning: all keycodes that have one by then. */
  readonly onLend: (keycodes: readonly number[]) => void;
  /** Settles when the focused program has surely read everything sent so far; used in place of waiting where it comes first. */
  readonly hasRead: () => Promise<void>;
}

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Both levels the same, so that neither Shift nor Caps Lock changes it. */
const setMeaning = ({ x }: Display, keycode: number, keysym: number): void =>
  x.ChangeKeyboardMapping(keycode, 2, [keysym, keysym]);

export const makeScratch = (display: Display, { onLend, hasRead }: ScratchOptions): Scratch => {
  let slots: Slot[] = [];

  const waitForReuse = async (until: number): Promise<void> => {
    const wait = until - performance.now();
    if (wait <= 0) return;
    await display.sync();
    await Promise.race([sleep(wait), hasRead()]);
  };
  const lentOut = (): readonly number[] => slots.filter(({ keysym }) => keysym !== 0).map(({ keycode }) => keycode);

  return {
    refresh: (state) => {
      const { rows, minKeycode } = state;
      const stands = ({ keycode, keysym }: Slot): boolean =>
        (rows[keycode - minKeycode] ?? []).every((there, column) => there === (column < 2 ? keysym : there));
      const kept = slots.filter((slot) => slot.keysym !== 0 && stands(slot));
      const layout = readLayout(state, new Set(kept.map(({ keycode }) => keycode)));
      const unused = new Map(slots.map((slot) => [slot.keycode, slot.usedAt]));
      const joined = layout.free.map((keycode) => ({ keycode, keysym: 0, usedAt: unused.get(keycode) ?? NEVER }));
      slots = [...kept, ...joined];
      return layout;
    },
    size: () => slots.length,
    find: (keysym) => slots.find((slot) => slot.keysym === keysym)?.keycode,
    markUsed: (keycode) => {
      const slot = slots.find((one) => one.keycode === keycode);
      if (slot) slot.usedAt = performance.now();
    },
    lend: async (keysyms) => {
      const wave = new Set(keysyms.slice(0, slots.length));
      const missing = [...wave].filter((keysym) => !slots.some((slot) => slot.keysym === keysym));
      if (missing.length === 0) return;
      const oldest = slots.filter((slot) => !wave.has(slot.keysym)).toSorted((a, b) => a.usedAt - b.usedAt);
      const lent = missing.flatMap((keysym, index) => {
        const slot = oldest[index];
        return slot ? [{ slot, keysym }] : [];
      });
      await waitForReuse(Math.max(...lent.map(({ slot }) => slot.usedAt + REUSE_MS)));
      onLend([...new Set([...lentOut(), ...lent.map(({ slot }) => slot.keycode)])]);
      for (const { slot, keysym } of lent) {
        setMeaning(display, slot.keycode, keysym);
        slot.keysym = keysym;
      }
      await display.sync();
      await sleep(SETTLE_MS);
    },
    clear: async () => {
      const used = slots.filter((slot) => slot.keysym !== 0);
      if (used.length === 0) return;
      await waitForReuse(Math.max(...used.map(({ usedAt }) => usedAt + REUSE_MS)));
      for (const slot of used) {
        setMeaning(display, slot.keycode, 0);
        slot.keysym = 0;
      }
      await display.sync();
      onLend([]);
    },
  };
};

/** Clears keycodes that an agent before this one left behind: those whose every meaning is one and the same character. */
export const clearLeftovers = (display: Display, state: KeyboardState, keycodes: readonly number[]): void => {
  for (const keycode of keycodes) {
    const row = state.rows[keycode - state.minKeycode] ?? [];
    const first = row[0] ?? 0;
    const isOurs = first !== 0 && row.every((keysym) => keysym === first || keysym === 0);
    if (isOurs) setMeaning(display, keycode, 0);
  }
};
