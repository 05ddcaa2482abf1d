import { countCodePoints } from '#platform/contract/fields.ts';
import { KEYS_MARKER } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/** Largest length of a file name, in Unicode code points. */
export const NAME_LIMIT = 100;

/** Controls, line breaks of Unicode, and the marks that turn the direction of writing and so disguise a name; joiners stay, they belong to emoji. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * The name under which a script file is kept: composed characters (NFC), so that one name has one spelling. Any ending is kept;
 * a device refuses what it cannot run.
 * @throws Refusal for names that could not be a file's on every system, or not stand in a message.
 */
export function scriptName(written: string): string {
  const name = written.normalize('NFC');
  if (name === '') throw new Refusal('No file selected');
  if (countCodePoints(name) > NAME_LIMIT)
    throw new Refusal(
      `File name is too long at ${countCodePoints(name)} characters, limit is ${NAME_LIMIT} characters`,
    );
  if (/[/\\]/.test(name)) throw new Refusal('A file name has no slash or backslash');
  if (UNSEEN.test(name) || !name.isWellFormed()) throw new Refusal('A file name has no control characters');
  if (name.trim() === '' || name === '.' || name === '..') throw new Refusal(`'${name}' is not a file name`);
  if (name.includes(KEYS_MARKER))
    throw new Refusal(`A file name does not hold ${KEYS_MARKER}, it would be sent as a shortcut`);
  return name;
}

/** @throws Refusal for a file that cannot be kept as a script. */
export function checkScriptText(text: string): void {
  if (text === '') throw new Refusal('file has no data');
  if (text.includes('\0')) throw new Refusal('The file is not a text file');
}
