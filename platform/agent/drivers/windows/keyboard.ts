import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { KeyboardDriver, TypeResult } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { createNoSuchKeyRefusal, FOCUS_MOVED_MESSAGE, NO_FOCUS_MESSAGE } from '../typing.ts';
import { planTyping, type KeyInput } from './inputs.ts';
import type { KeyInjector } from './keyInjector.ts';
import { getVirtualKey, isReservedShortcut, type VirtualKey } from './virtualKeys.ts';

/** How long a fast typist holds a key. Programs that poll the keyboard (games) miss shorter presses. */
const KEY_HOLD_MS = 20;
/**
 * Ctrl, Alt, the Windows key and AltGr. A shortcut with one of them may bring a window with higher privileges to the
 * front, and Windows would drop its release without an error. So it is pressed and released in one call.
 */
const COMMAND_CODES: ReadonlySet<number> = new Set([0x11, 0x12, 0x5b, 0xa5]);
/** Text is sent in parts, so that a change of the focus is noticed and progress is reported. */
const CHARACTERS_PER_PART = 250;
/** Windows drops input when 10,000 messages wait for a program. After this many characters, typing slows down. */
const BURST_CHARACTERS = 2000;
const PART_DELAY_MS = 250;

/** Modifiers of both sides that somebody can hold. */
const MODIFIER_CODES = [0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0x5b, 0x5c] as const;
const ALT_AND_GUI_CODES: ReadonlySet<number> = new Set([0xa4, 0xa5, 0x5b, 0x5c]);
/** The right-hand Ctrl and Alt, and both Windows keys, are outside the main block. */
const EXTENDED_MODIFIER_CODES: ReadonlySet<number> = new Set([0xa3, 0xa5, 0x5b, 0x5c]);
/** No key has this code. Pressed before Alt or the Windows key is released, it keeps their menus closed. */
const MASKING_KEY: VirtualKey = { code: 0xe8, isExtended: false };

const HIGHER_PRIVILEGES_MESSAGE =
  'The focused window on that computer runs as administrator, and Windows lets the agent type only into windows with its own rights. Click into another window, or start the agent as administrator';

/** The window that gets the keys. */
export interface FocusedWindow {
  readonly id: number;
  /** Whether Windows protects it from our input. */
  readonly isProtected: boolean;
}

export interface WindowsKeyboardOptions {
  readonly injector: KeyInjector;
  readonly heldInputs: HeldInputs;
  /** Returns undefined if no window has the focus. */
  readonly getFocusedWindow: () => FocusedWindow | undefined;
}

const toHeldInputs = (keys: readonly VirtualKey[]): readonly HeldInput[] =>
  keys.map(({ code }): HeldInput => `k${code}`);

/** @throws Refusal if Windows would drop the keys for this window without a word. */
function requireUnprotected(focused: FocusedWindow | undefined): void {
  if (focused?.isProtected) throw new Refusal('device.higher_privileges', HIGHER_PRIVILEGES_MESSAGE);
}

