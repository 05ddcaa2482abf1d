import { countCodePoints } from '#platform/contract/fields.ts';
import { KEYS_MARKER } from '#platform/contract/message.ts';
import { Refusal } from '#platform/contract/refusal.ts';

/** Maximum length of a file name in Unicode code points. */
export const NAME_LIMIT = 100;

/**
 * Control characters, line breaks and the marks that change the text direction and so disguise a name. Joiners are
 * allowed: emoji need them.
 */
const DISALLOWED_CHARACTERS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * Normalizes the name of a script to NFC, so that each name has one spelling. Any extension is allowed; a device
 * refuses what it can't run.
 * @throws Refusal for names that are no file name on some system, or that a message can't contain.
 */
export function scriptName(rawName: string): string {
  const name = rawName.normalize('NFC');
  if (name === '') throw new Refusal('remote.no_file', 'No file selected');
  if (countCodePoints(name) > NAME_LIMIT)
    throw new Refusal(
      'remote.script_name_too_long',
      `This file name is too long. Enter at most ${NAME_LIMIT} characters`,
    );
  if (/[/\\]/.test(name))
    throw new Refusal('remote.invalid_script_name', "A file name can't contain a slash or backslash");
  if (DISALLOWED_CHARACTERS.test(name) || !name.isWellFormed())
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
export function checkScriptText(text: string): void {
  if (text === '') throw new Refusal('remote.file_empty', 'file has no data');
  if (text.includes('\0')) throw new Refusal('remote.not_text', 'This is not a text file. Choose another file');
}
