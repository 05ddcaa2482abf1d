import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LentKeycode } from '../heldInputs.ts';
import type { Display } from './display.ts';
import { readLayout, type KeyboardState, type Layout, type Stroke } from './keyboardLayout.ts';
import { createKeySymbols, type KeyMap, type Xkb } from './xkb.ts';

/**
 * Programs request the new map at its first key. Without this delay Chromium lost or mistook that key in 2 of 30 texts.
 */
export const SETTLE_DELAY_MS = 20;
/**
 * How long a keycode keeps its character after its last press, unless the program confirms that it has read the key.
 * With 250 ms, a terminal on an overloaded machine typed the character that the keycode was lent for next.
 */
export const MIN_REUSE_DELAY_MS = 1000;
/** How long to wait for a window manager that has not read the map; then the agent continues without it. */
const MANAGER_TIMEOUT_MS = 2000;

const NEVER_USED = Number.NEGATIVE_INFINITY;
const MAX_LEVELS = 4;

/** One level of a free keycode. Levels 0 to 3: plain, Shift, level 3, level 3 with Shift. */
interface ScratchLevel {
  readonly keycode: number;
  readonly level: number;
  /** 0 while nothing is lent. */
  keysym: number;
  /** Time of the last press on the monotonic clock. */
  usedAt: number;
}

/**
 * Lends free keycodes of the user's layout to missing characters.
 * Each keycode takes several, which Shift and the third level select.
 */
export interface ScratchKeys {
  /**
   * Takes over the current map and returns the layout in it. Free keycodes are added; those used or cleared by others
   * are dropped.
   */
  readonly refresh: (state: KeyboardState, map: KeyMap) => Layout;
  /** Returns the number of levels that can be lent. */
  readonly size: () => number;
  /** Returns how to type this keysym now; with `isPlain` only without modifiers. */
  readonly find: (keysym: number, isPlain?: boolean) => Stroke | undefined;
  /** Returns whether the keysym of a stroke is still the one that it was lent for. */
  readonly isStillLent: (stroke: Stroke, map: KeyMap) => boolean;
  readonly markUsed: (stroke: Stroke) => void;
  /**
   * Lends levels to as many of these keysyms as fit, in their order; with `isPlain` only levels without modifiers.
   * Resolves once they can be sent to the receiver.
   */
  readonly lend: (keysyms: readonly number[], isPlain?: boolean) => Promise<void>;
  /** Clears all lent keycodes. */
  readonly clear: () => Promise<void>;
}

export interface ScratchOptions {
  /** Called with all lent keycodes before a keycode gets a keysym. */
  readonly onLend: (lent: readonly LentKeycode[]) => void;
  /** Resolves when the focused program has read everything sent so far; ends the wait early. */
  readonly waitForProgram: () => Promise<void>;
  /**
   * Resolves when the window manager has read everything: it reads the whole map after each change, and windows wait
   * for it.
   */
  readonly waitForWindowManager: () => Promise<void>;
}

const toStroke = ({ keycode, level }: ScratchLevel): Stroke => ({
  keycode,
  shift: (level & 1) !== 0,
  level3: level >= 2,
});
const getLevel = ({ shift, level3 }: Stroke): number => (shift ? 1 : 0) + (level3 ? 2 : 0);

/** The keysyms of each level, by keycode. */
type Levels = ReadonlyMap<number, readonly number[]>;

function groupByKeycode(scratchLevels: readonly ScratchLevel[]): Levels {
  const levels = new Map<number, number[]>();
  for (const { keycode, level, keysym } of scratchLevels) {
    const keysyms = levels.get(keycode) ?? Array.from({ length: MAX_LEVELS }, () => 0);
    keysyms[level] = keysym;
    levels.set(keycode, keysyms);
  }
  return levels;
}

/** Sets the keysyms of these keycodes in one change; keys between them are sent unchanged. */
async function setLevels(xkb: Xkb, levels: Levels, level3Mask: number): Promise<void> {
  const keycodes = [...levels.keys()].toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [keycodes[0], keycodes.at(-1)];
  const map = await xkb.getMap({ first, count: last - first + 1, level3Mask });
  const keys = map.keys.map((key, index) => {
    const keysyms = levels.get(map.first + index);
    return keysyms === undefined ? key : createKeySymbols(keysyms, map.fourLevels);
  });
  xkb.setMap({ ...map, keys });
}

