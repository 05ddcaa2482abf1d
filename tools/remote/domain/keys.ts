import { foldKeyName, modifierByName, otherKeyNames, signByName } from '#platform/contract/keyNames.ts';
import { FILE_MARKER, KEYS_MARKER, TEXT_PLACEHOLDER } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';

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
  system: ['Insert', 'Print', 'Pause', 'Menu', 'AltGr', 'CapsLock', 'NumLock', 'ScrollLock'],
  functions: Array.from({ length: 12 }, (_, index) => `F${index + 13}`),
  keypad: Object.keys(otherKeyNames).filter((name) => name.startsWith('KP_')),
  media: ['Stop', 'MicMute', 'Calculator', 'Mail', 'HomePage', 'Search', 'Favorites', 'Back', 'Forward', 'Tools'],
  signs: Array.from('!"#$%&\'()*+,./:;<=>?@[\\]^_`{|}~'),
} as const satisfies Record<string, readonly string[]>;

/** Name of a key as drivers know it: letters are small, 'a' to 'z'; a sign is itself, only the hyphen is 'Minus'. */
export type KeyName = string;
export const keyNames: readonly KeyName[] = [...Object.values(keyGroups), ...Object.values(writtenOnly)].flat();

/** Names of our own that no list of the others has. */
const ownAliases: Readonly<Record<string, KeyName>> = {
  altgraph: 'AltGr',
  rightalt: 'AltGr',
  ralt: 'AltGr',
  isolevel3shift: 'AltGr',
  caps: 'CapsLock',
  capital: 'CapsLock',
  scroll: 'ScrollLock',
  scrlk: 'ScrollLock',
  numlk: 'NumLock',
  space: 'Space',
};

const byFoldedName = new Map<string, KeyName>([
  ...Object.entries(signByName),
  ...Object.entries(modifierByName),
  ...Object.entries(ownAliases),
  ...keyNames.flatMap((name) =>
    (otherKeyNames[name] ?? []).map((other): [string, KeyName] => [foldKeyName(other), name]),
  ),
  ...keyNames.map((name): [string, KeyName] => [foldKeyName(name) || name, name]),
]);

/** 'Left Ctrl', 'Ctrl_R' and 'RightShift' are Ctrl and Shift; the keys named Left and Right are keys of their own. */
const withoutSide = (folded: string): string => {
  const bare = folded.replace(/^(?:left|right)|(?:left|right)$/, '');
  return Object.hasOwn(modifierByName, bare) ? bare : folded.replace(/^(ctrl|control|alt|shift|meta|super)[lr]$/, '$1');
};

/** The key of that name: ours or another that people know, whatever its case and whatever stands between its words. */
export const keyNamed = (name: string): KeyName | undefined => {
  const trimmed = name.trim();
  const folded = foldKeyName(trimmed) || trimmed;
  const known = byFoldedName.get(folded) ?? byFoldedName.get(withoutSide(folded));
  return known ?? /^(?:key([a-z])|digit(\d))$/.exec(folded)?.slice(1).find(Boolean);
};

export const isModifier = (key: KeyName): key is ModifierName => modifierNames.some((name) => name === key);

/** A virtual terminal switch, Ctrl-Alt-F1 to F12, which an X server keeps for itself. */
export const isTerminalSwitch = (keys: readonly KeyName[]): boolean =>
  keys.includes('Ctrl') && keys.includes('Alt') && keys.some((key) => keyGroups.functions.some((name) => name === key));

const written = (key: KeyName): string => (key.length === 1 ? key.toUpperCase() : key);

/** The shortcut as the text field and the wire hold it: `[[keys]]Ctrl-Alt-T` (contract.md section 4). */
export const writeShortcut = (keys: readonly KeyName[]): string => KEYS_MARKER + keys.map(written).join('-');

/** Hyphens of every kind, as keyboards of phones write them, and the plus of other programs. */
const SEPARATOR = /[-+\u2010-\u2015\u2212]/u;

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
  if (part !== '') return new Refusal(`There is no key called '${part.slice(0, 20).toWellFormed()}'`);
  if (parts.every((each) => each.trim() === '')) return new Refusal('The hyphen key is written Minus');
  if (index === parts.length - 1) return new Refusal('A key is missing after the last hyphen');
  return new Refusal('A key is missing before a hyphen, the hyphen key is written Minus');
};

const MOST_WORDS = 3;

/** The key that begins at this part: 'Page-Up' is one key in two parts, 'Shift-Up' are two keys. */
const keyAt = (parts: readonly string[], index: number): { readonly key: KeyName; readonly length: number } => {
  for (let length = MOST_WORDS; length > 1; length--) {
    const words = parts.slice(index, index + length);
    const isWhole = words.length === length && words.every((word) => word.trim() !== '');
    const key = keyNamed(words.join(' '));
    if (isWhole && key !== undefined && words.some((word) => keyNamed(word) === undefined)) return { key, length };
  }
  const key = keyNamed(parts[index] ?? '');
  if (key === undefined) throw refusePart(parts, index);
  return { key, length: 1 };
};

/**
 * The keys of a shortcut string in the order they are written, whatever their case.
 * @throws Refusal that says what is wrong with it.
 */
export const parseShortcut = (text: string): readonly KeyName[] => {
  const start = text.indexOf(KEYS_MARKER);
  if (start === -1) throw new Refusal(`A shortcut begins with ${KEYS_MARKER}`);
  if (text.slice(0, start).trim() !== '')
    throw new Refusal(`A shortcut stands alone, remove the text before ${KEYS_MARKER}`);
  const list = text.slice(start + KEYS_MARKER.length);
  if (list.trim() === '') throw new Refusal('The shortcut has no keys');
  const parts = partsOf(list);
  const keys: KeyName[] = [];
  for (let index = 0; index < parts.length;) {
    const { key, length } = keyAt(parts, index);
    keys.push(key);
    index += length;
  }
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new Refusal(`${written(twice)} stands twice in the shortcut`);
  return keys;
};

/** The keys of a shortcut that is still being put together: a trailing hyphen is forgiven, a field without a shortcut has none. */
const keysSoFar = (field: string): readonly KeyName[] => {
  if (!field.includes(KEYS_MARKER)) return [];
  const list = field.trim().replace(/-$/, '');
  return list === KEYS_MARKER ? [] : parseShortcut(list);
};

/**
 * What the text field holds after a special button was pressed: the marker with the first key, a hyphen before each further one;
 * a modifier that stands there already is taken out again.
 * @throws Refusal where the field holds something that a key cannot join.
 */
export const pressSpecialButton = (field: string, key: KeyName): string => {
  if (field.includes(FILE_MARKER) && !field.includes(KEYS_MARKER))
    throw new Refusal('A shortcut stands alone, send or clear the script first');
  if (field !== '' && field !== TEXT_PLACEHOLDER && !field.includes(KEYS_MARKER))
    throw new Refusal('A shortcut stands alone, send or clear the text first');
  const keys = keysSoFar(field);
  if (!keys.includes(key)) return writeShortcut([...keys, key]);
  if (!isModifier(key)) throw new Refusal(`${written(key)} stands in the shortcut already`);
  const rest = keys.filter((each) => each !== key);
  return rest.length === 0 ? '' : writeShortcut(rest);
};

/** The modifiers that the text field's shortcut holds, for the buttons to show as held; none where it holds no shortcut that can be read. */
export const heldIn = (field: string): readonly ModifierName[] => {
  try {
    return keysSoFar(field).filter(isModifier);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
};
