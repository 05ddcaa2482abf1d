import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { Ability, KeyboardDriver, TypeResult } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { isTerminalSwitch } from '../keysyms.ts';
import {
  CAPS_LOCK_MESSAGE,
  createReservedShortcutRefusal,
  FOCUS_MOVED_MESSAGE,
  LAYOUT_CHANGED_MESSAGE,
  LOCK_KEYS,
  MODIFIER_KEYS,
  NO_FOCUS_MESSAGE,
  SHORTCUT_HOLD_MS,
  toCodePoints,
} from '../typing.ts';
import type { FocusedWindow } from '../wayland/keyboard.ts';
import { CAPS_LOCK_KEYSYM, listModifierCodes } from '../wayland/keyCodes.ts';
import { isTypable } from '../wayland/keymap.ts';
import {
  findCodes,
  findCodesOfKey,
  findKeysym,
  findPress,
  isTypedByDesktop,
  type ActiveLayout,
} from './activeLayout.ts';
import type { IbusConnection, IbusTextField } from './ibus.ts';
import type { InputSession } from './inputSession.ts';
import { RemoteInputClosedError, type RemoteInput } from './remoteInput.ts';

/** Keys are sent in parts, so that progress can be reported. */
const KEYS_PER_PART = 50;
/** How long a window without a text field is expected to stay so. A window that has just opened gets one late. */
const NO_FIELD_TTL_MS = 30_000;
/** How long a program may take for a key before a text that follows it. */
const KEY_DELAY_MS = 100;
/** Names of terminals. */
const TERMINAL =
  /term|konsole|console|kgx|ptyxis|tilix|foot|kitty|alacritty|ghostty|rxvt|guake|tilda|yakuake|blackbox|^st$/i;
const CAPS_LOCK_TIMEOUT_MS = 500;

const CLOSED_MESSAGE = 'Remote control of that computer ended during typing. Check the text there';
const INPUT_METHOD_ENDED_MESSAGE =
  'The input method of that computer ended during typing. Check the text there, then try again';

/** The window that gets the keys. */
export interface GnomeWindow extends FocusedWindow {
  readonly application: string;
}

export interface GnomeKeyboardOptions {
  readonly session: InputSession;
  readonly heldInputs: HeldInputs;
  readonly readLayout: () => Promise<ActiveLayout>;
  /** Returns the connection to the input method; undefined if the computer has none. */
  readonly openIbus: () => Promise<IbusConnection | undefined>;
  /** Resolves when the desktop has handled its events until now. */
  readonly syncShell: () => Promise<void>;
  /** Returns the focused window; undefined if the desktop doesn't report it, null if none has the focus. */
  readonly getFocused: () => GnomeWindow | null | undefined;
}

const toCharacters = (codePoints: readonly number[]): readonly string[] =>
  codePoints.map((codePoint) => String.fromCodePoint(codePoint));

const toHeldInputs = (codes: readonly number[]): readonly HeldInput[] => codes.map((code): HeldInput => `k${code}`);

const isModifierKey = (name: string): boolean => MODIFIER_KEYS.some((modifier) => modifier === name);

function typeCharacter(input: RemoteInput, layout: ActiveLayout, character: number): void {
  const press = findPress(layout, character);
  if (!press) return;
  const keysym = findKeysym(layout, character);
  if (isTypedByDesktop(layout, keysym)) {
    for (const down of [true, false]) input.sendKeysym(keysym, down);
    return;
  }
  const codes = [...listModifierCodes(layout.keymap, press.modifiers), press.code];
  for (const code of codes) input.sendKeycode(code, true);
  for (const code of codes.toReversed()) input.sendKeycode(code, false);
}

/** Presses the Caps Lock key, if there is one. Returns whether Caps Lock then has the given state. */
async function toggleCapsLock(input: RemoteInput, isOn: boolean): Promise<boolean> {
  for (const down of [true, false]) input.sendKeysym(CAPS_LOCK_KEYSYM, down);
  await input.flush();
  for (const deadline = performance.now() + CAPS_LOCK_TIMEOUT_MS; performance.now() < deadline; await sleep(10))
    if ((await input.isCapsLocked()) === isOn) return true;
  return false;
}

async function typeWithoutCapsLock(input: RemoteInput, task: () => Promise<void>): Promise<void> {
  if (!(await toggleCapsLock(input, false))) throw new Refusal('device.caps_lock', CAPS_LOCK_MESSAGE);
  try {
    await task();
  } finally {
    await toggleCapsLock(input, true);
  }
}

/**
 * Divides a text into texts and keys. Programs may handle a key after the text that follows it, so newlines and tabs
 * within a text are inserted with it. Terminals keep the order, and need keys.
 */
export function splitForField(text: string, isTerminal: boolean): readonly string[] {
  if (isTerminal) return text.split(/([\n\t\b])/).filter((piece) => piece !== '');
  const [, body = '', end = ''] = /^([^]*?)([\n\t\b]*)$/.exec(text) ?? [];
  return [...body.split(/([\b])/).filter((piece) => piece !== ''), ...end.split('')];
}

