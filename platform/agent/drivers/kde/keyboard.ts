import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionBus } from '@homebridge/dbus-native';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { KeyboardDriver, TypeResult } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { isTerminalSwitch } from '../keysyms.ts';
import { callBus, isRefusedCall } from '../sessionBus.ts';
import {
  CAPS_LOCK_MESSAGE,
  createNoSuchKeyRefusal,
  createReservedShortcutRefusal,
  FOCUS_MOVED_MESSAGE,
  MODIFIER_KEYS,
  NO_FOCUS_MESSAGE,
  SHORTCUT_HOLD_MS,
  toCodePoints,
} from '../typing.ts';
import type { WaylandConnection } from '../wayland/connection.ts';
import { PRESSES_PER_SYNC, type FocusedWindow } from '../wayland/keyboard.ts';
import {
  CAPS_LOCK_KEYSYM,
  findKeyCode,
  findShortcutCodes,
  listModifierCodes,
  MODIFIER_CODES,
} from '../wayland/keyCodes.ts';
import type { Keymap, KeyPress } from '../wayland/keymap.ts';
import type { FakeInput } from './fakeInput.ts';
import type { KeyStates } from './keyStates.ts';
import { planLayoutTyping } from './layoutPlan.ts';

/** Keysym of the Caps Lock key in some keymaps. */
const SHIFT_LOCK_KEYSYM = 0xffe6;
/** A person releases the keys of a shortcut sooner. */
const RELEASE_TIMEOUT_MS = 1000;
const RELEASE_CHECK_INTERVAL_MS = 50;
/**
 * KWin 6.7 sends two keymaps for each keysym, which takes up to 10 ms, and serves no program between them. A GTK
 * program ends if KWin doesn't read what it sends.
 */
const KEYSYMS_PER_SYNC = 8;
const DELIVERY_INTERVAL_MS = 50;
const DELIVERY_MS = 1000;
const UNKNOWN_LAYOUT_MESSAGE = "The desktop of that computer doesn't report which keyboard layout is in use. Try again";
const UNCHANGED_LAYOUT_MESSAGE =
  'The desktop of that computer did not change its keyboard layout. Check the text there, then try again';

const toHeldInputs = (codes: readonly number[]): readonly HeldInput[] => codes.map((code): HeldInput => `k${code}`);

const LAYOUTS = { destination: 'org.kde.keyboard', path: '/Layouts', interface: 'org.kde.KeyboardLayouts' } as const;

/** The user's keyboard layouts. KWin offers them on the bus if there are several. */
export interface LayoutSwitch {
  /**
   * Returns the index of the layout in use; undefined if there is only one.
   * @throws Refusal if KWin doesn't answer.
   */
  readonly getCurrent: () => Promise<number | undefined>;
  /** @throws Refusal if KWin refuses or doesn't answer. */
  readonly select: (index: number) => Promise<void>;
}

