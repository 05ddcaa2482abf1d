import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { KeyboardDriver, TypeResult } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { getEvdevCode, getKeysymByHotkey, getKeysymByKey, isTerminalSwitch } from '../keysyms.ts';
import {
  createNoSuchKeyRefusal,
  createReservedShortcutRefusal,
  FOCUS_MOVED_MESSAGE,
  LOCK_KEYS,
  MODIFIER_KEYS,
  NO_FOCUS_MESSAGE,
  SHORTCUT_HOLD_MS,
  toCodePoints,
} from '../typing.ts';
import type { WaylandConnection } from './connection.ts';
import type { TextField } from './inputMethod.ts';
import {
  getUsCode,
  isTypable,
  planTyping,
  replaceCharacters,
  type Keymap,
  type KeyPress,
  type ModifierMask,
} from './keymap.ts';
import type { VirtualKeyboard } from './virtualKeyboard.ts';

/**
 * Programs for X11 look up what a key means when they handle it, in the keymap of that moment. A busy one handles keys
 * this long after they were sent.
 */
const X11_LOOKUP_DELAY_MS = 1000;
/** Text is typed in parts, to report the progress and to notice a change of the focus. */
export const PRESSES_PER_SYNC = 100;
/** Chromium ignores characters beyond these from any keyboard. */
const MAX_KEYBOARD_CHARACTER = 0xffff;

/** The window that gets the keys. */
export interface FocusedWindow {
  readonly id: number;
  /** Whether it is a program for X11; undefined if the compositor doesn't report it. */
  readonly isX11: boolean | undefined;
}

export interface WaylandKeyboardOptions {
  readonly connection: Pick<WaylandConnection, 'sync'>;
  readonly keyboard: VirtualKeyboard;
  readonly heldInputs: HeldInputs;
  /** Returns the focused text field, if it takes whole texts. */
  readonly openTextField: () => Promise<TextField | undefined>;
  readonly readFocusedWindow: () => Promise<FocusedWindow | undefined>;
}

/** A key of a shortcut: its code, the modifier that it sets, and the ones that it needs. */
interface ShortcutKey extends KeyPress {
  readonly sets: ModifierMask;
  /** The character that the key types for this shortcut only, as the layout lacks it. */
  readonly foreign?: number;
}

/**
 * Finds the key of a shortcut in the user's layout.
 * @throws Refusal if it does not exist.
 */
function findShortcutKey(keymap: Keymap, key: string): ShortcutKey {
  const keysym = getKeysymByHotkey(key);
  if (keysym === undefined) throw createNoSuchKeyRefusal(key);
  const character = Array.from(key).length === 1 ? key.codePointAt(0) : undefined;
  const press = keymap.keyByKeysym.get(keysym) ?? (character === undefined ? undefined : keymap.presses.get(character));
  if (press) return { ...press, sets: keymap.getModifierMask(keysym) };
  const code = getEvdevCode(key) ?? getUsCode(key);
  if (code === undefined) throw createNoSuchKeyRefusal(key);
  return { code, modifiers: 0, group: 0, sets: 0, ...(character !== undefined && { foreign: character }) };
}