export function createScratchKeys(display: Display, xkb: Xkb, options: ScratchOptions): ScratchKeys {
  let scratchLevels: ScratchLevel[] = [];
  let level3Mask = 0;
  let hasChanged = false;

  /** @param reusableAt time on the monotonic clock. */
  async function waitForReuse(reusableAt: number): Promise<void> {
    const delayMs = reusableAt - performance.now();
    if (delayMs <= 0) return;
    await display.sync();
    await Promise.race([sleep(delayMs), options.waitForProgram()]);
  }
  const listLent = (): readonly ScratchLevel[] => scratchLevels.filter(({ keysym }) => keysym !== 0);

  /** Includes the keysyms from before the change, because a killed agent may end before or after it. */
  function reportLent(before: Levels, after: Levels): void {
    const keycodes = new Set([...before.keys(), ...after.keys()]);
    const lent = [...keycodes].map((keycode): LentKeycode => {
      const keysyms = new Set([...(before.get(keycode) ?? []), ...(after.get(keycode) ?? [])]);
      keysyms.delete(0);
      return `${keycode}:${[...keysyms].join('.')}`;
    });
    options.onLend(lent);
  }
  async function applyChange(apply: () => readonly ScratchLevel[]): Promise<void> {
    if (hasChanged) await Promise.race([options.waitForWindowManager(), sleep(MANAGER_TIMEOUT_MS)]);
    hasChanged = true;
    const before = groupByKeycode(listLent());
    const changedKeycodes = new Set(apply().map(({ keycode }) => keycode));
    reportLent(before, groupByKeycode(listLent()));
    await setLevels(
      xkb,
      groupByKeycode(scratchLevels.filter(({ keycode }) => changedKeycodes.has(keycode))),
      level3Mask,
    );
    await display.sync();
  }

  /** Returns the levels of these keycodes, all first levels before the second ones. */
  const createScratchLevels = (layout: Layout, keycodes: readonly number[], levels: number): ScratchLevel[] =>
    Array.from({ length: levels }, (_, level) => level).flatMap((level) =>
      keycodes.map((keycode) => {
        const existing = scratchLevels.find(
          (scratchLevel) => scratchLevel.keycode === keycode && scratchLevel.level === level,
        );
        const isFree = layout.free.includes(keycode);
        return { keycode, level, keysym: isFree ? 0 : (existing?.keysym ?? 0), usedAt: existing?.usedAt ?? NEVER_USED };
      }),
    );

  return {
    refresh: (state, map) => {
      function isStillSet([keycode, keysyms]: readonly [number, readonly number[]]): boolean {
        const expected = createKeySymbols(keysyms, map.fourLevels);
        return expected.width > 0 && isDeepStrictEqual(map.keys[keycode - map.first], expected);
      }
      const unchanged = [...groupByKeycode(scratchLevels)].filter(isStillSet);
      const layout = readLayout(state, new Set(unchanged.map(([keycode]) => keycode)));
      const keycodes = [...unchanged.map(([keycode]) => keycode), ...layout.free].toSorted((a, b) => a - b);
      level3Mask = layout.level3Mask;
      const levels = map.fourLevels === undefined ? 2 : MAX_LEVELS;
      scratchLevels = createScratchLevels(layout, keycodes, layout.shiftKey === undefined ? 1 : levels);
      return layout;
    },
    size: () => scratchLevels.length,
    find: (keysym, isPlain = false) => {
      const scratchLevel = scratchLevels.find(
        (candidate) => candidate.keysym === keysym && (candidate.level === 0 || !isPlain),
      );
      return scratchLevel && toStroke(scratchLevel);
    },
    isStillLent: (stroke, { first, keys }) => {
      const scratchLevel = scratchLevels.find(
        ({ keycode, level }) => keycode === stroke.keycode && level === getLevel(stroke),
      );
      return (
        scratchLevel !== undefined &&
        keys[scratchLevel.keycode - first]?.keysyms[scratchLevel.level] === scratchLevel.keysym
      );
    },
    markUsed: (stroke) => {
      const scratchLevel = scratchLevels.find(
        ({ keycode, level }) => keycode === stroke.keycode && level === getLevel(stroke),
      );
      if (scratchLevel) scratchLevel.usedAt = performance.now();
    },
    lend: async (keysyms, isPlain = false) => {
      const usable = scratchLevels.filter(({ level }) => level === 0 || !isPlain);
      const needed = new Set(keysyms.slice(0, usable.length));
      const missing = [...needed].filter((keysym) => !usable.some((scratchLevel) => scratchLevel.keysym === keysym));
      if (missing.length === 0) return;
      const oldest = usable
        .filter((scratchLevel) => !needed.has(scratchLevel.keysym))
        .toSorted((a, b) => a.usedAt - b.usedAt);
      const lent = missing.flatMap((keysym, index) => {
        const scratchLevel = oldest[index];
        return scratchLevel ? [{ scratchLevel, keysym }] : [];
      });
      await waitForReuse(Math.max(...lent.map(({ scratchLevel }) => scratchLevel.usedAt + MIN_REUSE_DELAY_MS)));
      await applyChange(() => {
        for (const { scratchLevel, keysym } of lent) scratchLevel.keysym = keysym;
        return lent.map(({ scratchLevel }) => scratchLevel);
      });
      await sleep(SETTLE_DELAY_MS);
    },
    clear: async () => {
      const lent = listLent();
      if (lent.length === 0) return;
      await waitForReuse(Math.max(...lent.map(({ usedAt }) => usedAt + MIN_REUSE_DELAY_MS)));
      await applyChange(() => {
        for (const scratchLevel of lent) scratchLevel.keysym = 0;
        return lent;
      });
      options.onLend([]);
    },
  };
}

/** Clears keycodes that an earlier agent left behind, if they have no other keysyms than those it lent. */
export async function clearLeftovers(display: Display, xkb: Xkb, lent: readonly string[]): Promise<void> {
  const lentKeysyms = new Map(
    lent.map((entry) => {
      const [keycode = '', keysyms = ''] = entry.split(':');
      return [Number(keycode), new Set(keysyms.split('.').map(Number))];
    }),
  );
  const { minKeycode, maxKeycode } = display;
  const validKeycodes = [...lentKeysyms.keys()].filter((keycode) => keycode >= minKeycode && keycode <= maxKeycode);
  if (validKeycodes.length === 0) return;
  const { first, keys } = await xkb.getMap({ first: minKeycode, count: maxKeycode - minKeycode + 1, level3Mask: 0 });
  const leftovers = validKeycodes.filter((keycode) => {
    const { keysyms } = keys[keycode - first] ?? { keysyms: [] };
    return keysyms.length > 0 && keysyms.every((keysym) => keysym === 0 || lentKeysyms.get(keycode)?.has(keysym));
  });
  if (leftovers.length > 0) await setLevels(xkb, new Map(leftovers.map((keycode) => [keycode, []])), 0);
}
