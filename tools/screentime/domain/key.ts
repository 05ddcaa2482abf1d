import { Refusal } from '#platform/contract/refusal.ts';
import { KEY_LIMIT } from '../contract/limits.ts';

/** Held while a hotkey's key is pressed, in the order that they are written in. */
export const hotkeyModifiers = ['Ctrl', 'Gui', 'Alt', 'Shift'] as const;
export type HotkeyModifier = (typeof hotkeyModifiers)[number];

export interface Hotkey {
  /** In their order. */
  readonly modifiers: readonly HotkeyModifier[];
  /** A character, letters small, or a name of `hotkeyNames`. */
  readonly key: string;
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/**
 * Our name of a key, and what else it is called in the lists that people look keys up in: X11's keysyms, the browsers' `key` and `code`,
 * pynput, AutoHotkey. Case, blanks, underscores and hyphens make no difference.
 */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  Tab: [],
  Enter: ['Return'],
  Esc: ['Escape'],
  Backspace: [],
  Del: ['Delete'],
  Insert: ['Ins'],
  Space: ['Spacebar'],
  Minus: ['Hyphen', 'Dash'],
  Left: ['ArrowLeft', 'LeftArrow'],
  Up: ['ArrowUp', 'UpArrow'],
  Down: ['ArrowDown', 'DownArrow'],
  Right: ['ArrowRight', 'RightArrow'],
  Home: [],
  End: [],
  PageUp: ['Prior', 'PgUp'],
  PageDown: ['PgDn'],
  Print: ['PrintScreen', 'PrtSc', 'SysRq'],
  Pause: ['Break'],
  Menu: ['ContextMenu', 'Apps', 'AppsKey'],
  Play: ['XF86AudioPlay', 'MediaPlayPause', 'MediaPlay', 'PlayPause'],
  Next: ['XF86AudioNext', 'MediaTrackNext', 'MediaNextTrack', 'MediaNext', 'NextTrack'],
  Previous: [
    'XF86AudioPrev',
    'MediaTrackPrevious',
    'MediaPreviousTrack',
    'MediaPrevious',
    'MediaPrev',
    'PreviousTrack',
  ],
  Stop: ['XF86AudioStop', 'MediaStop'],
  Mute: ['XF86AudioMute', 'AudioVolumeMute', 'MediaVolumeMute', 'VolumeMute'],
  VolumeUp: ['XF86AudioRaiseVolume', 'AudioVolumeUp', 'MediaVolumeUp'],
  VolumeDown: ['XF86AudioLowerVolume', 'AudioVolumeDown', 'MediaVolumeDown'],
  MicMute: ['XF86AudioMicMute', 'MicrophoneMute'],
  Calculator: ['XF86Calculator', 'LaunchApp2', 'LaunchApplication2'],
  Mail: ['XF86Mail', 'LaunchMail'],
  HomePage: ['XF86HomePage', 'BrowserHome'],
  Search: ['XF86Search', 'BrowserSearch'],
  Favorites: ['XF86Favorites', 'BrowserFavorites'],
  Back: ['XF86Back', 'BrowserBack'],
  Forward: ['XF86Forward', 'BrowserForward'],
  Tools: ['XF86Tools', 'LaunchMediaPlayer', 'MediaSelect', 'LaunchMedia'],
  ...Object.fromEntries(numbers(1, 24).map((number) => [`F${number}`, []])),
  ...Object.fromEntries(numbers(0, 9).map((digit) => [`KP_${digit}`, [`Numpad${digit}`, `Num${digit}`]])),
  KP_Add: ['NumpadAdd', 'NumAdd', 'KP_Plus'],
  KP_Subtract: ['NumpadSubtract', 'NumpadSub', 'KP_Minus'],
  KP_Multiply: ['NumpadMultiply', 'NumpadMult'],
  KP_Divide: ['NumpadDivide', 'NumpadDiv'],
  KP_Decimal: ['NumpadDecimal', 'NumpadDot'],
  KP_Enter: ['NumpadEnter'],
  ...Object.fromEntries(numbers(0, 9).map((digit) => [`Launch${digit}`, [`XF86Launch${digit}`]])),
};

/** Names of keys that are no characters. */
export const hotkeyNames: readonly string[] = Object.keys(otherNames);

/** Characters that such lists call by a name. */
const characterNames: Readonly<Record<string, string>> = {
  comma: ',',
  period: '.',
  slash: '/',
  backslash: '\\',
  semicolon: ';',
  apostrophe: "'",
  quote: "'",
  grave: '`',
  backquote: '`',
  equal: '=',
  plus: '+',
  bracketleft: '[',
  bracketright: ']',
  less: '<',
  numbersign: '#',
  asterisk: '*',
};