/** Returns whether a key of its own types the character: backspace, tab or newline. */
const isControlCharacter = (character: number | undefined): boolean =>
  character !== undefined && character >= 0x08 && character <= 0x0a;

/** An input method that fails is the same as none; one that hangs is not. */
function ignoreFailure(error: unknown): undefined {
  if (error instanceof Refusal) throw error;
}

/** The window that had the focus at the start, if the desktop reports it, and the listener for progress. */
interface TypingProgress {
  readonly focused: GnomeWindow | undefined;
  readonly onProgress: () => void;
}

interface FieldText {
  readonly characters: readonly number[];
  readonly isTerminal: boolean;
}

/** @throws Refusal if another input method is in use, so that inserted text may be lost. */
async function assertNotReplaced(field: IbusTextField): Promise<void> {
  if (await field.isReplaced()) throw new Refusal('device.keyboard_changed', LAYOUT_CHANGED_MESSAGE);
}

async function typeIntoField(
  field: IbusTextField,
  layout: ActiveLayout,
  { characters, isTerminal }: FieldText,
  onProgress: () => void,
): Promise<void> {
  let isAfterKey = false;
  for (const piece of splitForField(toCharacters(characters).join(''), isTerminal)) {
    if (!field.isFocused()) {
      await assertNotReplaced(field);
      throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
    }
    const character = piece.codePointAt(0) ?? 0;
    const press = isControlCharacter(character) && piece.length === 1 ? findPress(layout, character) : undefined;
    if (press) await field.sendKey(findKeysym(layout, character), press.code);
    else {
      if (isAfterKey && !isTerminal) await sleep(KEY_DELAY_MS);
      field.insert(piece);
    }
    isAfterKey = press !== undefined;
    onProgress();
  }
}

function sendReleases(input: RemoteInput, codes: readonly number[]): void {
  for (const code of codes.toReversed()) input.sendKeycode(code, false);
}

