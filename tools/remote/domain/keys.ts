import { foldKeyName, modifierByName, keyNameAliases, signByName } from '#platform/contract/keyNames.ts';
import { FILE_MARKER, KEYS_MARKER, TEXT_PLACEHOLDER } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { keyByAlias, nearestKey } from './keyAliases.ts';

/** The keys that are held while another one is pressed. */
export const modifierNames = ['Ctrl', 'Gui', 'Alt', 'Shift'] as const;
export type ModifierName = (typeof modifierNames)[number];

/** Keys by what they are for, in the order that the special-buttons panel shows them; the groups together are all keys there are. */
export const keyGroups = {
  modifiers: modifierNames,
  editing: ['Tab', 'Enter', 'Esc', 'Backspace', 'Del', 'Space', 'Minus'],
  arrows: ['Left', 'Up', 'Down', 'Right'],
  places: ['Home', 'End', 'PageUp', 'PageDown'],
  media: ['Play', 'Next', 'Previous', 'Mute', 'VolumeUp', 'VolumeDown'],
  functions: ['F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10', 'F11', 'F12'],
  digits: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
  letters: 'abcdefghijklmnopqrstuvwxyz'.split(''),
} as const satisfies Record<string, readonly string[]>;

/** Keys that the panel does not show, to be written by hand. */
const writtenOnly = {
  system: ['Insert', 'Print', 'Pause', 'Menu', 'AltGr', 'CapsLock', 'NumLock', 'ScrollLock', 'Sleep', 'Help'],
  functions: Array.from({ length: 12 }, (_, index) => `F${index + 13}`),
  keypad: Object.keys(keyNameAliases).filter((name) => name.startsWith('KP_')),
  media: [
    'Stop',
    'MicMute',
    'Calculator',
    'Mail',
    'HomePage',
    'Search',
    'Favorites',
    'Back',
    'Forward',
    'Tools',
    'BrightnessUp',
    'BrightnessDown',
  ],
  signs: Array.from('!"#$%&\'()*+,./:;<=>?@[\\]^_`{|}~'),
} as const satisfies Record<string, readonly string[]>;

/** Name of a key as drivers know it: letters are small, 'a' to 'z'; a sign is itself, only the hyphen is 'Minus'. */
export type KeyName = string;
export const keyNames: readonly KeyName[] = [...Object.values(keyGroups), ...Object.values(writtenOnly)].flat();

const byFoldedName = new Map<string, KeyName>([
  ...Object.entries(signByName),
  ...Object.entries(modifierByName),
  ...keyByAlias.map(([alias, key]): [string, KeyName] => [foldKeyName(alias), key]),
  ...keyNames.flatMap((name) =>
    (keyNameAliases[name] ?? []).map((other): [string, KeyName] => [foldKeyName(other), name]),
  ),
  ...keyNames.map((name): [string, KeyName] => [foldKeyName(name) || name, name]),
]);

/** 'Left Ctrl', 'Ctrl_R' and 'RightShift' are Ctrl and Shift; the keys named Left and Right are keys of their own. */
const withoutSide = (folded: string): string => {
  const bare = folded.replace(/^(?:left|right)|(?:left|right)$/, '');
  return Object.hasOwn(modifierByName, bare)
    ? bare
    : folded.replace(/^([lr]?)(ctrl|control|strg|alt|shift|meta|super|win|windows|cmd|gui)[lr]?$/, '$2');
};

/** The key of that name: ours or another that people know, whatever its case and whatever stands between its words. */
export function keyNamed(name: string): KeyName | undefined {
  // Signs come with a mark that makes them emoji.
  const trimmed = name.replaceAll('\uFE0F', '').trim();
  const folded = foldKeyName(trimmed) || trimmed;
  const known = byFoldedName.get(folded) ?? byFoldedName.get(withoutSide(folded));
  return known ?? /^(?:key([a-z])|digit(\d))$/.exec(folded)?.slice(1).find(Boolean);
}

export function isModifier(key: KeyName): key is ModifierName {
  return modifierNames.some((name) => name === key);
}

/** Words of a side in the languages of keyboards' labels, or its letter in keysyms. */
const SIDE_BEHIND = /^(.+?)\s+(?:left|right|links|rechts|gauche|droite|droit|izquierda|derecha|[lr])$/iu;

/** A modifier with a side behind a blank: 'Ctrl Right' is the right Ctrl to some and two keys to others. */
const doubtfulKeys = (part: string): readonly [one: ModifierName, other: KeyName] | undefined => {
  const before = SIDE_BEHIND.exec(part)?.[1] ?? '';
  const [modifier, other] = [keyNamed(before), keyNamed(part.slice(before.length))];
  return modifier !== undefined && isModifier(modifier) && other !== undefined ? [modifier, other] : undefined;
};

