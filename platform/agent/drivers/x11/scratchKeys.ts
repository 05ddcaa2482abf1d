import { isDeepStrictEqual } from 'node:util';
import type { LentKeycode } from '../heldInput.ts';
import type { Display } from './display.ts';
import { readLayout, type KeyboardState, type Layout, type Stroke } from './keyboardLayout.ts';
import { createKeySymbols, type KeyMap, type Xkb } from './xkb.ts';

/** Programs ask for the new map when they see the first key of it; Chromium lost or mistook that key in 2 of 30 texts without the wait. */
export const SETTLE_DELAY_MS = 20;
/**
 * After its last press a keycode keeps its meaning for so long, as a slow program may still ask what it meant; one that answers when asked
 * is not waited for so long. With 250 ms a terminal on a machine at its limit took the second wave's meaning for the first's keys.
 */
export const MIN_REUSE_DELAY_MS = 1000;
/** A window manager that has not answered by then is not waited for. */
const MANAGER_TIMEOUT_MS = 2000;

const NEVER = Number.NEGATIVE_INFINITY;
const MAX_LEVELS = 4;

/** One level of a free keycode. */
interface Slot {
  readonly keycode: number;
  readonly level: number;
  keysym: number;
  usedAt: number;
}

/** Keycodes that the user's layout leaves free, lent to characters it does not have: several each, told apart by Shift and the third level. */
export interface ScratchKeys {
  /** Takes note of the map as it is now and gives the layout in it: free keycodes join, those that others took or cleared are given up. */
  readonly refresh: (state: KeyboardState, map: KeyMap) => Layout;
  readonly size: () => number;
  /** How this keysym is typed now; `isPlain`: without a modifier. */
  readonly find: (keysym: number, isPlain?: boolean) => Stroke | undefined;
  /** The keysym that a stroke has by now is still the one it was lent for. */
  readonly isStillLent: (stroke: Stroke, map: KeyMap) => boolean;
  readonly markUsed: (stroke: Stroke) => void;
  /**
   * Lends levels to as many of these keysyms as there is room for, in their order; `isPlain`: only levels that no modifier chooses.
   * Gives back once the receiver may be sent them.
   */
  readonly lend: (keysyms: readonly number[], isPlain?: boolean) => Promise<void>;
  /** Takes all meaning away again. */
  readonly clear: () => Promise<void>;
}

export interface ScratchOptions {
  /** Told before a keycode is given a meaning: all keycodes that have one by then. */
  readonly onLend: (lent: readonly LentKeycode[]) => void;
  /** Settles when the focused program has surely read everything sent so far; used in place of waiting where it comes first. */
  readonly waitForProgram: () => Promise<void>;
  /** Settles when the window manager has: it reads the whole map again with each change, and windows wait for it. */
  readonly waitForWindowManager: () => Promise<void>;
}

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

const strokeOf = ({ keycode, level }: Slot): Stroke => ({ keycode, shift: (level & 1) !== 0, level3: level >= 2 });
const levelOf = ({ shift, level3 }: Stroke): number => (shift ? 1 : 0) + (level3 ? 2 : 0);

/** The keysyms of each level, by keycode. */
type Levels = ReadonlyMap<number, readonly number[]>;

const levelsIn = (slots: readonly Slot[]): Levels => {
  const levels = new Map<number, number[]>();
  for (const { keycode, level, keysym } of slots) {
    const known = levels.get(keycode) ?? Array.from({ length: MAX_LEVELS }, () => 0);
    known[level] = keysym;
    levels.set(keycode, known);
  }
  return levels;
};

/** Gives these keycodes these keysyms in one change; the keys between them are sent again as they are. */
const setLevels = async (xkb: Xkb, levels: Levels, level3Mask: number): Promise<void> => {
  const keycodes = [...levels.keys()].toSorted((one, other) => one - other);
  const [first = 0, last = 0] = [keycodes[0], keycodes.at(-1)];
  const map = await xkb.map({ first, count: last - first + 1, level3Mask });
  const keys = map.keys.map((key, index) => {
    const wanted = levels.get(map.first + index);
    return wanted === undefined ? key : createKeySymbols(wanted, map.fourLevels);
  });
  xkb.setMap({ ...map, keys });
};

