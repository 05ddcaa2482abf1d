/** The modifier keys. */
export type ModifierName = 'Ctrl' | 'Gui' | 'Alt' | 'Shift';

const listNumbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/**
 * Names of keys with their aliases from X11 keysyms, `key` and `code` of browsers, pynput and AutoHotkey. `foldKeyName`
 * removes differences of case, spaces, underscores and hyphens.
 */
export const keyNameAliases: Readonly<Record<string, readonly string[]>> = {
  Tab: [],
  Enter: ['Return', 'Ret'],
  Esc: ['Escape'],
  Backspace: ['BkSp', 'BkSpc', 'Back Space'],
  Del: ['Delete', 'ForwardDelete'],
  Insert: ['Ins'],
  Space: ['Spacebar'],
  Minus: ['Hyphen', 'Dash'],
  Left: ['ArrowLeft', 'LeftArrow'],
  Up: ['ArrowUp', 'UpArrow'],
  Down: ['ArrowDown', 'DownArrow'],
  Right: ['ArrowRight', 'RightArrow'],
  Home: ['Pos1'],
  End: [],
  PageUp: ['Prior', 'PgUp', 'PUp'],
  PageDown: ['PgDn', 'PgDown', 'PDn'],
  Print: ['PrintScreen', 'PrtSc', 'PrtScr', 'PrtScn', 'PrntScrn', 'PrintScr', 'Snapshot', 'SysRq'],
  Pause: ['Break', 'PauseBreak'],
  Menu: ['ContextMenu', 'Apps', 'AppsKey', 'Application'],
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
  ...Object.fromEntries(listNumbers(1, 24).map((number) => [`F${number}`, []])),
  ...Object.fromEntries(listNumbers(0, 9).map((digit) => [`KP_${digit}`, [`Numpad${digit}`, `Num${digit}`]])),
  KP_Add: ['NumpadAdd', 'NumAdd', 'NumPlus', 'NumpadPlus', 'KP_Plus'],
  KP_Subtract: ['NumpadSubtract', 'NumpadSub', 'NumSubtract', 'NumMinus', 'NumpadMinus', 'KP_Minus'],
  KP_Multiply: ['NumpadMultiply', 'NumpadMult', 'NumMultiply'],
  KP_Divide: ['NumpadDivide', 'NumpadDiv', 'NumDivide'],
  KP_Decimal: ['NumpadDecimal', 'NumpadDot', 'NumDecimal', 'NumDot'],
  KP_Enter: ['NumpadEnter', 'NumEnter'],
  ...Object.fromEntries(listNumbers(0, 9).map((digit) => [`Launch${digit}`, [`XF86Launch${digit}`]])),
};

/** Characters by their names in the same lists. */
export const signByName: Readonly<Record<string, string>> = {
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
  star: '*',
  dot: '.',
  hash: '#',
  backtick: '`',
  tilde: '~',
  underscore: '_',
  question: '?',
  exclam: '!',
  colon: ':',
  greater: '>',
  percent: '%',
  dollar: '$',
  ampersand: '&',
  at: '@',
  bar: '|',
  pipe: '|',
};

export const modifierByName: Readonly<Record<string, ModifierName>> = {
  ctrl: 'Ctrl',
  control: 'Ctrl',
  strg: 'Ctrl',
  ctl: 'Ctrl',
  gui: 'Gui',
  super: 'Gui',
  win: 'Gui',
  windows: 'Gui',
  os: 'Gui',
  meta: 'Gui',
  cmd: 'Gui',
  command: 'Gui',
  alt: 'Alt',
  option: 'Alt',
  opt: 'Alt',
  shift: 'Shift',
};

/** Normalizes the name of a key: ignores case, spaces, underscores and hyphens. */
export function foldKeyName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '');
}