/** A virtual terminal switch, Ctrl-Alt-F1 to F12, which an X server keeps for itself. */
export function isTerminalSwitch(keys: readonly KeyName[]): boolean {
  return (
    keys.includes('Ctrl') &&
    keys.includes('Alt') &&
    keys.some((key) => keyGroups.functions.some((name) => name === key))
  );
}

const written = (key: KeyName): string => (key.length === 1 ? key.toUpperCase() : key);

/** The shortcut as the text field and the wire hold it: `[[keys]]Ctrl-Alt-T` (contract.md section 4). */
export function writeShortcut(keys: readonly KeyName[]): string {
  return KEYS_MARKER + keys.map(written).join('-');
}

/** Hyphens of every kind, as keyboards of phones write them, and the plus of other programs. */
const SEPARATOR = /[-+\u2010-\u2015\u2212]/u;

/** Signs that join without a separator: '⌘C', '<Ctrl><Alt>T', '[Ctrl]+[Del]'. */
const JOINED: readonly (readonly [pattern: RegExp, plain: string])[] = [
  [/<([^<>]{2,20})>\s*(?=[^\s+-])/gu, '$1-'],
  [/<([^<>]{2,20})>/gu, '$1'],
  [/\b(?:num(?:pad)?|kp)[\s_]*\+\s*$/giu, 'KP_Add'],
  [/\b(?:num(?:pad)?|kp)[\s_]*[-\u2212]\s*$/giu, 'KP_Subtract'],
  [/\bvol(?:ume)?\s*\+\s*$/giu, 'VolumeUp'],
  [/\bvol(?:ume)?\s*[-\u2212]\s*$/giu, 'VolumeDown'],
  [/\[([\p{L}\d _/]{2,20})\]/gu, '$1'],
  [/([⌘⊞❖⌃⎈⌥⎇⇧])\uFE0F?\s*(?=[^\s+-])/gu, '$1-'],
];

/** What stands between the separators; a plus where a key is expected is that key. */
const partsOf = (list: string): readonly string[] => {
  const parts = [''];
  for (const sign of list) {
    const last = parts.at(-1) ?? '';
    if (sign === '+' ? last.trim() !== '' : SEPARATOR.test(sign)) parts.push('');
    else parts[parts.length - 1] = last + sign;
  }
  return parts;
};

const refusePart = (parts: readonly string[], index: number): Refusal => {
  const part = (parts[index] ?? '').trim();
  if (part !== '') {
    const nearest = nearestKey(foldKeyName(part), byFoldedName);
    const advice = nearest === undefined ? '' : `. Did you mean ${written(nearest)}?`;
    return new Refusal(`There is no key called '${part.slice(0, 20).toWellFormed()}'${advice}`);
  }
  if (parts.every((each) => each.trim() === '')) return new Refusal('The hyphen key is written Minus');
  if (index === parts.length - 1) return new Refusal('A key is missing after the last hyphen');
  return new Refusal('A key is missing before a hyphen, the hyphen key is written Minus');
};

/** @throws Refusal for a chord in the words of editors, 'C-x' for Ctrl-X: our own form writes letters large. */
const refuseEditorChord = (parts: readonly string[]): void => {
  const [first = '', ...rest] = parts.map((part) => part.trim());
  if (!/^[CM]$/u.test(first) || !rest.some((part) => /^\p{Ll}$/u.test(part))) return;
  const meant = [first === 'C' ? 'Ctrl' : 'Alt', ...rest.map(written)].join('-');
  throw new Refusal(`${first} is the letter here. Did you mean ${meant.slice(0, 40).toWellFormed()}?`);
};

/** A key named twice, by its sign and by its name: '⌘ Cmd', 'Tab ↹'. */
const isNamedBySignToo = (one: string, other: string): boolean =>
  one !== other && [one, other].some((part) => !/[\p{L}\p{N}]/u.test(part));

const MAX_KEY_NAME_WORDS = 3;

/** The key that begins at this part: 'Page-Up' is one key in two parts, 'Shift-Up' are two keys. */
const keyAt = (
  parts: readonly string[],
  index: number,
): { readonly key: KeyName; readonly length: number } | undefined => {
  for (let length = MAX_KEY_NAME_WORDS; length > 1; length--) {
    const words = parts.slice(index, index + length);
    const isWhole = words.length === length && words.every((word) => word.trim() !== '');
    const key = keyNamed(words.join(' '));
    if (isWhole && key !== undefined && words.some((word) => keyNamed(word) === undefined)) return { key, length };
  }
  const key = keyNamed(parts[index] ?? '');
  return key === undefined ? undefined : { key, length: 1 };
};

