import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { KeyboardDriver, TypeResult } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { getKeysymByCharacter, getKeysymByHotkey, isTerminalSwitch } from '../keysyms.ts';
import type { WaylandConnection } from '../wayland/connection.ts';
import {
  createNoSuchKeyRefusal,
  FOCUS_MOVED_MESSAGE,
  MODIFIER_KEYS,
  NO_FOCUS_MESSAGE,
  PRESSES_PER_SYNC,
  SHORTCUT_HOLD_MS,
  toCodePoints,
  type FocusedWindow,
} from '../wayland/keyboard.ts';
import {
  CAPS_LOCK_KEYSYM,
  findKeyCode,
  findShortcutCodes,
  listModifierCodes,
  MODIFIER_CODES,
} from '../wayland/keyCodes.ts';
import { isTypable, type Keymap, type KeyPress } from '../wayland/keymap.ts';
import type { FakeInput } from './fakeInput.ts';
import type { KeyStates } from './keyStates.ts';
import { planLayoutTyping } from './layoutPlan.ts';
import type { LayoutSwitch } from './layouts.ts';

/** A person releases the keys of a shortcut sooner. */
const RELEASE_TIMEOUT_MS = 1000;
const RELEASE_CHECK_INTERVAL_MS = 50;
const CAPS_LOCK_MESSAGE =
  "Caps Lock is on at that computer, and the agent can't switch it off. Switch it off there, then send the text again";

const toHeldInputs = (codes: readonly number[]): readonly HeldInput[] => codes.map((code): HeldInput => `k${code}`);

/** The window that gets the keys, and the listener for progress. */
interface TypingProgress {
  readonly focused: FocusedWindow;
  readonly onProgress: () => void;
}

export interface KdeKeyboardOptions {
  readonly connection: Pick<WaylandConnection, 'sync'>;
  readonly input: FakeInput;
  readonly getKeymap: () => Keymap;
  readonly keyStates: KeyStates;
  readonly layoutSwitch: LayoutSwitch;
  readonly heldInputs: HeldInputs;
  /** Returns the window with the focus; undefined if there is none. */
  readonly getFocusedWindow: () => FocusedWindow | undefined;
}

/**
 * Creates the keyboard of KWin. From Plasma 6.7 on it types every character; before, those of the user's layouts. It
 * names the others.
 */
