import x11 from 'x11';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import type { SessionHotkeys } from '../desktopSession.ts';
import type { HotkeyListener, KeyChord } from '../drivers.ts';
import { formatChord } from '../keyChord.ts';
import { getKeysymByHotkey } from '../keysyms.ts';
import type { ExtensionClient } from './extensionClient.ts';

/** The product's modifiers by GNOME's names. */
const MODIFIER_NAMES: Readonly<Record<string, string>> = {
  Ctrl: '<Control>',
  Gui: '<Super>',
  Alt: '<Alt>',
  Shift: '<Shift>',
  AltGr: '<Mod5>',
};

const NO_ANSWER_MESSAGE = 'The desktop of that computer does not answer. Set the hotkeys again';

/** Keysyms of Unicode characters are between these. */
const FIRST_UNICODE_KEYSYM = 0x1000100;
const FIRST_VENDOR_KEYSYM = 0x1008ff00;
/** Names of keys that the library for X11 doesn't know. */
const NAME_BY_KEY: Readonly<Record<string, string>> = {
  Play: 'XF86AudioPlay',
  Next: 'XF86AudioNext',
  Previous: 'XF86AudioPrev',
  Stop: 'XF86AudioStop',
  Mute: 'XF86AudioMute',
  VolumeUp: 'XF86AudioRaiseVolume',
  VolumeDown: 'XF86AudioLowerVolume',
  MicMute: 'XF86AudioMicMute',
  BrightnessUp: 'XF86MonBrightnessUp',
  BrightnessDown: 'XF86MonBrightnessDown',
  Sleep: 'XF86Sleep',
  HomePage: 'XF86HomePage',
  Mail: 'XF86Mail',
  Search: 'XF86Search',
  Calculator: 'XF86Calculator',
  Back: 'XF86Back',
  Forward: 'XF86Forward',
  Favorites: 'XF86Favorites',
  Tools: 'XF86Tools',
};

let nameByKeysym: ReadonlyMap<number, string> | undefined;
/** Returns the name of a keysym that GNOME's accelerators accept: 'r', 'F9', 'U20ac'. */
function getKeysymName(keysym: number): string | undefined {
  if (keysym >= FIRST_UNICODE_KEYSYM && keysym < FIRST_VENDOR_KEYSYM) return `U${(keysym & 0xffffff).toString(16)}`;
  nameByKeysym ??= new Map(
    Object.entries(x11.keySyms)
      .toReversed() // the first name of a keysym wins
      .map(([name, { code }]) => [code, name.replace(/^XK_/, '')]),
  );
  return nameByKeysym.get(keysym);
}

/** Returns GNOME's form of a chord, such as '<Control><Alt>r'; undefined if no keyboard has the key. */
export function toAccelerator({ modifiers, key }: KeyChord): string | undefined {
  const keysym = getKeysymByHotkey(key);
  const launch = /^Launch(\d)$/.exec(key)?.[1];
  const specialName = launch === undefined ? NAME_BY_KEY[key] : `XF86Launch${launch}`;
  const name = keysym === undefined ? undefined : (specialName ?? getKeysymName(keysym));
  const names = modifiers.map((modifier) => MODIFIER_NAMES[modifier]);
  return name === undefined || names.includes(undefined) ? undefined : [...names, name].join('');
}

/**
 * Registers hotkeys with the shell through our extension.
 * @param getMissingReason says why the extension doesn't run, and what to do.
 */
export function createGnomeHotkeys(
  extension: ExtensionClient,
  getMissingReason: () => string,
): SessionHotkeys & AsyncDisposable {
  const enqueue = createSerialQueue();
  let chords: readonly KeyChord[] = [];
  let listener: HotkeyListener | undefined;
  /** Indexes of the registered chords, in the order of the registration. */
  let registered: readonly number[] = [];
  let suspendCount = 0;
  let isRunning = extension.getState() !== undefined;

  const refuseAll = (reason: string): void => listener?.onStatus(new Map(chords.map((_, index) => [index, reason])));
  async function unregister(): Promise<void> {
    const hasRegistered = registered.length > 0;
    registered = [];
    if (hasRegistered) await extension.setHotkeys([]);
  }
  /** Replaces the registered chords. */
  async function register(): Promise<void> {
    registered = [];
    if (suspendCount > 0) return;
    if (!extension.getState()) return refuseAll(getMissingReason());
    const refused = new Map<number, string>();
    const accelerators = new Map<number, string>();
    for (const [index, chord] of chords.entries()) {
      const accelerator = toAccelerator(chord);
      if (accelerator !== undefined) accelerators.set(index, accelerator);
      else
        refused.set(index, `The keyboard of that computer has no key '${chord.key.slice(0, 20)}'. Choose another one`);
    }
    registered = [...accelerators.keys()]; // without an answer they may be registered too
    const accepted = await extension.setHotkeys([...accelerators.values()]);
    for (const [position, index] of registered.entries()) {
      const chord = chords[index];
      if (accepted[position] !== true && chord)
        refused.set(index, `Another program on that computer already uses ${formatChord(chord)}. Choose other keys`);
    }
    listener?.onStatus(refused);
  }
  const registerLater = (): void => void enqueue(register).catch(() => refuseAll(NO_ANSWER_MESSAGE));
  extension.onHotkey((position, isRepeated) => {
    const index = registered[position];
    if (index !== undefined && suspendCount === 0) listener?.onPress(index, isRepeated);
  });
  extension.onChange(() => {
    const wasRunning = isRunning;
    isRunning = extension.getState() !== undefined;
    if (isRunning !== wasRunning) registerLater();
  });
  return {
    listen: (newChords, newListener) => {
      void enqueue(async () => {
        chords = newChords;
        listener = newListener;
      });
      registerLater();
    },
    runWithout: async (task) => {
      // Not those that are registered, as they may just be registered again.
      if (chords.length === 0) return task();
      suspendCount += 1;
      try {
        await enqueue(unregister).catch(() => undefined); // an extension that doesn't answer reports no hotkeys either
        return await task();
      } finally {
        suspendCount -= 1;
        registerLater();
      }
    },
    [Symbol.asyncDispose]: () => enqueue(unregister).catch(() => undefined), // the desktop has ended
  };
}