export function createScratchKeys(display: Display, xkb: Xkb, options: ScratchOptions): ScratchKeys {
  let slots: Slot[] = [];
  let level3Mask = 0;
  let hasChanged = false;

  const waitForReuse = async (until: number): Promise<void> => {
    const wait = until - performance.now();
    if (wait <= 0) return;
    await display.sync();
    await Promise.race([sleep(wait), options.waitForProgram()]);
  };
  const lentOut = (): readonly Slot[] => slots.filter(({ keysym }) => keysym !== 0);

  /** With the keysyms before the change too: an end by force may come before it or behind it. */
  const account = (before: Levels, after: Levels): void => {
    const keycodes = new Set([...before.keys(), ...after.keys()]);
    const lent = [...keycodes].map((keycode): LentKeycode => {
      const keysyms = new Set([...(before.get(keycode) ?? []), ...(after.get(keycode) ?? [])]);
      keysyms.delete(0);
      return `${keycode}:${[...keysyms].join('.')}`;
    });
    options.onLend(lent);
  };
  const change = async (apply: () => readonly Slot[]): Promise<void> => {
    if (hasChanged) await Promise.race([options.waitForWindowManager(), sleep(MANAGER_TIMEOUT_MS)]);
    hasChanged = true;
    const before = levelsIn(lentOut());
    const touched = new Set(apply().map(({ keycode }) => keycode));
    account(before, levelsIn(lentOut()));
    await setLevels(xkb, levelsIn(slots.filter(({ keycode }) => touched.has(keycode))), level3Mask);
    await display.sync();
  };

  /** Slots of the free keycodes, all first levels before the second ones. */
  const slotsOf = (layout: Layout, keycodes: readonly number[], levels: number): Slot[] =>
    Array.from({ length: levels }, (_, level) => level).flatMap((level) =>
      keycodes.map((keycode) => {
        const known = slots.find((slot) => slot.keycode === keycode && slot.level === level);
        const isFree = layout.free.includes(keycode);
        return { keycode, level, keysym: isFree ? 0 : (known?.keysym ?? 0), usedAt: known?.usedAt ?? NEVER };
      }),
    );

  return {
    refresh: (state, map) => {
      const stands = ([keycode, keysyms]: readonly [number, readonly number[]]): boolean => {
        const wanted = createKeySymbols(keysyms, map.fourLevels);
        return wanted.width > 0 && isDeepStrictEqual(map.keys[keycode - map.first], wanted);
      };
      const kept = [...levelsIn(slots)].filter(stands);
      const layout = readLayout(state, new Set(kept.map(([keycode]) => keycode)));
      const keycodes = [...kept.map(([keycode]) => keycode), ...layout.free].toSorted((one, other) => one - other);
      level3Mask = layout.level3Mask;
      const levels = map.fourLevels === undefined ? 2 : MAX_LEVELS;
      slots = slotsOf(layout, keycodes, layout.shiftKey === undefined ? 1 : levels);
      return layout;
    },
    size: () => slots.length,
    find: (keysym, isPlain = false) => {
      const slot = slots.find((one) => one.keysym === keysym && (one.level === 0 || !isPlain));
      return slot && strokeOf(slot);
    },
    isStillLent: (stroke, { first, keys }) => {
      const slot = slots.find(({ keycode, level }) => keycode === stroke.keycode && level === levelOf(stroke));
      return slot !== undefined && keys[slot.keycode - first]?.keysyms[slot.level] === slot.keysym;
    },
    markUsed: (stroke) => {
      const slot = slots.find(({ keycode, level }) => keycode === stroke.keycode && level === levelOf(stroke));
      if (slot) slot.usedAt = performance.now();
    },
    lend: async (keysyms, isPlain = false) => {
      const open = slots.filter(({ level }) => level === 0 || !isPlain);
      const wave = new Set(keysyms.slice(0, open.length));
      const missing = [...wave].filter((keysym) => !open.some((slot) => slot.keysym === keysym));
      if (missing.length === 0) return;
      const oldest = open.filter((slot) => !wave.has(slot.keysym)).toSorted((a, b) => a.usedAt - b.usedAt);
      const lent = missing.flatMap((keysym, index) => {
        const slot = oldest[index];
        return slot ? [{ slot, keysym }] : [];
      });
      await waitForReuse(Math.max(...lent.map(({ slot }) => slot.usedAt + MIN_REUSE_DELAY_MS)));
      await change(() => {
        for (const { slot, keysym } of lent) slot.keysym = keysym;
        return lent.map(({ slot }) => slot);
      });
      await sleep(SETTLE_DELAY_MS);
    },
    clear: async () => {
      const used = lentOut();
      if (used.length === 0) return;
      await waitForReuse(Math.max(...used.map(({ usedAt }) => usedAt + MIN_REUSE_DELAY_MS)));
      await change(() => {
        for (const slot of used) slot.keysym = 0;
        return used;
      });
      options.onLend([]);
    },
  };
}

/** Clears keycodes that an agent before this one left behind: those that have no other keysyms than it gave them. */
export async function clearLeftovers(display: Display, xkb: Xkb, lent: readonly string[]): Promise<void> {
  const given = new Map(
    lent.map((entry) => {
      const [keycode = '', keysyms = ''] = entry.split(':');
      return [Number(keycode), new Set(keysyms.split('.').map(Number))];
    }),
  );
  const { minKeycode, maxKeycode } = display;
  const known = [...given.keys()].filter((keycode) => keycode >= minKeycode && keycode <= maxKeycode);
  if (known.length === 0) return;
  const { first, keys } = await xkb.map({ first: minKeycode, count: maxKeycode - minKeycode + 1, level3Mask: 0 });
  const left = known.filter((keycode) => {
    const { keysyms } = keys[keycode - first] ?? { keysyms: [] };
    return keysyms.length > 0 && keysyms.every((keysym) => keysym === 0 || given.get(keycode)?.has(keysym));
  });
  if (left.length > 0) await setLevels(xkb, new Map(left.map((keycode) => [keycode, []])), 0);
}