export function createKdeKeyboard(options: KdeKeyboardOptions): KeyboardDriver {
  const { connection, input, getKeymap, keyStates, layoutSwitch, heldInputs, getFocusedWindow } = options;
  const enqueue = createSerialQueue();
  const sendKey = (code: number, down: boolean): void => input.send('keyboard_key', code, down ? 1 : 0);

  /** Codes of the keys that are held for the mouse. */
  let heldCodes: readonly number[] = [];
  async function pressKeys(codes: readonly number[]): Promise<void> {
    heldInputs.add(toHeldInputs(codes));
    for (const code of codes) sendKey(code, true);
    await connection.sync();
  }
  async function releaseKeys(codes: readonly number[]): Promise<void> {
    for (const code of codes.toReversed()) sendKey(code, false);
    await connection.sync();
    heldInputs.remove(toHeldInputs(codes));
  }
  async function releaseHeld(): Promise<void> {
    const codes = heldCodes;
    heldCodes = [];
    if (codes.length > 0) await releaseKeys(codes);
  }

  async function tapCapsLock(keymap: Keymap): Promise<void> {
    const code = findKeyCode(keymap, CAPS_LOCK_KEYSYM);
    if (code === undefined) return;
    for (const down of [true, false]) sendKey(code, down);
    await connection.sync();
  }
  /** Runs the task with Caps Lock switched off. KWin changes it only for a key. */
  async function withoutCapsLock<T>(keymap: Keymap, task: () => Promise<T>): Promise<T> {
    if (!(await keyStates.isCapsLocked())) return task();
    await tapCapsLock(keymap);
    if (await keyStates.isCapsLocked()) throw new Refusal('device.caps_lock', CAPS_LOCK_MESSAGE);
    try {
      return await task();
    } finally {
      await tapCapsLock(keymap);
    }
  }
  /**
   * Makes sure that no modifier is down, which would change what is typed. KWin 5 doesn't report those of other
   * keyboards, but lets us release them. KWin 6 reports them.
   */
  async function ensureReleasedModifiers(): Promise<void> {
    if (!keyStates.canReportModifiers) {
      for (const code of MODIFIER_CODES) sendKey(code, false);
      return;
    }
    const deadline = performance.now() + RELEASE_TIMEOUT_MS;
    for (;;) {
      const held = await keyStates.listHeldModifiers();
      if (held.length === 0) return;
      if (performance.now() > deadline)
        throw new Refusal(
          'device.keys_held',
          `Somebody holds ${held.join('-')} on that computer. Release it there, then send the text again`,
        );
      await sleep(RELEASE_CHECK_INTERVAL_MS);
    }
  }
  function checkFocus(focused: FocusedWindow): void {
    if (getFocusedWindow()?.id !== focused.id) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
  }
  /** Sends items in parts. After each part, the focus is checked and the progress reported. */
  async function sendInParts<T>(
    items: readonly T[],
    send: (item: T) => void,
    { focused, onProgress }: TypingProgress,
  ): Promise<void> {
    for (const [index, item] of items.entries()) {
      if (index > 0 && index % PRESSES_PER_SYNC === 0) {
        await connection.sync();
        onProgress();
        checkFocus(focused);
      }
      send(item);
    }
  }

  async function typeKeysyms(characters: readonly number[], progress: TypingProgress): Promise<readonly number[]> {
    const keysyms = characters.flatMap((character) => getKeysymByCharacter(character) ?? []);
    await sendInParts(
      keysyms,
      (keysym) => {
        for (const down of [1, 0]) input.send('keyboard_keysym', keysym, down);
      },
      progress,
    );
    await connection.sync();
    return characters.filter((character) => !isTypable(character));
  }
  /**
   * Runs the task with the index of the layout in use; undefined if others can't be selected. Restores it afterwards:
   * KWin 6.7 selects the first layout when it types a keysym.
   */
  async function withLayout<T>(keymap: Keymap, task: (layout: number | undefined) => Promise<T>): Promise<T> {
    const original = keymap.layouts.length > 1 ? await layoutSwitch.getCurrent() : undefined;
    try {
      return await task(original);
    } finally {
      if (original !== undefined && (await layoutSwitch.getCurrent()) !== original) await layoutSwitch.select(original);
    }
  }
  /** Types with the keys of the user's layouts. Returns the characters that they lack. */
  async function typeWithLayouts(
    keymap: Keymap,
    characters: readonly number[],
    original: number | undefined,
    progress: TypingProgress,
  ): Promise<readonly number[]> {
    let current = original ?? 0;
    const { parts, dropped } = planLayoutTyping(keymap, characters, { current, canSwitch: original !== undefined });
    let modifierCodes: readonly number[] = [];
    function setModifiers(codes: readonly number[]): void {
      for (const code of modifierCodes) if (!codes.includes(code)) sendKey(code, false);
      for (const code of codes) if (!modifierCodes.includes(code)) sendKey(code, true);
      modifierCodes = codes;
    }
    function sendPress({ code, modifiers }: KeyPress): void {
      setModifiers(listModifierCodes(keymap, modifiers));
      for (const down of [true, false]) sendKey(code, down);
    }
    try {
      for (const { layout, presses } of parts) {
        if (layout !== current) await layoutSwitch.select(layout);
        current = layout;
        await sendInParts(presses, sendPress, progress);
        setModifiers([]);
        // The layout may change only after these keys.
        await connection.sync();
      }
    } finally {
      setModifiers([]);
      await connection.sync();
    }
    return dropped;
  }
  async function type(text: string, onProgress: () => void): Promise<TypeResult> {
    await releaseHeld();
    const focused = getFocusedWindow();
    if (!focused) throw new Refusal('device.no_focus', NO_FOCUS_MESSAGE);
    await ensureReleasedModifiers();
    const characters = toCodePoints(text);
    const keymap = getKeymap();
    const dropped = await withoutCapsLock(keymap, () =>
      withLayout(keymap, (layout) =>
        input.canTypeKeysyms
          ? typeKeysyms(characters, { focused, onProgress })
          : typeWithLayouts(keymap, characters, layout, { focused, onProgress }),
      ),
    );
    onProgress();
    return { dropped: dropped.map((character) => String.fromCodePoint(character)) };
  }

  async function findCodes(keys: readonly string[]): Promise<readonly number[]> {
    const keymap = getKeymap();
    const layout = keymap.layouts.length > 1 ? ((await layoutSwitch.getCurrent()) ?? 0) : 0;
    const codes = keys.flatMap((key) => {
      const found = findShortcutCodes(keymap, key, layout);
      if (!found) throw createNoSuchKeyRefusal(key);
      return found;
    });
    return [...new Set(codes)];
  }
  async function press(keys: readonly string[]): Promise<void> {
    if (isTerminalSwitch(keys))
      throw new Refusal(
        'device.reserved_shortcut',
        `${keys.join('-')} is reserved by the system of that computer and can't be sent`,
      );
    await releaseHeld();
    const codes = await findCodes(keys);
    await pressKeys(codes);
    try {
      await sleep(SHORTCUT_HOLD_MS);
    } finally {
      await releaseKeys(codes);
    }
  }
  async function holdModifiers(modifiers: readonly string[]): Promise<void> {
    await releaseHeld();
    const names = modifiers.filter(
      (name) => MODIFIER_KEYS.some((other) => other === name) && getKeysymByHotkey(name) !== undefined,
    );
    if (names.length === 0) return;
    const codes = await findCodes(names);
    heldCodes = codes;
    await pressKeys(codes);
  }

  return {
    ability: { able: true },
    type: (text, onProgress = () => undefined) => enqueue(() => type(text, onProgress)),
    press: (keys) => enqueue(() => press(keys)),
    holdModifiers: (modifiers) => enqueue(() => holdModifiers(modifiers)),
    releaseAll: () => enqueue(releaseHeld),
  };
}
