import { countCodePoints } from '#platform/contract/fields.ts';
import { foldKeyName as fold, modifierByName, keyNameAliases, signByName } from '#platform/contract/keyNames.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { MAX_HOTKEY_LENGTH } from '../../contract/limits.ts';

/** Modifiers of a hotkey, in the order in which they are written. */
export const hotkeyModifiers = ['Ctrl', 'Gui', 'Alt', 'Shift'] as const;
export type HotkeyModifier = (typeof hotkeyModifiers)[number];

export interface Hotkey {
  /** In that order. */
  readonly modifiers: readonly HotkeyModifier[];
  /** A lower-case character, or a name of `hotkeyNames`. */
  readonly key: string;
}

/** Names of keys that are not characters. */
export const hotkeyNames: readonly string[] = Object.keys(keyNameAliases);

const nameByAlias = new Map(
  hotkeyNames.flatMap((name) => [name, ...(keyNameAliases[name] ?? [])].map((alias) => [fold(alias), name])),
);

/** A code point that may be on a key: no control, blank, surrogate or combining mark. */
const CHARACTER_PATTERN = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

function toLowerCharacter(character: string): string {
  const lowerCase = character.toLowerCase();
  return CHARACTER_PATTERN.test(lowerCase) ? lowerCase : character;
}

function findKey(text: string): string | undefined {
  const bareText = text.trim().replace(/^<([^<>]{2,})>$/u, '$1');
  if (bareText === '-') return 'Minus';
  if (CHARACTER_PATTERN.test(bareText)) return toLowerCharacter(bareText);
  const name = fold(bareText.replace(/^(?:XK_|VK_|Key\.)/i, ''));
  const alias = nameByAlias.get(name) ?? (Object.hasOwn(signByName, name) ? signByName[name] : undefined);
  return alias ?? /^(?:key([a-z])|digit(\d))$/.exec(name)?.slice(1).find(Boolean);
}

function findModifier(text: string): HotkeyModifier | undefined {
  const bareText = text.trim().replace(/^<([^<>]+)>$/u, '$1');
  const name = fold(
    bareText
      .replace(/^(?:Key\.)/i, '')
      .replace(/[\s_](?:l|r|left|right)$/i, '')
      .replace(/^(?:left|right)[\s_]*|^[lr](?=(?:ctrl|control|alt|shift|win|cmd|meta|super)$)/i, ''),
  );
  return Object.hasOwn(modifierByName, name) ? modifierByName[name] : undefined;
}

function formatKey(key: string): string {
  const upperCase = key.toUpperCase();
  return CHARACTER_PATTERN.test(upperCase) && toLowerCharacter(upperCase) === key ? upperCase : key;
}

/** Formats a hotkey for storage and display: `m`, `F9`, `Ctrl-Alt-M`. */
export function formatHotkey({ modifiers, key }: Hotkey): string {
  return modifiers.length === 0 ? key : [...modifiers, formatKey(key)].join('-');
}

/** Returns whether it switches virtual terminals, which an X server reserves. */
const isTerminalSwitch = ({ modifiers, key }: Hotkey): boolean =>
  modifiers.includes('Ctrl') && modifiers.includes('Alt') && /^F(?:[1-9]|1[0-2])$/.test(key);

/** Splits a text into its leading modifiers and the rest. */
function splitModifiers(text: string): { readonly modifiers: readonly HotkeyModifier[]; readonly rest: string } {
  const modifiers: HotkeyModifier[] = [];
  // Phones and word processors replace hyphens.
  let rest = text.trim().replaceAll(/(?<=.)[\u2010-\u2015\u2212](?=.)/gu, '-');
  for (;;) {
    const [, candidate = '', remainder = ''] = /^([^-+]+)[-+](.*)$/su.exec(rest) ?? [];
    const modifier = findModifier(candidate);
    if (modifier === undefined) return { modifiers, rest };
    if (modifiers.includes(modifier))
      throw new Refusal('screentime.invalid_hotkey', `The hotkey has ${modifier} twice. Remove one`);
    modifiers.push(modifier);
    rest = remainder.trim();
  }
}

/**
 * Parses a hotkey: a character or a key name after modifiers, separated by hyphens or +, in any case.
 * @throws Refusal that says what is wrong.
 */
export function parseHotkey(text: string): Hotkey {
  if (countCodePoints(text) > MAX_HOTKEY_LENGTH)
    throw new Refusal(
      'screentime.invalid_hotkey',
      `The hotkey is too long. Enter at most ${MAX_HOTKEY_LENGTH} characters`,
    );
  const { modifiers, rest } = splitModifiers(text);
  if (rest === '' || findModifier(rest) !== undefined)
    throw new Refusal('screentime.invalid_hotkey', 'Add a key other than Ctrl, Gui, Alt and Shift');
  const key = findKey(rest);
  if (key === undefined)
    throw new Refusal(
      'screentime.invalid_hotkey',
      `There is no key called '${rest.slice(0, 20).toWellFormed()}'. Type a single letter, or a name such as F9, PageUp or VolumeUp`,
    );
  const hotkey = { modifiers: hotkeyModifiers.filter((modifier) => modifiers.includes(modifier)), key };
  if (isTerminalSwitch(hotkey))
    throw new Refusal(
      'device.reserved_shortcut',
      `${formatHotkey(hotkey)} is reserved by the system. Choose other keys`,
    );
  return hotkey;
}

/**
 * Normalizes a hotkey; '' without one.
 * @throws Refusal that says what is wrong.
 */
export function normalizeHotkey(text: string): string {
  return text.trim() === '' ? '' : formatHotkey(parseHotkey(text));
}
