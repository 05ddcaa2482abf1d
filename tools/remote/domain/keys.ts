import { foldKeyName, modifierByName, keyNameAliases, signByName } from '#platform/contract/keyNames.ts';
import { FILE_MARKER, KEYS_MARKER, TEXT_PLACEHOLDER } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { keyByAlias, findNearestKey } from './keyAliases.ts';

/** Keys that are held while another one is pressed. */
export const modifierNames = ['Ctrl', 'Gui', 'Alt', 'Shift'] as const;
export type ModifierName = (typeof modifierNames)[number];

/** The keys of the special-buttons panel by purpose, in its order. */
export const keyGroups = {
  modifiers: modifierNames,
  editing: ['Tab', 'Enter', 'Esc', 'Backspace', 'Del', 'Space', 'Minus'],
  arrows: ['Left', 'Up', 'Down', 'Right'],
  navigation: ['Home', 'End', 'PageUp', 'PageDown'],
  media: ['Play', 'Next', 'Previous', 'Mute', 'VolumeUp', 'VolumeDown'],
  functions: ['F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10', 'F11', 'F12'],
  digits: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
  letters: 'abcdefghijklmnopqrstuvwxyz'.split(''),
} as const satisfies Record<string, readonly string[]>;

/** Keys that the panel does not show; users type their names. */
const hiddenKeyGroups = {
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

/** Name of a key for drivers: letters are lower case, a sign is its own name, except 'Minus' for the hyphen. */
export type KeyName = string;
export const keyNames: readonly KeyName[] = [...Object.values(keyGroups), ...Object.values(hiddenKeyGroups)].flat();

const keyByFoldedName = new Map<string, KeyName>([
  ...Object.entries(signByName),
  ...Object.entries(modifierByName),
  ...keyByAlias.map(([alias, key]): [string, KeyName] => [foldKeyName(alias), key]),
  ...keyNames.flatMap((name) =>
    (keyNameAliases[name] ?? []).map((other): [string, KeyName] => [foldKeyName(other), name]),
  ),
  ...keyNames.map((name): [string, KeyName] => [foldKeyName(name) || name, name]),
]);

/** Removes a side: 'Left Ctrl', 'Ctrl_R' and 'RightShift' are Ctrl and Shift. The keys named Left and Right stay. */
function removeSide(folded: string): string {
  const unsided = folded.replace(/^(?:left|right)|(?:left|right)$/, '');
  return Object.hasOwn(modifierByName, unsided)
    ? unsided
    : folded.replace(/^([lr]?)(ctrl|control|strg|alt|shift|meta|super|win|windows|cmd|gui)[lr]?$/, '$2');
}

/** Finds a key by our name or another common one; case and the separators between words do not matter. */
export function findKey(name: string): KeyName | undefined {
  // Signs may be followed by a variation selector, which makes them emoji.
  const trimmed = name.replaceAll('\uFE0F', '').trim();
  const folded = foldKeyName(trimmed) || trimmed;
  const match = keyByFoldedName.get(folded) ?? keyByFoldedName.get(removeSide(folded));
  return match ?? /^(?:key([a-z])|digit(\d))$/.exec(folded)?.slice(1).find(Boolean);
}

export function isModifier(key: KeyName): key is ModifierName {
  return modifierNames.some((name) => name === key);
}

/** A name, and after it a side in a language of keyboard labels, or the side's letter as in keysyms. */
const SIDE_SUFFIX_PATTERN = /^(.+?)\s+(?:left|right|links|rechts|gauche|droite|droit|izquierda|derecha|[lr])$/iu;

/** Detects a modifier followed by a side, such as 'Ctrl Right': it could be the right Ctrl or two keys. */
function findAmbiguousKeys(part: string): readonly [one: ModifierName, other: KeyName] | undefined {
  const name = SIDE_SUFFIX_PATTERN.exec(part)?.[1] ?? '';
  const [modifier, other] = [findKey(name), findKey(part.slice(name.length))];
  return modifier !== undefined && isModifier(modifier) && other !== undefined ? [modifier, other] : undefined;
}

/** Returns whether the keys are Ctrl-Alt-F1 to F12, which the X server reserves for switching terminals. */
export function isTerminalSwitch(keys: readonly KeyName[]): boolean {
  return (
    keys.includes('Ctrl') &&
    keys.includes('Alt') &&
    keys.some((key) => keyGroups.functions.some((name) => name === key))
  );
}

/** Formats a key as users read it: letters are upper case. */
export function formatKey(key: KeyName): string {
  return key.length === 1 ? key.toUpperCase() : key;
}

/**
 * Formats a shortcut for the text field and the wire: `[[keys]]Ctrl-Alt-T` (docs/specification/remote.md section 3.2).
 */
export function formatShortcut(keys: readonly KeyName[]): string {
  return KEYS_MARKER + keys.map(formatKey).join('-');
}

/** Hyphens of every kind, as keyboards of phones insert them, and the plus of other programs. */
const SEPARATOR_PATTERN = /[-+\u2010-\u2015\u2212]/u;

/** Notations that join keys without a separator: '⌘C', '<Ctrl><Alt>T', '[Ctrl]+[Del]'. */
const JOINED_NOTATIONS: readonly (readonly [pattern: RegExp, plain: string])[] = [
  [/<(?!-)([^<>]{2,20})(?<!-)>\s*(?=[^\s+-])/gu, '$1-'],
  [/<(?!-)([^<>]{2,20})(?<!-)>/gu, '$1'],
  [/\b(?:num(?:pad)?|kp)[\s_]*\+\s*$/giu, 'KP_Add'],
  [/\b(?:num(?:pad)?|kp)[\s_]*[-\u2212]\s*$/giu, 'KP_Subtract'],
  [/\bvol(?:ume)?\s*\+\s*$/giu, 'VolumeUp'],
  [/\bvol(?:ume)?\s*[-\u2212]\s*$/giu, 'VolumeDown'],
  [/\[([\p{L}\d _/]{2,20})\]/gu, '$1'],
  [/([⌘⊞❖⌃⎈⌥⎇⇧])\uFE0F?\s*(?=[^\s+-])/gu, '$1-'],
];

/** Splits at the separators; a plus where a key is expected is the plus key. */
function splitKeys(list: string): readonly string[] {
  const parts = [''];
  for (const sign of list) {
    const last = parts.at(-1) ?? '';
    if (sign === '+' ? last.trim() !== '' : SEPARATOR_PATTERN.test(sign)) parts.push('');
    else parts[parts.length - 1] = last + sign;
  }
  return parts;
}

function createPartRefusal(parts: readonly string[], index: number): Refusal {
  const part = (parts[index] ?? '').trim();
  if (part !== '') {
    const nearest = findNearestKey(foldKeyName(part), keyByFoldedName);
    const advice = nearest === undefined ? '' : `. Did you mean ${formatKey(nearest)}?`;
    return new Refusal('remote.unknown_key', `There is no key called '${part.slice(0, 20).toWellFormed()}'${advice}`);
  }
  if (parts.every((each) => each.trim() === ''))
    return new Refusal('remote.invalid_shortcut', 'For the hyphen key, write Minus');
  if (index === parts.length - 1)
    return new Refusal('remote.invalid_shortcut', 'A key is missing after the last hyphen. Add one');
  return new Refusal('remote.invalid_shortcut', 'A key is missing before a hyphen. For the hyphen key, write Minus');
}

/**
 * Refuses the notation of editors, such as 'C-x' for Ctrl-X. Our own notation has upper-case letters.
 * @throws Refusal
 */
function refuseEditorChord(parts: readonly string[]): void {
  const [first = '', ...rest] = parts.map((part) => part.trim());
  if (!/^[CM]$/u.test(first) || !rest.some((part) => /^\p{Ll}$/u.test(part))) return;
  const suggestion = [first === 'C' ? 'Ctrl' : 'Alt', ...rest.map(formatKey)].join('-');
  throw new Refusal(
    'remote.invalid_shortcut',
    `${first} means the letter ${first} here. Did you mean ${suggestion.slice(0, 40).toWellFormed()}?`,
  );
}

/** Returns whether a key is named twice, by its sign and by its name: '⌘ Cmd', 'Tab ↹'. */
const isSignAndName = (one: string, other: string): boolean =>
  one !== other && [one, other].some((part) => !/[\p{L}\p{N}]/u.test(part));

const MAX_KEY_NAME_WORDS = 3;

/** Finds the key that starts at this part: 'Page-Up' is one key of two parts, 'Shift-Up' is two keys. */
function findKeyAt(
  parts: readonly string[],
  index: number,
): { readonly key: KeyName; readonly length: number } | undefined {
  for (let length = MAX_KEY_NAME_WORDS; length > 1; length--) {
    const words = parts.slice(index, index + length);
    const areAllFilled = words.length === length && words.every((word) => word.trim() !== '');
    const key = findKey(words.join(' '));
    if (areAllFilled && key !== undefined && words.some((word) => findKey(word) === undefined)) return { key, length };
  }
  const key = findKey(parts[index] ?? '');
  return key === undefined ? undefined : { key, length: 1 };
}

/** Recognizes the hyphen key at the end of 'Ctrl--', like the plus in 'Ctrl++'. */
function joinHyphenKey(parts: readonly string[]): readonly string[] {
  const [before, last, end] = parts.slice(-3).map((part) => part.trim());
  return before !== undefined && before !== '' && last === '' && end === '' ? [...parts.slice(0, -2), 'Minus'] : parts;
}

/** Splits 'ctrl alt del', which has spaces or commas instead of hyphens. Other texts stay one part. */
function splitWords(part: string): readonly string[] {
  const words = part.trim().split(/\s*,\s+|\s+|,(?=\p{L})/u);
  const ambiguous = findAmbiguousKeys(part.trim());
  if (ambiguous) {
    const both = ambiguous.map(formatKey).join('-');
    throw new Refusal(
      'remote.invalid_shortcut',
      `'${part.trim().slice(0, 20)}' may be one key or two. Did you mean ${ambiguous[0]} or ${both}?`,
    );
  }
  if (words.length < 2 || findKey(part) !== undefined) return [part];
  for (let index = 0; index < words.length;) {
    const match = findKeyAt(words, index);
    const isLast = match !== undefined && index + match.length === words.length;
    // Without separators only modifiers may precede a key: otherwise it is a sentence, or one key named twice.
    if (!match || !(isModifier(match.key) || isLast)) return [part];
    index += match.length;
  }
  return words;
}

/**
 * Parses a shortcut string to its keys, in the written order. Case does not matter.
 * @throws Refusal with the reason if the string is invalid.
 */
export function parseShortcut(text: string): readonly KeyName[] {
  const start = text.indexOf(KEYS_MARKER);
  if (start === -1) throw new Refusal('remote.invalid_shortcut', `A shortcut must start with ${KEYS_MARKER}`);
  if (text.slice(0, start).trim() !== '')
    throw new Refusal(
      'remote.text_before_marker',
      `A shortcut must be sent alone. Remove the text before ${KEYS_MARKER}`,
    );
  const list = JOINED_NOTATIONS.reduce(
    (rest, [pattern, plain]) => rest.replaceAll(pattern, plain),
    text.slice(start + KEYS_MARKER.length).replaceAll(/[！-～]/gu, (sign) => sign.normalize('NFKC')),
  );
  if (list.trim() === '') throw new Refusal('remote.shortcut_empty', 'The shortcut has no keys. Add some');
  const parts = joinHyphenKey(splitKeys(list)).flatMap(splitWords);
  refuseEditorChord(parts);
  const keys: KeyName[] = [];
  for (let index = 0; index < parts.length;) {
    const match = findKeyAt(parts, index);
    if (!match) throw createPartRefusal(parts, index);
    const isSame = keys.at(-1) === match.key && isSignAndName(parts[index - 1] ?? '', parts[index] ?? '');
    if (!isSame) keys.push(match.key);
    index += match.length;
  }
  const duplicate = keys.find((key, index) => keys.indexOf(key) !== index);
  if (duplicate !== undefined)
    throw new Refusal('remote.invalid_shortcut', `The shortcut has ${formatKey(duplicate)} twice. Remove one`);
  return keys;
}

/** Parses an unfinished shortcut: a trailing hyphen is allowed, and a field without a shortcut has no keys. */
function parseUnfinished(field: string): readonly KeyName[] {
  if (!field.includes(KEYS_MARKER)) return [];
  const list = field.trim().replace(/(?<!-)-$/, '');
  return list === KEYS_MARKER ? [] : parseShortcut(list);
}

/**
 * Returns the field's content after a special button was pressed: the marker with the first key, or a hyphen and the
 * next one. A modifier that is already in the shortcut is removed.
 * @throws Refusal if the field contains something that a key can't be added to.
 */
export function pressSpecialButton(field: string, key: KeyName): string {
  if (field.includes(FILE_MARKER) && !field.includes(KEYS_MARKER))
    throw new Refusal('remote.text_before_marker', 'A shortcut must be sent alone. Send or clear the script first');
  if (field !== '' && field !== TEXT_PLACEHOLDER && !field.includes(KEYS_MARKER))
    throw new Refusal('remote.text_before_marker', 'A shortcut must be sent alone. Send or clear the text first');
  const keys = parseUnfinished(field);
  if (!keys.includes(key)) return formatShortcut([...keys, key]);
  if (!isModifier(key)) throw new Refusal('remote.invalid_shortcut', `The shortcut already has ${formatKey(key)}`);
  const rest = keys.filter((each) => each !== key);
  return rest.length === 0 ? '' : formatShortcut(rest);
}

/** Lists the modifiers of the field's shortcut, which the buttons show as held; none if the shortcut is not valid. */
export function listHeldModifiers(field: string): readonly ModifierName[] {
  try {
    return parseUnfinished(field).filter(isModifier);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}