export function createLayoutSwitch(bus: SessionBus): LayoutSwitch {
  return {
    getCurrent: async () => {
      const index = await callBus(bus, { ...LAYOUTS, member: 'getLayout' }).catch((cause: unknown) => {
        if (isRefusedCall(cause)) return undefined;
        throw new Refusal('device.unknown_layout', UNKNOWN_LAYOUT_MESSAGE, { cause });
      });
      return typeof index === 'number' ? index : undefined;
    },
    select: async (index) => {
      const call = { ...LAYOUTS, member: 'setLayout', signature: 'u', body: [index] };
      const isSelected = await callBus(bus, call).catch(() => false);
      if (isSelected === false) throw new Refusal('device.layout_unchanged', UNCHANGED_LAYOUT_MESSAGE);
    },
  };
}

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
  /** Resolves when KWin has handled the presses. */
  function pressKeys(codes: readonly number[]): Promise<void> {
    heldInputs.add(toHeldInputs(codes));
    for (const code of codes) sendKey(code, true);
    return connection.sync();
  }
  async function releaseKeys(codes: readonly number[]): Promise<void> {
    for (const code of codes.toReversed()) sendKey(code, false);
    await connection.sync().catch(() => undefined); // the end of the desktop releases everything
    heldInputs.remove(toHeldInputs(codes));
  }
  async function releaseHeld(): Promise<void> {
    const codes = heldCodes;
    heldCodes = [];
    if (codes.length > 0) await releaseKeys(codes);
  }

  async function tapCapsLock(keymap: Keymap): Promise<void> {
    const code = findKeyCode(keymap, CAPS_LOCK_KEYSYM) ?? findKeyCode(keymap, SHIFT_LOCK_KEYSYM);
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
   * Makes sure that no modifier is down, which would change what is typed or pressed. KWin 5 doesn't report those of
   * other keyboards, but lets us release them. KWin 6 reports them.
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
          `Somebody holds ${held.join('-')} on that computer. Release it there, then try again`,
        );
      await sleep(RELEASE_CHECK_INTERVAL_MS);
    }
  }
  /**
   * Sends items in parts, to report the progress and check the focus. After each part nothing is down, as KWin 5
   * doesn't release the keys of an agent that is killed.
   */
  async function sendInParts<T>(
    items: readonly T[],
    size: number,
    sendPart: (part: readonly T[]) => void,
    { focused, onProgress }: TypingProgress,
  ): Promise<void> {
    for (let start = 0; start < items.length; start += size) {
      if (getFocusedWindow()?.id !== focused.id) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
      sendPart(items.slice(start, start + size));
      await connection.sync();
      onProgress();
    }
  }

  let deliveryEnd = 0;
  let isDelivering = false;
  /**
   * Sends KWin something for a second. KWin 6.7 turns a keysym into keys a little later, and a program gets those only
   * when some program sends something.
   */
  async function deliverKeysyms(): Promise<void> {
    deliveryEnd = performance.now() + DELIVERY_MS;
    if (isDelivering) return;
    isDelivering = true;
    try {
      while (performance.now() < deliveryEnd) {
        await sleep(DELIVERY_INTERVAL_MS, undefined, { ref: false });
        await connection.sync();
      }
    } catch {
      // KWin has ended.
    } finally {
      isDelivering = false;
    }
  }
  function sendKeysyms(keysyms: readonly number[]): void {
    for (const keysym of keysyms) for (const down of [1, 0]) input.send('keyboard_keysym', keysym, down);
    void deliverKeysyms();
  }
  const readLayout = async ({ layouts }: Keymap): Promise<number | undefined> =>
    layouts.length > 1 ? layoutSwitch.getCurrent() : undefined;
  /**
   * Runs the task with the index of the layout in use; undefined if others can't be selected. Restores it afterwards:
   * KWin 6.7 selects the first layout when it types a keysym.
   */
  async function withLayout<T>(keymap: Keymap, task: (layout: number | undefined) => Promise<T>): Promise<T> {
    const original = await readLayout(keymap);
    async function restore(): Promise<void> {
      if (original !== undefined && (await layoutSwitch.getCurrent()) !== original) await layoutSwitch.select(original);
    }
    try {
      return await task(original);
    } finally {
      await restore().catch(() => undefined); // the text is typed, and must not be sent again
    }
  }
  function sendPresses(keymap: Keymap, presses: readonly KeyPress[]): void {
    let modifierCodes: readonly number[] = [];
    function setModifiers(codes: readonly number[]): void {
      for (const code of modifierCodes) if (!codes.includes(code)) sendKey(code, false);
      for (const code of codes) if (!modifierCodes.includes(code)) sendKey(code, true);
      modifierCodes = codes;
    }
    for (const { code, modifiers } of presses) {
      setModifiers(listModifierCodes(keymap, modifiers));
      for (const down of [true, false]) sendKey(code, down);
    }
    setModifiers([]);
  }
  /**
   * Types with the keys of the user's layouts, and the rest by keysyms, which some programs ignore. Returns the
   * characters that can't be typed.
   */
  async function typeWithLayouts(
    keymap: Keymap,
    characters: readonly number[],
    original: number | undefined,
    progress: TypingProgress,
  ): Promise<readonly number[]> {
    let current = original ?? 0;
    const { canTypeKeysyms } = input;
    const canSwitch = original !== undefined;
    const { parts, dropped } = planLayoutTyping(keymap, characters, { current, canSwitch, canTypeKeysyms });
    for (const { layout, presses, keysyms } of parts) {
      if (presses.length > 0 && layout !== current) await layoutSwitch.select(layout);
      current = layout;
      await sendInParts(presses, PRESSES_PER_SYNC, (part) => sendPresses(keymap, part), progress);
      await sendInParts(keysyms, KEYSYMS_PER_SYNC, sendKeysyms, progress);
      // KWin selects the first layout for them.
      if (keysyms.length > 0) current = 0;
    }
    return dropped;
  }
  async function type(text: string, onProgress: () => void): Promise<TypeResult> {
    await releaseHeld();
    const focused = getFocusedWindow();
    if (!focused) throw new Refusal('device.no_focus', NO_FOCUS_MESSAGE);
    const characters = toCodePoints(text);
    const keymap = getKeymap();
    const dropped = await withoutCapsLock(keymap, async () => {
      await ensureReleasedModifiers();
      return withLayout(keymap, (layout) => typeWithLayouts(keymap, characters, layout, { focused, onProgress }));
    });
    return { dropped: dropped.map((character) => String.fromCodePoint(character)) };
  }

  async function findCodes(keys: readonly string[]): Promise<readonly number[]> {
    const keymap = getKeymap();
    const layout = (await readLayout(keymap)) ?? 0;
    const codes = keys.flatMap((key) => {
      const found = findShortcutCodes(keymap, key, layout);
      if (!found) throw createNoSuchKeyRefusal(key);
      return found;
    });
    return [...new Set(codes)];
  }
  async function press(keys: readonly string[]): Promise<void> {
    if (isTerminalSwitch(keys)) throw createReservedShortcutRefusal(keys);
    await releaseHeld();
    const codes = await findCodes(keys);
    await ensureReleasedModifiers();
    const handled = pressKeys(codes);
    handled.catch(() => undefined); // thrown below
    // Doesn't wait for KWin: while that is busy, the key would be held until it repeats.
    await sleep(SHORTCUT_HOLD_MS);
    await releaseKeys(codes);
    await handled;
  }
  async function holdModifiers(modifiers: readonly string[]): Promise<void> {
    await releaseHeld();
    const names = modifiers.filter((name) => MODIFIER_KEYS.some((other) => other === name));
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