/** Creates the keyboard of a compositor with virtual keyboards. Keys are typed with a keyboard of our own. */
export function createWaylandKeyboard(options: WaylandKeyboardOptions): KeyboardDriver {
  const { connection, keyboard, heldInputs, openTextField, readFocusedWindow } = options;
  const enqueue = createSerialQueue();

  /** Keys that are held for the mouse. */
  let heldKeys: ShortcutKey[] = [];
  const toHeldInputs = (keys: readonly ShortcutKey[]): readonly HeldInput[] =>
    keys.map(({ code }): HeldInput => `k${code}`);
  function pressKeys(keys: readonly ShortcutKey[]): void {
    heldInputs.add(toHeldInputs(keys));
    const group = keys.at(-1)?.group ?? 0;
    let modifiers = keys.reduce((mask, key) => mask | key.modifiers, 0);
    if (modifiers !== 0) keyboard.setModifiers(modifiers, group);
    for (const { code, sets } of keys) {
      keyboard.sendKey(code, true);
      modifiers |= sets;
      if (sets !== 0 || group !== 0) keyboard.setModifiers(modifiers, group);
    }
  }
  async function releaseKeys(keys: readonly ShortcutKey[]): Promise<void> {
    for (const { code } of keys.toReversed()) keyboard.sendKey(code, false);
    keyboard.setModifiers(0, 0);
    await connection.sync();
    heldInputs.remove(toHeldInputs(keys));
  }
  async function releaseHeld(): Promise<void> {
    if (heldKeys.length > 0) await releaseKeys(heldKeys.splice(0));
  }

  async function typePresses(presses: readonly KeyPress[], onProgress: () => void): Promise<void> {
    let modifiers = 0;
    let group = 0;
    for (const keyPress of presses) {
      if (keyPress.modifiers !== modifiers || keyPress.group !== group) {
        ({ modifiers, group } = keyPress);
        keyboard.setModifiers(modifiers, group);
      }
      keyboard.sendKey(keyPress.code, true);
      keyboard.sendKey(keyPress.code, false);
    }
    if (modifiers !== 0 || group !== 0) keyboard.setModifiers(0, 0);
    await connection.sync();
    onProgress();
  }
  /** Until then, programs for X11 may handle keys of the present keymap. In milliseconds, as `performance.now()`. */
  let keymapNeededUntil = 0;
  async function changeKeymap(text: string): Promise<void> {
    if (keyboard.hasKeymapText(text)) return;
    await sleep(Math.max(0, keymapNeededUntil - performance.now()));
    keyboard.setKeymapText(text);
  }
  /** Restores the user's keymap after keys were sent. For X11 programs, the next text or shortcut does that. */
  function restoreKeymap({ text }: Keymap, focused: FocusedWindow | undefined): void {
    if (focused?.isX11 === false) keyboard.setKeymapText(text);
    else keymapNeededUntil = performance.now() + X11_LOOKUP_DELAY_MS;
  }

  /** @throws Refusal if another window has the focus. */
  async function requireFocus({ id }: FocusedWindow): Promise<void> {
    if ((await readFocusedWindow())?.id !== id) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
  }
  async function typeByKeys(
    focused: FocusedWindow,
    keymap: Keymap,
    characters: readonly number[],
    onProgress: () => void,
  ): Promise<void> {
    for (const { foreign, presses } of planTyping(keymap, characters)) {
      await changeKeymap(foreign.size === 0 ? keymap.text : replaceCharacters(keymap, foreign));
      try {
        for (let start = 0; start < presses.length; start += PRESSES_PER_SYNC) {
          await requireFocus(focused);
          await typePresses(presses.slice(start, start + PRESSES_PER_SYNC), onProgress);
        }
      } finally {
        restoreKeymap(keymap, focused);
      }
    }
  }
  async function typeIntoField(
    field: TextField,
    keymap: Keymap,
    characters: readonly number[],
    onProgress: () => void,
  ): Promise<void> {
    await changeKeymap(keymap.text);
    const text = characters.map((character) => String.fromCodePoint(character)).join('');
    for (const piece of text.split(/([\n\t\b])/)) {
      if (/^[\n\t\b]$/.test(piece)) {
        const presses = planTyping(keymap, toCodePoints(piece)).flatMap((part) => part.presses);
        await field.pressKeys(() => typePresses(presses, onProgress));
      } else if (piece !== '') await field.insert(piece);
      onProgress();
    }
  }
  async function type(text: string, onProgress: () => void): Promise<TypeResult> {
    await releaseHeld();
    const focused = await readFocusedWindow();
    if (!focused) throw new Refusal('device.no_focus', NO_FOCUS_MESSAGE);
    const characters = toCodePoints(text);
    const typable = characters.filter(isTypable);
    const dropped = characters.filter((character) => !isTypable(character));
    const keymap = keyboard.getKeymap();
    // Some programs take no such character from a keyboard.
    const needsField = typable.some((character) => character > MAX_KEYBOARD_CHARACTER);
    using field = needsField ? await openTextField() : undefined;
    if (field) await typeIntoField(field, keymap, typable, onProgress);
    else await typeByKeys(focused, keymap, typable, onProgress);
    return { dropped: dropped.map((character) => String.fromCodePoint(character)) };
  }

  async function press(keys: readonly string[]): Promise<void> {
    if (isTerminalSwitch(keys) || keys.some((key) => LOCK_KEYS.has(key))) throw createReservedShortcutRefusal(keys);
    await releaseHeld();
    const keymap = keyboard.getKeymap();
    const shortcut = keys.map((key) => findShortcutKey(keymap, key));
    const foreign = new Map(shortcut.flatMap((key) => (key.foreign === undefined ? [] : [[key.code, key.foreign]])));
    await changeKeymap(foreign.size === 0 ? keymap.text : replaceCharacters(keymap, foreign));
    const focused = await readFocusedWindow();
    pressKeys(shortcut);
    try {
      // Doesn't wait for the compositor: while that is busy, the key would be held until it repeats.
      await sleep(SHORTCUT_HOLD_MS);
    } finally {
      await releaseKeys(shortcut);
      restoreKeymap(keymap, focused);
    }
  }

  async function holdModifiers(modifiers: readonly string[]): Promise<void> {
    await releaseHeld();
    const names = modifiers.filter((name) => MODIFIER_KEYS.some((other) => other === name));
    if (names.length === 0) return;
    const keymap = keyboard.getKeymap();
    await changeKeymap(keymap.text);
    heldKeys = names.filter((name) => getKeysymByKey(name) !== undefined).map((name) => findShortcutKey(keymap, name));
    pressKeys(heldKeys);
    await connection.sync();
  }

  return {
    ability: { able: true },
    type: (text, onProgress = () => undefined) => enqueue(() => type(text, onProgress)),
    press: (keys) => enqueue(() => press(keys)),
    holdModifiers: (modifiers) => enqueue(() => holdModifiers(modifiers)),
    releaseAll: () => enqueue(releaseHeld),
  };
}
