import { foldKeyName, keyNameAliases, modifierByName } from '#platform/contract/keyNames.ts';

/** A part of a screen, in whole pixels. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Parses `X,Y,WxH`, such as `0,0,640x480`; undefined for any other text. */
export function parseRegion(text: string): Region | undefined {
  const match = /^(\d{1,5}),(\d{1,5}),(\d{1,5})x(\d{1,5})$/.exec(text);
  if (!match) return undefined;
  const [x = 0, y = 0, width = 0, height = 0] = match.slice(1).map(Number);
  return { x, y, width, height };
}

export function formatRegion({ x, y, width, height }: Region): string {
  return `${x},${y},${width}x${height}`;
}

/** A key with the modifiers that are pressed, by the product's names. */
export interface Hotkey {
  readonly modifiers: readonly string[];
  readonly key: string;
}

const MODIFIERS = ['Ctrl', 'Alt', 'Shift', 'Gui'];
const NAMED_KEYS = ['Tab', 'Enter', 'Esc', 'Backspace', 'Del', 'Left', 'Up', 'Down', 'Right', 'Minus'];
const FUNCTION_KEY_PATTERN = /^F([1-9]|1[0-2])$/i;

function findModifier(word: string): string | undefined {
  const name = foldKeyName(word);
  return Object.hasOwn(modifierByName, name) ? modifierByName[name] : undefined;
}

function parseKey(word: string): string | undefined {
  if (/^[a-z0-9]$/i.test(word)) return word.toLowerCase();
  if (FUNCTION_KEY_PATTERN.test(word)) return word.toUpperCase();
  return NAMED_KEYS.find((name) =>
    [name, ...(keyNameAliases[name] ?? [])].some((alias) => foldKeyName(alias) === foldKeyName(word)),
  );
}

/**
 * Parses `Ctrl+Alt+R` or `Ctrl-Alt-R`; undefined for other texts, and for a letter alone, which could not be typed any
 * more.
 */
export function parseHotkey(text: string): Hotkey | undefined {
  const words = text.split(/[-+\u2010-\u2015\u2212]/u).map((word) => word.trim());
  const key = parseKey(words.at(-1) ?? '');
  const modifiers = words.slice(0, -1).map(findModifier);
  if (key === undefined || !modifiers.every((modifier) => modifier !== undefined)) return undefined;
  const pressed = MODIFIERS.filter((modifier) => modifiers.includes(modifier));
  const isTypingKey = pressed.every((modifier) => modifier === 'Shift') && !FUNCTION_KEY_PATTERN.test(key);
  return isTypingKey ? undefined : { modifiers: pressed, key };
}

/** Formats a hotkey for people: 'Ctrl+Alt+R'. */
export function formatHotkey({ modifiers, key }: Hotkey): string {
  return [...modifiers, key.length === 1 ? key.toUpperCase() : key].join('+');
}
