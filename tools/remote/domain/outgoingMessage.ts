import { countCodePoints } from '#platform/contract/fields.ts';
import { validateMessage, FILE_MARKER, type InputType, KEYS_MARKER } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { parseShortcut, type KeyName } from './keys.ts';

/** In Unicode code points. */
export const MAX_NAME_LENGTH = 100;

/** Control characters, line breaks and marks that change the text direction. Joiners are allowed: emoji need them. */
const DISALLOWED_CHARACTERS_PATTERN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * Normalizes the name of a script to NFC, so that each name has one spelling. Any extension is allowed, because a
 * device refuses what it can't run.
 * @throws Refusal for names that some system does not allow, or that a message can't contain.
 */
export function normalizeScriptName(rawName: string): string {
  const name = rawName.normalize('NFC');
  if (name === '') throw new Refusal('remote.no_file', 'No file selected');
  if (countCodePoints(name) > MAX_NAME_LENGTH)
    throw new Refusal(
      'remote.script_name_too_long',
      `This file name is too long. Enter at most ${MAX_NAME_LENGTH} characters`,
    );
  if (/[/\\]/.test(name))
    throw new Refusal('remote.invalid_script_name', "A file name can't contain a slash or backslash");
  if (DISALLOWED_CHARACTERS_PATTERN.test(name) || !name.isWellFormed())
    throw new Refusal('remote.invalid_script_name', "A file name can't contain control characters");
  if (name.trim() === '' || name === '.' || name === '..')
    throw new Refusal('remote.invalid_script_name', `'${name}' is not a file name`);
  if (name.includes(KEYS_MARKER))
    throw new Refusal(
      'remote.invalid_script_name',
      `A file name can't contain ${KEYS_MARKER}, because it would be sent as a shortcut`,
    );
  return name;
}

/**
 * Validates the text of a script.
 * @throws Refusal if it can't be stored.
 */
export function validateScriptText(text: string): void {
  if (text === '') throw new Refusal('remote.file_empty', 'file has no data');
  if (text.includes('\0'))
    throw new Refusal(
      'remote.not_text',
      'This is not a text file. To start a program on a computer, add a script that starts it, such as program.cmd',
    );
}

/**
 * Validates a message in the order of docs/specification/platform.md section 4.1: text, device, length. Then refuses
 * NUL characters.
 * @throws Refusal
 */
export function validateOutgoingMessage(text: string, target: string): void {
  validateMessage(text, target);
  if (text.includes('\0'))
    throw new Refusal('remote.untypable_text', "The text contains a NUL character, which can't be typed");
}

/** What a message makes the device do. */
export type MessageAction =
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'press'; readonly keys: readonly KeyName[] }
  | { readonly kind: 'script'; readonly name: string };

/**
 * Parses a message.
 * @throws Refusal for an invalid shortcut or file string.
 */
export function parseMessageAction(type: InputType, text: string): MessageAction {
  if (type === 1) return { kind: 'type', text };
  if (type === 2) return { kind: 'press', keys: parseShortcut(text) };
  const start = text.indexOf(FILE_MARKER);
  if (start === -1) throw new Refusal('remote.invalid_script', `A script must start with ${FILE_MARKER}`);
  if (text.slice(0, start).trim() !== '')
    throw new Refusal(
      'remote.text_before_marker',
      `A script must be sent alone. Remove the text before ${FILE_MARKER}`,
    );
  return { kind: 'script', name: normalizeScriptName(text.slice(start + FILE_MARKER.length)) };
}

const MAX_LISTED_CHARACTERS = 20;

/** Describes characters that a device could not type: visible ones as they are, invisible ones by their code point. */
export function formatDroppedCharacters(dropped: readonly string[]): string {
  const labels = [...new Set(dropped)].map((character) =>
    /^[\p{L}\p{N}\p{P}\p{S}\p{M}]+$/u.test(character) ? character : formatCodePoint(character),
  );
  const rest = labels.length > MAX_LISTED_CHARACTERS ? ` and ${labels.length - MAX_LISTED_CHARACTERS} more` : '';
  return `could not type: ${labels.slice(0, MAX_LISTED_CHARACTERS).join(' ')}${rest}`;
}

/** Describes them without revealing characters of the text. */
export function formatDroppedCount(count: number): string {
  return `could not type ${count} ${count === 1 ? 'character' : 'characters'}`;
}

const formatCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