/** Creates the keyboard of Windows. */
export function createWindowsKeyboard(options: WindowsKeyboardOptions): KeyboardDriver {
  const { injector, heldInputs, getFocusedWindow } = options;
  const enqueue = createSerialQueue();
  /** Keys that are held for the mouse. */
  let heldKeys: readonly VirtualKey[] = [];

  const listPresses = (keys: readonly VirtualKey[]): readonly KeyInput[] =>
    keys.map((key) => injector.toKeyInput(key, true));
  const listReleases = (keys: readonly VirtualKey[]): readonly KeyInput[] =>
    keys.toReversed().map((key) => injector.toKeyInput(key, false));
  function pressKeys(keys: readonly VirtualKey[], before: readonly KeyInput[] = []): void {
    heldInputs.add(toHeldInputs(keys));
    injector.send([...before, ...listPresses(keys)]);
  }
  /** Releases keys. If Windows does not accept that, they stay in the list, and are released later. */
  function releaseKeys(keys: readonly VirtualKey[]): void {
    injector.send(listReleases(keys));
    heldInputs.remove(toHeldInputs(keys));
  }
  function releaseHeld(): void {
    const keys = heldKeys;
    heldKeys = [];
    if (keys.length > 0) releaseKeys(keys);
  }
  /** The events that release the modifiers that somebody holds: they would turn the text into shortcuts. */
  function listModifierReleases(): readonly KeyInput[] {
    const codes = MODIFIER_CODES.filter((code) => injector.isDown(code));
    const inputs: KeyInput[] = codes.map((code) =>
      injector.toKeyInput({ code, isExtended: EXTENDED_MODIFIER_CODES.has(code) }, false),
    );
    if (codes.some((code) => ALT_AND_GUI_CODES.has(code)))
      inputs.unshift(injector.toKeyInput(MASKING_KEY, true), injector.toKeyInput(MASKING_KEY, false));
    return inputs;
  }

  async function type(text: string, onProgress: () => void): Promise<TypeResult> {
    releaseHeld();
    const focused = getFocusedWindow();
    if (!focused) {
      // A locked computer has no focus either. It refuses every event, with a reason that helps more.
      injector.send([injector.toKeyInput(MASKING_KEY, false)]);
      throw new Refusal('device.no_focus', NO_FOCUS_MESSAGE);
    }
    requireUnprotected(focused);
    const { characters, dropped } = planTyping(text, injector.getScanCode);
    for (let start = 0; start < characters.length; start += CHARACTERS_PER_PART) {
      if (start >= BURST_CHARACTERS) await sleep(PART_DELAY_MS);
      if (start > 0 && getFocusedWindow()?.id !== focused.id)
        throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
      injector.send([...listModifierReleases(), ...characters.slice(start, start + CHARACTERS_PER_PART).flat()]);
      onProgress();
    }
    return { dropped };
  }

  /**
   * Returns the keys of a shortcut in the layout of the focused program.
   * @throws Refusal if one does not exist.
   */
  function findKeys(keys: readonly string[]): readonly VirtualKey[] {
    const found = keys.flatMap((key): readonly VirtualKey[] => {
      const fixed = getVirtualKey(key);
      // In a shortcut, a digit is its key. Alone it is the character, which needs Shift in some layouts.
      const isDigitAlone = keys.length === 1 && /^\d$/.test(key);
      if (fixed && !isDigitAlone) return [fixed];
      const layoutKey = injector.findLayoutKey(key === 'Minus' ? '-' : key) ?? (fixed && { ...fixed, modifiers: [] });
      if (!layoutKey) throw createNoSuchKeyRefusal(key);
      const modifiers = layoutKey.modifiers.flatMap((name) => getVirtualKey(name) ?? []);
      return [...modifiers, { code: layoutKey.code, isExtended: false }];
    });
    return found.filter(({ code }, index) => found.findIndex((other) => other.code === code) === index);
  }
  async function press(keys: readonly string[]): Promise<void> {
    if (isReservedShortcut(keys))
      throw new Refusal(
        'device.reserved_shortcut',
        `${keys.join('-')} is reserved by the system of that computer and can't be sent`,
      );
    releaseHeld();
    requireUnprotected(getFocusedWindow());
    const found = findKeys(keys);
    if (found.some(({ code }) => COMMAND_CODES.has(code))) {
      injector.send([...listModifierReleases(), ...listPresses(found), ...listReleases(found)]);
      return;
    }
    pressKeys(found, listModifierReleases());
    await sleep(KEY_HOLD_MS);
    releaseKeys(found);
  }
  /** Releases what is held; while the computer is locked, that is left for later. */
  function tryReleaseHeld(): void {
    try {
      releaseHeld();
    } catch {
      // The keys are still in the list of held inputs.
    }
  }
  function holdModifiers(modifiers: readonly string[]): void {
    releaseHeld();
    const keys = modifiers.flatMap((name) => getVirtualKey(name) ?? []);
    if (keys.length === 0) return;
    heldKeys = keys;
    pressKeys(keys);
  }

  return {
    ability: { able: true },
    type: (text, onProgress = () => undefined) => enqueue(() => type(text, onProgress)),
    press: (keys) => enqueue(() => press(keys)),
    holdModifiers: (modifiers) => enqueue(async () => holdModifiers(modifiers)),
    releaseAll: () => enqueue(async () => tryReleaseHeld()),
  };
}
