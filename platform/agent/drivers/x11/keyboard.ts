import { Refusal } from '#platform/contract/refusal.ts';
import type { Typed } from '../drivers.ts';
import type { Held, Holding } from '../holding.ts';
import type { Display } from './display.ts';
import { isTerminalSwitch, keysymOfCharacter, keysymOfKey } from './keysyms.ts';
import type { KeyboardState, Layout, Stroke } from './layout.ts';
import { makeReader } from './reading.ts';
import { makeScratch, type Scratch } from './scratch.ts';
import { readKeyboard } from './state.ts';

export interface XKeyboard extends AsyncDisposable {
  readonly type: (text: string) => Promise<Typed>;
  readonly press: (keys: readonly string[]) => Promise<void>;
  readonly hold: (modifiers: readonly string[]) => Promise<void>;
}

/** A shortcut is held as long as a quick hand holds it: programs that look at the keyboard now and then (games, menus) miss a shorter one. */
const HOLD_MS = 20;

const keysOf = (keycodes: Iterable<number>): readonly Held[] =>
  [...new Set(keycodes)].map((keycode): Held => `k${keycode}`);

/** Line ends of every system are one press of Return. */
const charactersOf = (text: string): readonly number[] =>
  Array.from(text.replaceAll(/\r\n?/g, '\n'), (character) => character.codePointAt(0) ?? 0);

/** Keys held by somebody else are let go and stay so: pressed again for them, one that they let go meanwhile would stick. */
const letGo = (display: Display, { down }: KeyboardState, inTheWay: ReadonlySet<number>): void => {
  for (const keycode of down) if (inTheWay.has(keycode)) display.fakeKey(keycode, false);
};

/** Presses the strokes in order, with as few changes of the modifiers as there can be. */
const strike = (display: Display, layout: Layout, strokes: readonly Stroke[]): void => {
  const modifiers = [
    { keycode: layout.shiftKey, isWanted: (stroke: Stroke) => stroke.shift, isDown: false },
    { keycode: layout.level3Key, isWanted: (stroke: Stroke) => stroke.level3, isDown: false },
  ];
  const set = (modifier: (typeof modifiers)[number], down: boolean): void => {
    if (modifier.isDown === down || modifier.keycode === undefined) return;
    display.fakeKey(modifier.keycode, down);
    modifier.isDown = down;
  };
  for (const stroke of strokes) {
    for (const modifier of modifiers) set(modifier, modifier.isWanted(stroke));
    display.fakeKey(stroke.keycode, true);
    display.fakeKey(stroke.keycode, false);
  }
  for (const modifier of modifiers) set(modifier, false);
};

/** The longest beginning of the text that can be typed with the keycodes lent now. */
const typable = (layout: Layout, scratch: Scratch, characters: readonly number[]): readonly Stroke[] => {
  const strokes: Stroke[] = [];
  for (const character of characters) {
    const keycode = scratch.find(keysymOfCharacter(character) ?? 0);
    const stroke =
      layout.strokes.get(character) ?? (keycode === undefined ? undefined : { keycode, shift: false, level3: false });
    if (!stroke) break;
    strokes.push(stroke);
  }
  return strokes;
};

const isForeign = (layout: Layout, character: number): boolean => !layout.strokes.has(character);

