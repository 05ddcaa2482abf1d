import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { TypeResult } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { isTerminalSwitch, getKeysymByCharacter, getKeysymByHotkey, getKeysymByKey } from '../keysyms.ts';
import {
  FOCUS_MOVED_MESSAGE,
  LAYOUT_CHANGED_MESSAGE,
  LOCK_KEYS,
  NO_FOCUS_MESSAGE,
  SHORTCUT_HOLD_MS,
  toCodePoints,
  createNoSuchKeyRefusal,
  createReservedShortcutRefusal,
} from '../typing.ts';
import type { Display } from './display.ts';
import { createInputMonitor, createReadConfirmation } from './inputMonitor.ts';
import { readLayout, type KeyboardState, type Layout, type Stroke, readKeyboard } from './keyboardLayout.ts';
import { createScratchKeys, type ScratchKeys } from './scratchKeys.ts';
import type { KeyMap, Xkb } from './xkb.ts';

export interface XKeyboard extends AsyncDisposable {
  /** `onProgress` runs each time a part of the text has been typed. */
  readonly type: (text: string, onProgress?: () => void) => Promise<TypeResult>;
  readonly press: (keys: readonly string[]) => Promise<void>;
  readonly hold: (modifiers: readonly string[]) => Promise<void>;
}

const INTERRUPTED_MESSAGE = 'Another key was pressed on that computer during typing. Check the text there';

const toHeldKeys = (keycodes: Iterable<number>): readonly HeldInput[] =>
  [...new Set(keycodes)].map((keycode): HeldInput => `k${keycode}`);

/** Presses the strokes in order with few modifier changes. Returns how many keys it pressed. */
function pressStrokes(display: Display, layout: Layout, strokes: readonly Stroke[]): number {
  let presses = strokes.length;
  const modifiers = [
    { keycode: layout.shiftKey, isWanted: (stroke: Stroke) => stroke.shift, isDown: false },
    { keycode: layout.level3Key, isWanted: (stroke: Stroke) => stroke.level3, isDown: false },
  ];
  function setModifier(modifier: (typeof modifiers)[number], down: boolean): void {
    if (modifier.isDown === down || modifier.keycode === undefined) return;
    display.fakeKey(modifier.keycode, down);
    modifier.isDown = down;
    if (down) presses += 1;
  }
  for (const stroke of strokes) {
    for (const modifier of modifiers) setModifier(modifier, modifier.isWanted(stroke));
    display.fakeKey(stroke.keycode, true);
    display.fakeKey(stroke.keycode, false);
  }
  for (const modifier of modifiers) setModifier(modifier, false);
  return presses;
}

/** Returns strokes for the longest prefix of the text that can be typed with the keycodes lent now. */
function findTypablePrefix(layout: Layout, scratch: ScratchKeys, characters: readonly number[]): readonly Stroke[] {
  const strokes: Stroke[] = [];
  for (const character of characters) {
    const stroke = layout.strokes.get(character) ?? scratch.find(getKeysymByCharacter(character) ?? 0);
    if (!stroke) break;
    strokes.push(stroke);
  }
  return strokes;
}

const needsScratchKey = (layout: Layout, character: number): boolean => !layout.strokes.has(character);

/** The keyboard while nothing is held, locked or latched. */
interface NeutralKeyboard {
  readonly group: number;
  readonly layout: Layout;
  readonly map: KeyMap;
}

