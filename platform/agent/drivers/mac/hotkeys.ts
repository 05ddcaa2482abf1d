import type { SessionHotkeys } from '../desktopSession.ts';
import type { HotkeyListener, KeyChord } from '../drivers.ts';
import { formatChord } from '../keyChord.ts';
import type { MacFrameworks } from './frameworks.ts';
import { findKey, type ShortcutLayout } from './keyboardLayout.ts';
import { getModifier } from './keyCodes.ts';

/** Converts four characters to the number that Apple's headers write like this. */
export function toFourCharCode(characters: string): number {
  return Buffer.from(characters, 'latin1').readUInt32BE();
}

const SIGNATURE = toFourCharCode('pegb');
const KEYBOARD_CLASS = toFourCharCode('keyb');
const HOTKEY_PRESSED = 5;
const HOTKEY_RELEASED = 6;
const DIRECT_OBJECT = toFourCharCode('----');
const HOTKEY_ID_TYPE = toFourCharCode('hkid');
const HOTKEY_ID_BYTES = 8;
const NOT_HANDLED = -9874;
const NO_HOTKEYS_MESSAGE = "macOS doesn't report keys to the agent. Start the agent again";

/** How often events are fetched, which is the longest delay of a press. Waking up costs more than fetching. */
const PUMP_INTERVAL_MS = 60;
const MAX_EVENTS_PER_PUMP = 50;
/** macOS may still be delivering what the agent has typed. */
const RESUME_DELAY_MS = 50;

/** Packs an EventHotKeyID, which is passed by value. */
export function packHotkeyId(index: number): bigint {
  return BigInt(SIGNATURE) | (BigInt(index) << 32n);
}

/** Encodes EventTypeSpecs. */
function encodeEventTypes(kinds: readonly number[]): Buffer {
  const types = Buffer.alloc(8 * kinds.length);
  for (const [index, kind] of kinds.entries()) {
    types.writeUInt32LE(KEYBOARD_CLASS, 8 * index);
    types.writeUInt32LE(kind, 8 * index + 4);
  }
  return types;
}

export interface MacHotkeysOptions {
  readonly frameworks: MacFrameworks;
  readonly readLayout: () => ShortcutLayout;
}

/** Registers hotkeys with the system. They need no permission. Their events are fetched only while there are any. */
export function openMacHotkeys({ frameworks, readLayout }: MacHotkeysOptions): SessionHotkeys & Disposable {
  const { carbon, foundation, defaultRunLoopMode } = frameworks;
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  let registered: readonly bigint[] = [];
  const pressed = new Set<number>();
  let suspendCount = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function handleEvent(event: bigint): number {
    const id = Buffer.alloc(HOTKEY_ID_BYTES);
    const status = carbon.GetEventParameter(event, DIRECT_OBJECT, HOTKEY_ID_TYPE, 0n, BigInt(id.length), 0n, id);
    if (status !== 0 || id.readUInt32LE(0) !== SIGNATURE) return NOT_HANDLED;
    const index = id.readUInt32LE(4);
    if (carbon.GetEventKind(event) === HOTKEY_RELEASED) pressed.delete(index);
    else {
      const isRepeated = pressed.has(index);
      pressed.add(index);
      const pressListener = listener;
      // A promise that is settled inside of a native callback would wait for another event.
      setImmediate(() => pressListener?.onPress(index, isRepeated));
    }
    return 0;
  }
  let removeHandler: (() => void) | undefined;
  /** Returns false if macOS refuses to call us. */
  function installHandler(): boolean {
    if (removeHandler) return true;
    const types = encodeEventTypes([HOTKEY_PRESSED, HOTKEY_RELEASED]);
    const handler = frameworks.createEventHandler(handleEvent);
    const reference = Buffer.alloc(8);
    const target = carbon.GetApplicationEventTarget();
    if (carbon.InstallEventHandler(target, handler.pointer, 2n, types, 0n, reference) !== 0) {
      handler.remove();
      return false;
    }
    removeHandler = () => {
      carbon.RemoveEventHandler(reference.readBigUInt64LE());
      handler.remove();
    };
    return true;
  }
  const nextEvent = Buffer.alloc(8);
  /** Fetches what has happened. All callbacks run inside of it, on this thread. */
  function pump(): void {
    foundation.CFRunLoopRunInMode(defaultRunLoopMode, 0, 1);
    for (let count = 0; count < MAX_EVENTS_PER_PUMP; count++) {
      if (carbon.ReceiveNextEvent(0n, 0n, 0, 1, nextEvent) !== 0) return;
      const event = nextEvent.readBigUInt64LE();
      carbon.SendEventToEventTarget(event, carbon.GetEventDispatcherTarget());
      carbon.ReleaseEvent(event);
    }
  }

  function unregisterAll(): void {
    for (const reference of registered) carbon.UnregisterEventHotKey(reference);
    registered = [];
    pressed.clear();
    clearInterval(timer);
    timer = undefined;
  }
  /** Registers a chord. Returns a sentence if that is impossible. */
  function register(
    index: number,
    chord: KeyChord,
    getLayout: () => ShortcutLayout,
    references: bigint[],
  ): string | undefined {
    const modifiers = chord.modifiers.map(getModifier);
    const key = findKey(chord.key, chord.modifiers, getLayout);
    if (!key || modifiers.includes(undefined))
      return `The keyboard of that computer has no key '${chord.key.slice(0, 20)}'. Choose another one`;
    const carbonModifiers = modifiers.reduce((bits, modifier) => bits | (modifier?.carbon ?? 0), key.carbonModifiers);
    const reference = Buffer.alloc(8);
    const status = carbon.RegisterEventHotKey(
      key.code,
      carbonModifiers,
      packHotkeyId(index),
      carbon.GetApplicationEventTarget(),
      0,
      reference,
    );
    if (status !== 0) return `Another program on that computer already uses ${formatChord(chord)}. Choose other keys`;
    references.push(reference.readBigUInt64LE());
    return undefined;
  }
  function registerAll(): void {
    const refused = new Map<number, string>();
    const references: bigint[] = [];
    let layout: ShortcutLayout | undefined;
    const canListen = chords.length > 0 && installHandler();
    for (const [index, chord] of chords.entries()) {
      const reason = canListen
        ? register(index, chord, () => (layout ??= readLayout()), references)
        : NO_HOTKEYS_MESSAGE;
      if (reason !== undefined) refused.set(index, reason);
    }
    registered = references;
    if (registered.length > 0) timer = setInterval(pump, PUMP_INTERVAL_MS);
    listener?.onStatus(refused);
  }

  return {
    listen: (newChords, newListener) => {
      // What has not been fetched yet was pressed for the old hotkeys.
      if (registered.length > 0) pump();
      unregisterAll();
      chords = newChords;
      listener = newListener;
      if (suspendCount === 0) registerAll();
    },
    runWithout: async (task) => {
      if (chords.length === 0) return task();
      suspendCount += 1;
      unregisterAll();
      try {
        return await task();
      } finally {
        setTimeout(() => {
          suspendCount -= 1;
          if (suspendCount === 0 && chords.length > 0 && !isClosed) registerAll();
        }, RESUME_DELAY_MS);
      }
    },
    [Symbol.dispose]: () => {
      isClosed = true;
      unregisterAll();
      removeHandler?.();
    },
  };
}