/** Types and presses on an X display by XTEST. One thing after another: calls queue. */
export const openKeyboard = (display: Display, holding: Holding): XKeyboard => {
  const scratch = makeScratch(display, { onLend: holding.lend, hasRead: makeReader(display).hasRead });
  let last: Promise<unknown> = Promise.resolve();
  const queued = <T>(task: () => Promise<T>): Promise<T> => {
    const own = last.then(task, task);
    last = own;
    return own;
  };

  /** Holds the account of what is pressed while `press` runs, and until the X server has done it. */
  const accounted = async (keycodes: Iterable<number>, press: () => void): Promise<void> => {
    const things = keysOf(keycodes);
    holding.take(things);
    try {
      press();
      await display.sync();
    } finally {
      holding.drop(things);
    }
  };

  const isTypable = (layout: Layout, character: number): boolean => {
    if (!isForeign(layout, character)) return true;
    return scratch.size() > 0 && keysymOfCharacter(character) !== undefined;
  };

  const typeCharacters = async (layout: Layout, characters: readonly number[]): Promise<void> => {
    let left = characters;
    while (left.length > 0) {
      const foreign = left.filter((character) => isForeign(layout, character));
      await scratch.lend([...new Set(foreign.map((character) => keysymOfCharacter(character) ?? 0))]);
      const strokes = typable(layout, scratch, left);
      const modifiers = [layout.shiftKey, layout.level3Key].filter((keycode) => keycode !== undefined);
      const keycodes = strokes.map(({ keycode }) => keycode);
      await accounted([...keycodes, ...modifiers], () => strike(display, layout, strokes));
      for (const keycode of keycodes) scratch.markUsed(keycode);
      left = left.slice(strokes.length);
    }
  };

  const tap = (keycode: number): Promise<void> =>
    accounted([keycode], () => {
      display.fakeKey(keycode, true);
      display.fakeKey(keycode, false);
    });

  /** Modifiers held for the mouse, by keycode. */
  let heldForMouse: readonly number[] = [];
  const keep = async (keycodes: readonly number[]): Promise<void> => {
    const released = heldForMouse.filter((keycode) => !keycodes.includes(keycode));
    const pressed = keycodes.filter((keycode) => !heldForMouse.includes(keycode));
    heldForMouse = keycodes;
    if (pressed.length > 0) holding.take(keysOf(pressed));
    for (const keycode of released) display.fakeKey(keycode, false);
    for (const keycode of pressed) display.fakeKey(keycode, true);
    await display.sync();
    if (released.length > 0) holding.drop(keysOf(released));
  };
  const letGoOfMouse = async (): Promise<void> => {
    if (heldForMouse.length > 0) await keep([]);
  };

  const type = async (text: string): Promise<Typed> => {
    await letGoOfMouse();
    const state = await readKeyboard(display);
    const layout = scratch.refresh(state);
    const characters = charactersOf(text);
    const wanted = characters.filter((character) => isTypable(layout, character));
    const dropped = characters.filter((character) => !isTypable(layout, character));
    letGo(display, state, layout.modifierKeys);
    const capsLock = state.isCapsLocked ? layout.capsLockKey : undefined;
    if (capsLock !== undefined) await tap(capsLock);
    try {
      await typeCharacters(layout, wanted);
    } finally {
      if (capsLock !== undefined) await tap(capsLock);
    }
    return { dropped: dropped.map((character) => String.fromCodePoint(character)) };
  };

  const keycodeOf = (layout: Layout, keysym: number): number | undefined =>
    layout.keys.get(keysym) ?? scratch.find(keysym);

  const press = async (keys: readonly string[]): Promise<void> => {
    if (isTerminalSwitch(keys))
      throw new Refusal(`${keys.join('-')} belongs to that computer's system and cannot be sent`);
    await letGoOfMouse();
    const keysyms = keys.map((key) => {
      const keysym = keysymOfKey(key);
      if (keysym === undefined) throw new Refusal(`That computer has no key '${key.slice(0, 20)}'`);
      return keysym;
    });
    const state = await readKeyboard(display);
    const layout = scratch.refresh(state);
    await scratch.lend(keysyms.filter((keysym) => !layout.keys.has(keysym)));
    const keycodes = keysyms.map((keysym, index) => {
      const keycode = keycodeOf(layout, keysym);
      if (keycode === undefined) throw new Refusal(`That computer's keyboard has no key for '${keys[index] ?? ''}'`);
      return keycode;
    });
    letGo(display, state, new Set([...layout.modifierKeys, ...keycodes]));
    const things = keysOf(keycodes);
    holding.take(things);
    for (const keycode of keycodes) display.fakeKey(keycode, true);
    try {
      await display.sync();
      await new Promise((done) => setTimeout(done, HOLD_MS));
    } finally {
      for (const keycode of keycodes.toReversed()) display.fakeKey(keycode, false);
      await display.sync();
      holding.drop(things);
    }
    for (const keycode of keycodes) scratch.markUsed(keycode);
  };

  const hold = async (modifiers: readonly string[]): Promise<void> => {
    if (modifiers.length === 0) return letGoOfMouse();
    const layout = scratch.refresh(await readKeyboard(display));
    const keycodes = modifiers.flatMap((name) => layout.keys.get(keysymOfKey(name) ?? 0) ?? []);
    await keep(keycodes.filter((keycode) => layout.modifierKeys.has(keycode)));
  };

  return {
    type: (text) => queued(() => type(text)),
    press: (keys) => queued(() => press(keys)),
    hold: (modifiers) => queued(() => hold(modifiers)),
    [Symbol.asyncDispose]: () => queued(scratch.clear),
  };
};
