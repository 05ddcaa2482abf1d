import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#platform/contract/refusal.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { Ability, KeyboardDriver, TypeResult } from '../drivers.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { getKeysymByCharacter, getKeysymByKey, isTerminalSwitch } from '../keysyms.ts';
import type { IbusConnection, IbusTextField } from './ibus.ts';
import type { InputSession } from './inputSession.ts';
import { RemoteInputClosedError, type RemoteInput } from './remoteInput.ts';
import type { Layout } from './userLayout.ts';

/** How long a fast typist holds a shortcut. Programs that poll the keyboard (games, menus) miss shorter ones. */
const SHORTCUT_HOLD_MS = 20;
/** Keys are sent in parts, so that progress can be reported. */
const KEYS_PER_PART = 50;
/** How long a window without a text field is expected to stay so. A window that has just opened gets one late. */
const NO_FIELD_TTL_MS = 30_000;
/** How long a program may take for a key before a text that follows it. */
const KEY_DELAY_MS = 100;
/** Names of terminals. */
const TERMINAL =
  /term|konsole|console|kgx|ptyxis|tilix|foot|kitty|alacritty|ghostty|rxvt|guake|tilda|yakuake|blackbox|^st$/i;
const LOCK_KEYS: ReadonlySet<string> = new Set(['CapsLock', 'NumLock', 'ScrollLock']);
const MODIFIER_KEYS: ReadonlySet<string> = new Set(['Ctrl', 'Gui', 'Alt', 'Shift', 'AltGr']);
const CAPS_LOCK_TIMEOUT_MS = 500;
const CAPS_LOCK_CODE = 58;
/** Keys with two modifiers are not pressed by their keysym: the desktop presses only one modifier itself. */
const MAX_KEYSYM_MODIFIERS = 1;

const FOCUS_MOVED_MESSAGE = 'Another window took the focus on that computer during typing. Check the text there';
const NO_FOCUS_MESSAGE = 'No window on that computer has the keyboard focus. Click into one, then send it again';
const CLOSED_MESSAGE = 'Remote control of that computer ended during typing. Check the text there';
const CAPS_LOCK_MESSAGE = "Caps Lock is on at that computer, and the agent can't switch it off. Press it there";

/** The window that gets the keys. */
export interface FocusedWindow {
  readonly id: number;
  readonly application: string;
  readonly isX11: boolean;
}

export interface GnomeKeyboardOptions {
  readonly session: InputSession;
  readonly heldInputs: HeldInputs;
  readonly readLayout: () => Promise<Layout>;
  /** Returns the connection to the input method; undefined if the computer has none. */
  readonly openIbus: () => Promise<IbusConnection | undefined>;
  /** Resolves when the desktop has handled its events until now. */
  readonly syncShell: () => Promise<void>;
  /** Returns the focused window; undefined if the desktop doesn't report it, null if none has the focus. */
  readonly getFocused: () => FocusedWindow | null | undefined;
}

/** Converts to code points; the line breaks of all systems become one press of Return. */
const toCodePoints = (text: string): readonly number[] =>
  Array.from(text.replaceAll(/\r\n?/g, '\n'), (character) => character.codePointAt(0) ?? 0);

const toCharacters = (codePoints: readonly number[]): readonly string[] =>
  codePoints.map((codePoint) => String.fromCodePoint(codePoint));

const toHeldInputs = (codes: readonly number[]): readonly HeldInput[] => codes.map((code): HeldInput => `k${code}`);

/** @throws Refusal if the keyboard lacks one of the keys. */
function findCodes(layout: Layout, keys: readonly string[]): readonly number[] {
  return keys.flatMap((key) => {
    const codes = layout.findShortcutCodes(key);
    if (codes) return codes;
    throw new Refusal(
      'device.no_such_key',
      `The keyboard of that computer has no key '${key.slice(0, 20)}'. Choose another one`,
    );
  });
}

function typeCharacter(input: RemoteInput, layout: Layout, character: number): void {
  const key = layout.keyByCharacter.get(character);
  if (!key) return;
  if (key.modifiers.length <= MAX_KEYSYM_MODIFIERS) {
    for (const down of [true, false]) input.sendKeysym(key.keysym, down);
    return;
  }
  const codes = [...key.modifiers, key.code];
  for (const code of codes) input.sendKeycode(code, true);
  for (const code of codes.toReversed()) input.sendKeycode(code, false);
}

/** Presses Caps Lock, and waits for its effect. */
async function toggleCapsLock(input: RemoteInput, isOn: boolean): Promise<void> {
  for (const down of [true, false]) input.sendKeycode(CAPS_LOCK_CODE, down);
  await input.flush();
  for (const deadline = performance.now() + CAPS_LOCK_TIMEOUT_MS; performance.now() < deadline; await sleep(10))
    if ((await input.isCapsLocked()) === isOn) return;
  throw new Refusal('device.caps_lock', CAPS_LOCK_MESSAGE);
}

