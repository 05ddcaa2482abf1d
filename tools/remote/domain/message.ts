import { lengthOf, NO_TARGET } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { FILE_MARKER, KEYS_MARKER, MESSAGE_LIMIT, TEXT_PLACEHOLDER } from '../contract.ts';
import { parseShortcut, type KeyName } from './keys.ts';
import { scriptName } from './scriptName.ts';

/** 1 plain text, 2 shortcut, 3 file. */
export type InputType = 1 | 2 | 3;

/** The type that the markers in a text give it (specification 1, section 5). */
export const inputTypeOf = (text: string): InputType => {
  if (text.includes(KEYS_MARKER)) return 2;
  return text.includes(FILE_MARKER) ? 3 : 1;
};

/** @throws Refusal for what may not be sent, in the specification's order: text, device, length. */
export const checkSending = (text: string, target: string): void => {
  if (text === '' || text === TEXT_PLACEHOLDER) throw new Refusal('No text to send');
  if (target === '' || target === NO_TARGET) throw new Refusal('no device selected');
  const length = lengthOf(text);
  if (length > MESSAGE_LIMIT)
    throw new Refusal(`Message is too long at ${length} characters, limit is ${MESSAGE_LIMIT} characters`);
  if (text.includes('\0')) throw new Refusal('The text holds a null character, which no key types');
};

/** What a message asks a device to do. */
export type Wish =
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'press'; readonly keys: readonly KeyName[] }
  | { readonly kind: 'script'; readonly name: string };

/** @throws Refusal for a shortcut or a file string that is not in order. */
export const wishOf = (type: InputType, text: string): Wish => {
  if (type === 1) return { kind: 'type', text };
  if (type === 2) return { kind: 'press', keys: parseShortcut(text) };
  const start = text.indexOf(FILE_MARKER);
  if (start === -1) throw new Refusal(`A script begins with ${FILE_MARKER}`);
  if (text.slice(0, start).trim() !== '')
    throw new Refusal(`A script stands alone, remove the text before ${FILE_MARKER}`);
  return { kind: 'script', name: scriptName(text.slice(start + FILE_MARKER.length)) };
};

const NAMED_CHARACTERS = 20;

/** The sentence about characters that a device could not type: seen ones as they are, unseen ones by their code point. */
export const droppedSentence = (dropped: readonly string[]): string => {
  const named = [...new Set(dropped)].map((character) =>
    /^[\p{L}\p{N}\p{P}\p{S}\p{M}]+$/u.test(character) ? character : codePoint(character),
  );
  const rest = named.length > NAMED_CHARACTERS ? ` and ${named.length - NAMED_CHARACTERS} more` : '';
  return `could not type: ${named.slice(0, NAMED_CHARACTERS).join(' ')}${rest}`;
};

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