/** 'Ctrl--' ends with the hyphen key, as 'Ctrl++' does with the plus. */
const withHyphenKey = (parts: readonly string[]): readonly string[] => {
  const [before, last, end] = parts.slice(-3).map((part) => part.trim());
  return before !== undefined && before !== '' && last === '' && end === '' ? [...parts.slice(0, -2), 'Minus'] : parts;
};

/** 'ctrl alt del' has blanks or commas instead of hyphens; what is no list of keys stays one part. */
const wordsOf = (part: string): readonly string[] => {
  const words = part.trim().split(/\s*,\s+|\s+|,(?=\p{L})/u);
  const doubt = doubtfulKeys(part.trim());
  if (doubt) {
    const both = doubt.map(written).join('-');
    throw new Refusal(`'${part.trim().slice(0, 20)}' may be one key or two. Did you mean ${doubt[0]} or ${both}?`);
  }
  if (words.length < 2 || keyNamed(part) !== undefined) return [part];
  for (let index = 0; index < words.length;) {
    const found = keyAt(words, index);
    const isLast = found !== undefined && index + found.length === words.length;
    // Between blanks only modifiers stand before another key: two further ones are a sentence, or one key said twice.
    if (!found || !(isModifier(found.key) || isLast)) return [part];
    index += found.length;
  }
  return words;
};

/**
 * The keys of a shortcut string in the order they are written, whatever their case.
 * @throws Refusal that says what is wrong with it.
 */
export function parseShortcut(text: string): readonly KeyName[] {
  const start = text.indexOf(KEYS_MARKER);
  if (start === -1) throw new Refusal(`A shortcut begins with ${KEYS_MARKER}`);
  if (text.slice(0, start).trim() !== '')
    throw new Refusal(`A shortcut stands alone, remove the text before ${KEYS_MARKER}`);
  const list = JOINED.reduce(
    (rest, [pattern, plain]) => rest.replaceAll(pattern, plain),
    text.slice(start + KEYS_MARKER.length).replaceAll(/[！-～]/gu, (sign) => sign.normalize('NFKC')),
  );
  if (list.trim() === '') throw new Refusal('The shortcut has no keys');
  const parts = withHyphenKey(partsOf(list)).flatMap(wordsOf);
  refuseEditorChord(parts);
  const keys: KeyName[] = [];
  for (let index = 0; index < parts.length;) {
    const found = keyAt(parts, index);
    if (!found) throw refusePart(parts, index);
    const isSame = keys.at(-1) === found.key && isNamedBySignToo(parts[index - 1] ?? '', parts[index] ?? '');
    if (!isSame) keys.push(found.key);
    index += found.length;
  }
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new Refusal(`${written(twice)} stands twice in the shortcut`);
  return keys;
}

/** The keys of a shortcut that is still being put together: a trailing hyphen is forgiven, a field without a shortcut has none. */
const keysSoFar = (field: string): readonly KeyName[] => {
  if (!field.includes(KEYS_MARKER)) return [];
  const list = field.trim().replace(/(?<!-)-$/, '');
  return list === KEYS_MARKER ? [] : parseShortcut(list);
};

/**
 * What the text field holds after a special button was pressed: the marker with the first key, a hyphen before each further one;
 * a modifier that stands there already is taken out again.
 * @throws Refusal where the field holds something that a key cannot join.
 */
export function pressSpecialButton(field: string, key: KeyName): string {
  if (field.includes(FILE_MARKER) && !field.includes(KEYS_MARKER))
    throw new Refusal('A shortcut stands alone, send or clear the script first');
  if (field !== '' && field !== TEXT_PLACEHOLDER && !field.includes(KEYS_MARKER))
    throw new Refusal('A shortcut stands alone, send or clear the text first');
  const keys = keysSoFar(field);
  if (!keys.includes(key)) return writeShortcut([...keys, key]);
  if (!isModifier(key)) throw new Refusal(`${written(key)} stands in the shortcut already`);
  const rest = keys.filter((each) => each !== key);
  return rest.length === 0 ? '' : writeShortcut(rest);
}

/** The modifiers that the text field's shortcut holds, for the buttons to show as held; none where it holds no shortcut that can be read. */
export function heldIn(field: string): readonly ModifierName[] {
  try {
    return keysSoFar(field).filter(isModifier);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