/** Creates the keyboard of a GNOME desktop. */
export function createGnomeKeyboard(options: GnomeKeyboardOptions): KeyboardDriver {
  const { session, heldInputs, readLayout, openIbus, syncShell, getFocused } = options;
  const enqueue = createSerialQueue();
  /** Codes of keys that are held for the mouse. */
  let heldCodes: readonly number[] = [];
  let lastKeyTime = -KEY_DELAY_MS;
  /** The window in which no text field was found. */
  let withoutField: { readonly id: number | undefined; readonly time: number } | undefined;
  const hasKnownNoField = (focused: GnomeWindow | undefined): boolean =>
    withoutField !== undefined &&
    withoutField.id === focused?.id &&
    performance.now() - withoutField.time < NO_FIELD_TTL_MS;

  function pressCodes(input: RemoteInput, codes: readonly number[]): void {
    heldInputs.add(toHeldInputs(codes));
    for (const code of codes) input.sendKeycode(code, true);
  }
  async function finishReleases(input: RemoteInput, codes: readonly number[]): Promise<void> {
    // The end of remote input releases everything.
    await input.flush().catch(() => undefined);
    heldInputs.remove(toHeldInputs(codes));
  }
  async function releaseHeld(): Promise<void> {
    const codes = heldCodes;
    heldCodes = [];
    const input = session.getOpen();
    if (codes.length === 0 || !input) return;
    sendReleases(input, codes);
    await finishReleases(input, codes);
  }

  /** Waits until keys have come from the desktop through the input method back to the desktop. */
  async function waitForKeys(ibus: IbusConnection | undefined): Promise<void> {
    if (!ibus) return;
    await syncShell();
    await ibus.sync();
    // The first answer comes before the desktop has passed the keys on, the second one afterwards.
    await syncShell();
    await syncShell();
  }
  async function typeByKeys(
    input: RemoteInput,
    layout: ActiveLayout,
    characters: readonly number[],
    { focused, onProgress }: TypingProgress,
  ): Promise<void> {
    for (let start = 0; start < characters.length; start += KEYS_PER_PART) {
      if (getFocused()?.id !== focused?.id) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
      for (const character of characters.slice(start, start + KEYS_PER_PART)) typeCharacter(input, layout, character);
      await input.flush();
      onProgress();
    }
  }
  async function typeAfterKeys(
    field: IbusTextField,
    layout: ActiveLayout,
    text: FieldText,
    onProgress: () => void,
  ): Promise<void> {
    if (!text.isTerminal) await sleep(Math.max(0, lastKeyTime + KEY_DELAY_MS - performance.now()));
    await typeIntoField(field, layout, text, onProgress);
    if (isControlCharacter(text.characters.at(-1))) lastKeyTime = performance.now();
  }
  /** Inserts the text into the focused text field. Returns false if there is none. */
  async function typeWithInputMethod(
    ibus: IbusConnection,
    layout: ActiveLayout,
    characters: readonly number[],
    { focused, onProgress }: TypingProgress,
  ): Promise<boolean> {
    const isInLayout = characters.every((character) => findPress(layout, character));
    const isPatient = !isInLayout || !hasKnownNoField(focused);
    await using field = await ibus.openTextField({ isPatient, isX11: focused?.isX11 }).catch(ignoreFailure);
    withoutField = field ? undefined : { id: focused?.id, time: performance.now() };
    if (!field) return false;
    const isTerminal = focused !== undefined && TERMINAL.test(focused.application);
    try {
      await typeAfterKeys(field, layout, { characters, isTerminal }, onProgress);
      await waitForKeys(ibus);
      if (!ibus.isOpen()) throw new Error('IBus has ended');
      await assertNotReplaced(field);
    } catch (cause) {
      throw ibus.isOpen() ? cause : new Refusal('device.input_method_ended', INPUT_METHOD_ENDED_MESSAGE, { cause });
    }
    return true;
  }
  async function type(text: string, onProgress: () => void): Promise<TypeResult> {
    const input = await session.open();
    await releaseHeld();
    const focused = getFocused();
    if (focused === null) throw new Refusal('device.no_focus', NO_FOCUS_MESSAGE);
    const progress = { focused, onProgress };
    const layout = await readLayout();
    const all = toCodePoints(text);
    const typable = all.filter(isTypable);
    const ibus = await openIbus();
    // Never by keys, if there is a text field: GNOME sends it Shift immediately, but keys only after the input method,
    // so 'A' can become 'a', and inserted text can overtake keys.
    if (ibus && (await typeWithInputMethod(ibus, layout, typable, progress)))
      return { dropped: toCharacters(all.filter((character) => !isTypable(character))) };
    // Somebody may have switched the layout meanwhile. Keys that it lacks would be dropped silently.
    await syncShell();
    const keyLayout = await readLayout();
    const isInLayout = (character: number): boolean => findPress(keyLayout, character) !== undefined;
    const typeAll = () => typeByKeys(input, keyLayout, typable.filter(isInLayout), progress);
    const isCapsLocked = (await input.isCapsLocked()) === true;
    await (isCapsLocked ? typeWithoutCapsLock(input, typeAll) : typeAll());
    return { dropped: toCharacters(all.filter((character) => !isInLayout(character))) };
  }
  async function press(keys: readonly string[]): Promise<void> {
    if (isTerminalSwitch(keys) || keys.some((key) => LOCK_KEYS.has(key))) throw createReservedShortcutRefusal(keys);
    const input = await session.open();
    await releaseHeld();
    const layout = await readLayout();
    const codes = findCodes(layout, keys);
    // The last code of a key is its own, the others are the modifiers that it needs.
    const repeatingCodes = new Set(
      keys.flatMap((key) => (isModifierKey(key) ? [] : findCodesOfKey(layout, key).slice(-1))),
    );
    // Many shortcuts don't go through the input method, so they are sent even if it hangs.
    const ibus = await openIbus().catch(() => undefined);
    await using field = await ibus
      ?.openTextField({ isPatient: false, isX11: getFocused()?.isX11 })
      .catch(() => undefined);
    const pressed = field?.expectKeyPress();
    pressCodes(input, codes);
    try {
      // Doesn't wait for the desktop: while that is busy, the key would be held until it repeats. Modifiers don't.
      await sleep(SHORTCUT_HOLD_MS);
      sendReleases(input, [...repeatingCodes]);
      await input.flush();
      // The modifiers must still be down when the program gets the key, which comes through the input method.
      await pressed;
      if (field) await waitForKeys(ibus);
    } finally {
      sendReleases(
        input,
        codes.filter((code) => !repeatingCodes.has(code)),
      );
      await finishReleases(input, codes);
      if (field) await waitForKeys(ibus);
      lastKeyTime = performance.now();
    }
  }
  async function holdModifiers(modifiers: readonly string[]): Promise<void> {
    await releaseHeld();
    const names = modifiers.filter(isModifierKey);
    if (names.length === 0) return;
    const input = await session.open();
    const codes = findCodes(await readLayout(), names);
    heldCodes = codes;
    pressCodes(input, codes);
    await input.flush();
  }
  /** Says what happened if the person at the computer ends remote input meanwhile. */
  const run = <T>(task: () => Promise<T>): Promise<T> =>
    enqueue(async () => {
      try {
        return await task();
      } catch (cause) {
        if (cause instanceof RemoteInputClosedError) throw new Refusal('device.input_ended', CLOSED_MESSAGE, { cause });
        throw cause;
      }
    });

  return {
    get ability(): Ability {
      return session.ability;
    },
    type: (text, onProgress = () => undefined) => run(() => type(text, onProgress)),
    press: (keys) => run(() => press(keys)),
    holdModifiers: (modifiers) => run(() => holdModifiers(modifiers)),
    releaseAll: () => run(releaseHeld),
  };
}