const modifierNames: Readonly<Record<string, HotkeyModifier>> = {
  ctrl: 'Ctrl',
  control: 'Ctrl',
  ctl: 'Ctrl',
  gui: 'Gui',
  super: 'Gui',
  win: 'Gui',
  windows: 'Gui',
  meta: 'Gui',
  cmd: 'Gui',
  command: 'Gui',
  alt: 'Alt',
  option: 'Alt',
  shift: 'Shift',
};

const fold = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, '');

const named = new Map(
  hotkeyNames.flatMap((name) => [name, ...(otherNames[name] ?? [])].map((one) => [fold(one), name])),
);

/** One code point that a key of some layout may be: no control, blank, half of a pair, or mark that stands on another character. */
const CHARACTER = /^[\p{L}\p{N}\p{P}\p{S}]$/u;
const codePoints = (text: string): number => Array.from(text).length;

const smallOf = (character: string): string => {
  const small = character.toLowerCase();
  return CHARACTER.test(small) ? small : character;
};

const keyNamed = (written: string): string | undefined => {
  const bare = written.trim().replace(/^<([^<>]{2,})>$/u, '$1');
  if (bare === '-') return 'Minus';
  if (CHARACTER.test(bare)) return smallOf(bare);
  const name = fold(bare.replace(/^(?:XK_|VK_|Key\.)/i, ''));
  const found = named.get(name) ?? (Object.hasOwn(characterNames, name) ? characterNames[name] : undefined);
  return found ?? /^(?:key([a-z])|digit(\d))$/.exec(name)?.slice(1).find(Boolean);
};

const modifierNamed = (written: string): HotkeyModifier | undefined => {
  const bare = written.trim().replace(/^<([^<>]+)>$/u, '$1');
  const name = fold(bare.replace(/^(?:Key\.)/i, '').replace(/[\s_](?:l|r|left|right)$/i, ''));
  return Object.hasOwn(modifierNames, name) ? modifierNames[name] : undefined;
};

const writtenKey = (key: string): string => {
  const large = key.toUpperCase();
  return CHARACTER.test(large) && smallOf(large) === key ? large : key;
};

/** As it is kept and shown: `m`, `F9`, `Ctrl-Alt-M`. */
export const writeHotkey = ({ modifiers, key }: Hotkey): string =>
  modifiers.length === 0 ? key : [...modifiers, writtenKey(key)].join('-');

/** A virtual terminal switch, which an X server keeps for itself. */
const isTerminalSwitch = ({ modifiers, key }: Hotkey): boolean =>
  modifiers.includes('Ctrl') && modifiers.includes('Alt') && /^F(?:[1-9]|1[0-2])$/.test(key);

/** The modifiers that the text begins with, and what stands behind them. */
const takeModifiers = (text: string): { readonly modifiers: readonly HotkeyModifier[]; readonly rest: string } => {
  const modifiers: HotkeyModifier[] = [];
  let rest = text.trim();
  for (;;) {
    const [, first = '', behind = ''] = /^([^-+]+)[-+](.*)$/su.exec(rest) ?? [];
    const modifier = modifierNamed(first);
    if (modifier === undefined) return { modifiers, rest };
    if (modifiers.includes(modifier)) throw new Refusal(`${modifier} stands twice in the hotkey`);
    modifiers.push(modifier);
    rest = behind.trim();
  }
};

/**
 * A hotkey as people write it: a single character or a key's name, behind modifiers with hyphens (or +) between them, whatever the case.
 * @throws Refusal that says what is wrong with it.
 */
export const readHotkey = (text: string): Hotkey => {
  if (codePoints(text) > KEY_LIMIT) throw new Refusal(`A hotkey has at most ${KEY_LIMIT} characters`);
  const { modifiers, rest } = takeModifiers(text);
  if (rest === '' || modifierNamed(rest) !== undefined)
    throw new Refusal('A hotkey needs a key beside Ctrl, Gui, Alt and Shift');
  const key = keyNamed(rest);
  if (key === undefined)
    throw new Refusal(
      `There is no key called '${rest.slice(0, 20).toWellFormed()}': type a single letter, or a name such as F9, PageUp or VolumeUp`,
    );
  const hotkey = { modifiers: hotkeyModifiers.filter((one) => modifiers.includes(one)), key };
  if (isTerminalSwitch(hotkey)) throw new Refusal(`${writeHotkey(hotkey)} belongs to the computer's system`);
  return hotkey;
};

/**
 * The one way in which a hotkey is kept; '' is none.
 * @throws Refusal that says what is wrong with it.
 */
export const normalHotkey = (text: string): string => (text.trim() === '' ? '' : writeHotkey(readHotkey(text)));
