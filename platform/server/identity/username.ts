import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';

const MAX_NAME_LENGTH = 32;
/** Control characters, line separators, unpaired surrogates, and characters that change the text direction. */
const FORBIDDEN_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;

/**
 * Returns the form in which names are compared. Case, compatibility forms (ｆｕｌｌ width), invisible characters and
 * the amount of white space make no difference, so that no one can sign up with a look-alike name.
 */
export function foldAccountName(name: string): string {
  return (
    name
      .normalize('NFKC')
      .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
      // Lower, upper, lower: only all three together make ß, ẞ and SS equal.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFKC')
      .replaceAll(/\s+/gu, ' ')
      .trim()
  );
}

/** Returns whether an account could have this name. Other texts are not looked up. */
export function isAccountName(name: string): boolean {
  const trimmed = name.trim();
  return (
    !FORBIDDEN_CHARACTERS.test(trimmed) &&
    countCodePoints(trimmed) <= MAX_NAME_LENGTH &&
    foldAccountName(trimmed) !== ''
  );
}

/**
 * Returns the name as typed, without surrounding blanks, which keyboards of phones add.
 * @throws Refusal if no account can have it.
 */
export function parseAccountName(typed: string): string {
  const name = typed.trim();
  if (FORBIDDEN_CHARACTERS.test(name))
    throw new Refusal('account.name_invalid', 'This username has invisible characters. Remove them');
  if (foldAccountName(name) === '') throw new Refusal('account.name_empty', 'Enter a username');
  if (countCodePoints(name) > MAX_NAME_LENGTH)
    throw new Refusal(
      'account.name_too_long',
      `This username is too long. Enter at most ${MAX_NAME_LENGTH} characters`,
    );
  return name;
}