/** Opens a keyboard that types and presses through XTEST. Calls are queued. */
export function openXKeyboard(display: Display, xkb: Xkb, heldInputs: HeldInputs): XKeyboard {
  const scratch = createScratchKeys(display, xkb, { onLend: heldInputs.setLent, ...createReadConfirmation(display) });
  const monitor = createInputMonitor(display);
  const enqueue = createSerialQueue();

  /** Records the keys as held while `action` runs, and until the X server has processed it. */
  async function withHeld<T>(keycodes: Iterable<number>, action: () => T): Promise<T> {
    const heldKeys = toHeldKeys(keycodes);
    heldInputs.add(heldKeys);
    try {
      const result = action();
      await display.sync();
      return result;
    } finally {
      heldInputs.remove(heldKeys);
    }
  }

  function isTypable(layout: Layout, character: number): boolean {
    if (!needsScratchKey(layout, character)) return true;
    return scratch.size() > 0 && getKeysymByCharacter(character) !== undefined;
  }

  /**
   * Releases keys that somebody else holds, and does not press them again: a key they release meanwhile would stick.
   */
  async function releaseHeld(conflicting: ReadonlySet<number>): Promise<KeyboardState> {
    const state = await readKeyboard(display);
    async function release(keycodes: readonly number[]): Promise<void> {
      for (const keycode of keycodes) display.fakeKey(keycode, false);
      await display.sync();
    }
    const held = state.down.filter((keycode) => conflicting.has(keycode));
    if (held.length > 0) await release(held);
    // A key that only acts as a modifier through an option of the layout is not listed as one.
    if ((await xkb.getState()).baseMods !== 0) await release(state.down);
    return state;
  }

  async function readNeutralKeyboard(): Promise<NeutralKeyboard> {
    const state = await readKeyboard(display);
    const { level3Mask } = readLayout(state);
    const { minKeycode: first, maxKeycode } = display;
    const map = await xkb.getMap({ first, count: maxKeycode - first + 1, level3Mask });
    return { group: state.group, map, layout: scratch.refresh(state, map) };
  }

  /** Runs the task without Slow Keys and Bounce Keys, which would swallow typed keys. */
  async function withoutKeyFilters<T>(task: () => Promise<T>): Promise<T> {
    const filters = await xkb.getKeyFilters();
    if (filters === 0) return task();
    xkb.setKeyFilters(filters, false);
    try {
      return await task();
    } finally {
      xkb.setKeyFilters(filters, true);
      await display.sync();
    }
  }

  /** Runs the task with nothing locked, latched or held, and restores locks and latches afterwards. */
  async function withNeutralKeyboard<T>(task: (keyboard: NeutralKeyboard) => Promise<T>): Promise<T> {
    const locks = await xkb.getState();
    const isLocked = (locks.lockedMods | locks.latchedMods | locks.latchedGroup) !== 0;
    if (isLocked) xkb.unlock();
    try {
      const { layout } = await readNeutralKeyboard();
      // A layout latch is only cleared by a key press, so a keycode without a keysym is pressed.
      const [unusedKeycode] = layout.free;
      if (locks.latchedGroup !== 0 && unusedKeycode !== undefined)
        await withHeld([unusedKeycode], () =>
          pressStrokes(display, layout, [{ keycode: unusedKeycode, shift: false, level3: false }]),
        );
      await releaseHeld(layout.modifierKeys);
      // Releasing a held key may have changed the active layout.
      return await task(await readNeutralKeyboard());
    } finally {
      if (isLocked) {
        xkb.lock({ ...locks, latchedGroup: 0 });
        await display.sync();
      }
    }
  }

  /** Returns whether each stroke still means what it meant when the keyboard was read. */
  async function isUndisturbed(before: NeutralKeyboard, strokes: readonly Stroke[]): Promise<boolean> {
    const [now, { baseMods, latchedMods, lockedMods, group }] = await Promise.all([
      readNeutralKeyboard(),
      xkb.getState(),
    ]);
    if ((baseMods | latchedMods | lockedMods) !== 0 || group !== before.group) return false;
    return strokes.every((stroke) => {
      const index = stroke.keycode - now.map.first;
      return scratch.isStillLent(stroke, now.map) || isDeepStrictEqual(now.map.keys[index], before.map.keys[index]);
    });
  }

  async function typeCharacters(
    keyboard: NeutralKeyboard,
    characters: readonly number[],
    onProgress: () => void,
  ): Promise<void> {
    if (characters.length === 0) return;
    const { layout } = keyboard;
    const focus = await monitor.getFocus();
    if (focus === undefined) throw new Refusal('device.no_focus', NO_FOCUS_MESSAGE);
    let remaining = characters;
    let presses = 0;
    while (remaining.length > 0) {
      const missing = remaining.filter((character) => needsScratchKey(layout, character));
      await scratch.lend([...new Set(missing.map((character) => getKeysymByCharacter(character) ?? 0))]);
      const strokes = findTypablePrefix(layout, scratch, remaining);
      const modifiers = [layout.shiftKey, layout.level3Key].filter((keycode) => keycode !== undefined);
      const keycodes = strokes.map(({ keycode }) => keycode);
      if ((await monitor.getFocus()) !== focus) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
      presses += await withHeld([...keycodes, ...modifiers], () => pressStrokes(display, layout, strokes));
      if ((monitor.countPressed() ?? 0) > presses) throw new Refusal('device.typing_interrupted', INTERRUPTED_MESSAGE);
      for (const stroke of strokes) scratch.markUsed(stroke);
      if (!(await isUndisturbed(keyboard, strokes)))
        throw new Refusal('device.keyboard_changed', LAYOUT_CHANGED_MESSAGE);
      remaining = remaining.slice(strokes.length);
      onProgress();
    }
  }

  /** Keycodes of the modifiers that are held for the mouse. */
  let heldForMouse: readonly number[] = [];
  async function setHeldForMouse(keycodes: readonly number[]): Promise<void> {
    const released = heldForMouse.filter((keycode) => !keycodes.includes(keycode));
    const pressed = keycodes.filter((keycode) => !heldForMouse.includes(keycode));
    heldForMouse = keycodes;
    if (pressed.length > 0) heldInputs.add(toHeldKeys(pressed));
    for (const keycode of released) display.fakeKey(keycode, false);
    for (const keycode of pressed) display.fakeKey(keycode, true);
    await display.sync();
    if (released.length > 0) heldInputs.remove(toHeldKeys(released));
  }
  async function releaseMouseModifiers(): Promise<void> {
    if (heldForMouse.length > 0) await setHeldForMouse([]);
  }

  async function type(text: string, onProgress: () => void): Promise<TypeResult> {
    await releaseMouseModifiers();
    return withNeutralKeyboard(async (keyboard) => {
      const characters = toCodePoints(text);
      const typable = characters.filter((character) => isTypable(keyboard.layout, character));
      const dropped = characters.filter((character) => !isTypable(keyboard.layout, character));
      // Pressing a key that is down already types nothing.
      await releaseHeld(new Set((await readKeyboard(display)).down));
      await monitor.start();
      await typeCharacters(keyboard, typable, onProgress).finally(monitor.stop);
      return { dropped: dropped.map((character) => String.fromCodePoint(character)) };
    });
  }

  /**
   * Returns the keycodes for a key of a shortcut.
   * A character on the shifted level is pressed with Shift, as a person does.
   */
  function listKeycodes(layout: Layout, keysym: number): readonly number[] {
    const plainKey = layout.keys.get(keysym);
    if (plainKey !== undefined) return [plainKey];
    const stroke = layout.strokes.get(keysym) ?? scratch.find(keysym, true);
    if (!stroke) return [];
    const { shiftKey = 0, level3Key = 0 } = layout;
    return [...(stroke.shift ? [shiftKey] : []), ...(stroke.level3 ? [level3Key] : []), stroke.keycode];
  }

  async function pressKeysyms({ layout }: NeutralKeyboard, keysyms: readonly number[]): Promise<void> {
    await scratch.lend(
      keysyms.filter((keysym) => !layout.keys.has(keysym) && !layout.strokes.has(keysym)),
      true,
    );
    const keycodes = [...new Set(keysyms.flatMap((keysym) => listKeycodes(layout, keysym)))];
    await releaseHeld(new Set([...layout.modifierKeys, ...keycodes]));
    const modifiers = keycodes.filter((keycode) => layout.modifierKeys.has(keycode));
    const others = keycodes.filter((keycode) => !layout.modifierKeys.has(keycode));
    const heldKeys = toHeldKeys(keycodes);
    heldInputs.add(heldKeys);
    for (const keycode of keycodes) display.fakeKey(keycode, true);
    // The X server waits, not the agent: while that is busy, the key would be held until it repeats. Modifiers don't.
    for (const [index, keycode] of others.toReversed().entries())
      display.fakeKey(keycode, false, index === 0 ? SHORTCUT_HOLD_MS : 0);
    try {
      await display.sync();
      if (others.length === 0) await sleep(SHORTCUT_HOLD_MS);
    } finally {
      for (const keycode of modifiers.toReversed()) display.fakeKey(keycode, false);
      await display.sync();
      heldInputs.remove(heldKeys);
    }
    for (const keycode of keycodes) scratch.markUsed({ keycode, shift: false, level3: false });
  }

  async function press(keys: readonly string[]): Promise<void> {
    if (isTerminalSwitch(keys)) throw createReservedShortcutRefusal(keys);
    await releaseMouseModifiers();
    const keysyms = keys.map((key) => {
      const keysym = getKeysymByHotkey(key);
      if (keysym === undefined) throw createNoSuchKeyRefusal(key);
      return keysym;
    });
    function pressAll(keyboard: NeutralKeyboard): Promise<void> {
      const { layout } = keyboard;
      const missing = keysyms.findIndex((keysym) => scratch.size() === 0 && listKeycodes(layout, keysym).length === 0);
      if (missing !== -1) throw createNoSuchKeyRefusal(keys[missing] ?? '');
      return pressKeysyms(keyboard, keysyms);
    }
    if (!keys.some((key) => LOCK_KEYS.has(key))) return withNeutralKeyboard(pressAll);
    return pressAll(await readNeutralKeyboard());
  }

  async function hold(modifiers: readonly string[]): Promise<void> {
    if (modifiers.length === 0) return releaseMouseModifiers();
    const { layout } = await readNeutralKeyboard();
    const keycodes = modifiers.flatMap((name) => layout.keys.get(getKeysymByKey(name) ?? 0) ?? []);
    await setHeldForMouse(keycodes.filter((keycode) => layout.modifierKeys.has(keycode)));
  }

  return {
    type: (text, onProgress = () => undefined) => enqueue(() => withoutKeyFilters(() => type(text, onProgress))),
    press: (keys) => enqueue(() => withoutKeyFilters(() => press(keys))),
    hold: (modifiers) => enqueue(() => hold(modifiers)),
    [Symbol.asyncDispose]: () => enqueue(scratch.clear),
  };
}