async function typeWithoutCapsLock(input: RemoteInput, task: () => Promise<void>): Promise<void> {
  await toggleCapsLock(input, false);
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

interface FieldText {
  readonly characters: readonly number[];
  readonly isTerminal: boolean;
}

async function typeIntoField(
  field: IbusTextField,
  layout: Layout,
  { characters, isTerminal }: FieldText,
  onProgress: () => void,
): Promise<void> {
  let isAfterKey = false;
  for (const piece of splitForField(String.fromCodePoint(...characters), isTerminal)) {
    if (!field.isFocused()) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
    const key = /^[\n\t\b]$/.test(piece) ? layout.keyByCharacter.get(piece.codePointAt(0) ?? 0) : undefined;
    if (key) await field.sendKey(key.keysym, key.code);
    else {
      if (isAfterKey && !isTerminal) await sleep(KEY_DELAY_MS);
      field.insert(piece);
    }
    isAfterKey = key !== undefined;
    onProgress();
  }
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
  const hasKnownNoField = (focused: FocusedWindow | undefined): boolean =>
    withoutField !== undefined &&
    withoutField.id === focused?.id &&
    performance.now() - withoutField.time < NO_FIELD_TTL_MS;

  function pressCodes(input: RemoteInput, codes: readonly number[]): void {
    heldInputs.add(toHeldInputs(codes));
    for (const code of codes) input.sendKeycode(code, true);
  }
  async function releaseCodes(input: RemoteInput, codes: readonly number[]): Promise<void> {
    for (const code of codes.toReversed()) input.sendKeycode(code, false);
    // The end of remote input releases everything.
    await input.flush().catch(() => undefined);
    heldInputs.remove(toHeldInputs(codes));
  }
  async function releaseHeld(): Promise<void> {
    const codes = heldCodes;
    heldCodes = [];
    const input = session.getOpen();
    if (codes.length > 0 && input) await releaseCodes(input, codes);
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
  function checkFocus(focusedId: number | undefined): void {
    if (getFocused()?.id !== focusedId) throw new Refusal('device.focus_moved', FOCUS_MOVED_MESSAGE);
  }
  async function typeByKeys(
    input: RemoteInput,
    layout: Layout,
    characters: readonly number[],
    onProgress: () => void,
  ): Promise<void> {
    const focusedId = getFocused()?.id;
    for (let start = 0; start < characters.length; start += KEYS_PER_PART) {
      checkFocus(focusedId);
      for (const character of characters.slice(start, start + KEYS_PER_PART)) typeCharacter(input, layout, character);
      await input.flush();
      onProgress();
    }
  }
  /** Inserts the text into the focused text field. Returns false if there is none. */
  async function typeWithInputMethod(
    ibus: IbusConnection,
    layout: Layout,
    characters: readonly number[],
    onProgress: () => void,
  ): Promise<boolean> {
    const focused = getFocused() ?? undefined;
    const isInLayout = characters.every((character) => layout.keyByCharacter.has(character));
    const isPatient = !isInLayout || !hasKnownNoField(focused);
    // An input method that fails is the same as none.
    await using field = await ibus.openTextField({ isPatient, isX11: focused?.isX11 }).catch(() => undefined);
    withoutField = field ? undefined : { id: focused?.id, time: performance.now() };
    if (!field) return false;
    const isTerminal = focused !== undefined && TERMINAL.test(focused.application);
    if (!isTerminal) await sleep(Math.max(0, lastKeyTime + KEY_DELAY_MS - performance.now()));
    await typeIntoField(field, layout, { characters, isTerminal }, onProgress);
    if (isControlCharacter(characters.at(-1))) lastKeyTime = performance.now();
    await waitForKeys(ibus);
    return true;
  }
  async function type(text: string, onProgress: () => void): Promise<TypeResult> {
    const input = await session.open();
    await releaseHeld();
    if (getFocused() === null) throw new Refusal('device.no_focus', NO_FOCUS_MESSAGE);
    const layout = await readLayout();
    const all = toCodePoints(text);
    const typable = all.filter((character) => getKeysymByCharacter(character) !== undefined);
    const ibus = await openIbus();
    // Never by keys, if there is a text field: GNOME sends it Shift immediately, but keys only after the input method,
    // so 'A' can become 'a', and inserted text can overtake keys.
    if (ibus && (await typeWithInputMethod(ibus, layout, typable, onProgress)))
      return { dropped: toCharacters(all.filter((character) => getKeysymByCharacter(character) === undefined)) };
    const isInLayout = (character: number): boolean => layout.keyByCharacter.has(character);
    const typeAll = () => typeByKeys(input, layout, typable.filter(isInLayout), onProgress);
    const isCapsLocked = (await input.isCapsLocked()) === true;
    await (isCapsLocked ? typeWithoutCapsLock(input, typeAll) : typeAll());
    return { dropped: toCharacters(all.filter((character) => !isInLayout(character))) };
  }
  async function press(keys: readonly string[]): Promise<void> {
    if (isTerminalSwitch(keys) || keys.some((key) => LOCK_KEYS.has(key)))
      throw new Refusal(
        'device.reserved_shortcut',
        `${keys.join('-')} is reserved by the system of that computer and can't be sent`,
      );
    const input = await session.open();
    await releaseHeld();
    const codes = findCodes(await readLayout(), keys);
    const ibus = await openIbus();
    await using field = await ibus
      ?.openTextField({ isPatient: false, isX11: getFocused()?.isX11 })
      .catch(() => undefined);
    const pressed = field?.expectKeyPress();
    pressCodes(input, codes);
    try {
      await input.flush();
      await sleep(SHORTCUT_HOLD_MS);
      // The modifiers must still be down when the program gets the key, which comes through the input method.
      await pressed;
      if (field) await waitForKeys(ibus);
    } finally {
      await releaseCodes(input, codes);
      if (field) await waitForKeys(ibus);
      lastKeyTime = performance.now();
    }
  }
  async function holdModifiers(modifiers: readonly string[]): Promise<void> {
    await releaseHeld();
    const names = modifiers.filter((name) => MODIFIER_KEYS.has(name) && getKeysymByKey(name) !== undefined);
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
