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

/** Name of a key as drivers know it: letters are small, 'a' to 'z'; the hyphen is 'Minus'. */
export type KeyName = string;
export const keyNames: readonly KeyName[] = Object.values(keyGroups).flat();

const byLowerCase = new Map(keyNames.map((name) => [name.toLowerCase(), name]));

/** The key of that name, whatever its case. */
export const keyNamed = (name: string): KeyName | undefined => byLowerCase.get(name.toLowerCase());

export const isModifier = (key: KeyName): key is ModifierName => modifierNames.some((name) => name === key);

/** A virtual terminal switch, Ctrl-Alt-F1 to F12, which an X server keeps for itself. */
export const isTerminalSwitch = (keys: readonly KeyName[]): boolean =>
  keys.includes('Ctrl') && keys.includes('Alt') && keys.some((key) => keyGroups.functions.some((name) => name === key));

const written = (key: KeyName): string => (key.length === 1 ? key.toUpperCase() : key);

/** The shortcut as the text field and the wire hold it: `[[keys]]Ctrl-Alt-T` (contract.md section 4). */
export const writeShortcut = (keys: readonly KeyName[]): string => KEYS_MARKER + keys.map(written).join('-');

const keyAt = (parts: readonly string[], index: number): KeyName => {
  const part = (parts[index] ?? '').trim();
  const key = keyNamed(part);
  if (key !== undefined) return key;
  if (part !== '') throw new Refusal(`There is no key called '${part.slice(0, 20).toWellFormed()}'`);
  if (parts.every((each) => each.trim() === '')) throw new Refusal('The hyphen key is written Minus');
  if (index === parts.length - 1) throw new Refusal('A key is missing after the last hyphen');
  throw new Refusal('A key is missing before a hyphen, the hyphen key is written Minus');
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
  const parts = list.split('-');
  const keys = parts.map((_, index) => keyAt(parts, index));
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
