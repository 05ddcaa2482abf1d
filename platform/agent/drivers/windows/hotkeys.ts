import type { SessionHotkeys } from '../desktopSession.ts';
import type { HotkeyListener, KeyChord } from '../drivers.ts';
import { formatChord } from '../keyChord.ts';
import type { KeyInjector } from './keyInjector.ts';
import { openUser32 } from './libraries.ts';
import { getVirtualKey, type LayoutKey } from './virtualKeys.ts';

const HOTKEY_MESSAGE = 0x312;
const REMOVE_MESSAGE = 1;
/** Size of a MSG structure. */
const MESSAGE_BYTES = 48;
const MESSAGE_KIND = 8;
const MESSAGE_PARAMETER = 16;
/** Windows puts hotkeys into the message queue of this thread, which Node does not read. */
const POLL_INTERVAL_MS = 40;
/** AltGr is Ctrl and Alt for Windows. */
const MODIFIER_FLAGS: Readonly<Record<string, number>> = { Alt: 1, Ctrl: 2, AltGr: 3, Shift: 4, Gui: 8 };
/** Windows reserves this key for debuggers. */
const DEBUGGER_KEY = 0x7b;

/** A chord as Windows registers it. */
interface NativeChord {
  readonly flags: number;
  readonly code: number;
}

/** Converts a chord; undefined if the keyboard has no such key. */
export function toNativeChord(
  { modifiers, key }: KeyChord,
  findLayoutKey: (character: string) => LayoutKey | undefined,
): NativeChord | undefined {
  const virtualKey = getVirtualKey(key.length === 1 ? key.toLowerCase() : key);
  const layoutKey = virtualKey ? { code: virtualKey.code, modifiers: [] } : findLayoutKey(key === 'Minus' ? '-' : key);
  if (!layoutKey) return undefined;
  const names = [...modifiers, ...layoutKey.modifiers];
  return { code: layoutKey.code, flags: names.reduce((flags, name) => flags | (MODIFIER_FLAGS[name] ?? 0), 0) };
}

/** Registers hotkeys with Windows, on the thread that calls this. */
export function openWindowsHotkeys(injector: KeyInjector): SessionHotkeys & Disposable {
  const user32 = openUser32().functions;
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  /** The registered chords by their indexes, which are also their numbers for Windows. */
  let registered = new Map<number, NativeChord>();
  let suspendCount = 0;
  let isClosed = false;
  let pressed: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const message = Buffer.alloc(MESSAGE_BYTES);

  function poll(): void {
    const pressedKey = pressed === undefined ? undefined : registered.get(pressed);
    if (pressedKey && !injector.isDown(pressedKey.code)) pressed = undefined;
    while (user32.PeekMessageW(message, 0n, HOTKEY_MESSAGE, HOTKEY_MESSAGE, REMOVE_MESSAGE) !== 0) {
      if (message.readUInt32LE(MESSAGE_KIND) !== HOTKEY_MESSAGE) continue;
      const index = Number(message.readBigUInt64LE(MESSAGE_PARAMETER));
      if (suspendCount > 0 || !registered.has(index)) continue;
      const isRepeated = pressed === index;
      pressed = index;
      listener?.onPress(index, isRepeated);
    }
  }
  function unregisterAll(): void {
    for (const index of registered.keys()) user32.UnregisterHotKey(0n, index);
    registered = new Map();
    clearInterval(timer);
    timer = undefined;
  }
  function registerAll(): void {
    const refused = new Map<number, string>();
    for (const [index, chord] of chords.entries()) {
      const native = toNativeChord(chord, injector.findLayoutKey);
      if (!native)
        refused.set(index, `The keyboard of that computer has no key '${chord.key.slice(0, 20)}'. Choose another one`);
      else if (native.code === DEBUGGER_KEY && native.flags === 0)
        refused.set(index, `Windows reserves ${formatChord(chord)} for itself. Choose another key`);
      else if (user32.RegisterHotKey(0n, index, native.flags, native.code) !== 0) registered.set(index, native);
      else refused.set(index, `Another program on that computer already uses ${formatChord(chord)}. Choose other keys`);
    }
    if (registered.size > 0) timer ??= setInterval(poll, POLL_INTERVAL_MS);
    listener?.onStatus(refused);
  }

  return {
    listen: (newChords, newListener) => {
      // What is still in the queue was pressed for the old hotkeys.
      poll();
      unregisterAll();
      chords = newChords;
      listener = newListener;
      if (suspendCount === 0) registerAll();
    },
    runWithout: async (task) => {
      if (registered.size === 0 && suspendCount === 0) return task();
      if (suspendCount === 0) poll();
      suspendCount += 1;
      unregisterAll();
      try {
        return await task();
      } finally {
        suspendCount -= 1;
        if (suspendCount === 0 && !isClosed) registerAll();
      }
    },
    [Symbol.dispose]: () => {
      isClosed = true;
      unregisterAll();
    },
  };
}
