import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';

const MAX_NAME_LENGTH = 32;
/** Control characters, line separators, halves of characters, and what turns the direction of the text around it. */
const FORBIDDEN_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;

/**
 * The form in which names are compared: two names with the same one are the same name. Case, compatibility forms (ｆｕｌｌ width),
 * characters without a look of their own and the amount of white space make no difference, so nobody signs up as another's twin.
 */
export function foldAccountName(name: string): string {
  return (
    name
      .normalize('NFKC')
      .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
      // Lower, upper, lower: only all three together make ß, ẞ and SS one.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFKC')
      .replaceAll(/\s+/gu, ' ')
      .trim()
  );
}

/** Whether an account could have this name; no other text is ever looked up. */
export function isAccountName(name: string): boolean {
  const shown = name.trim();
  return (
    !FORBIDDEN_CHARACTERS.test(shown) && countCodePoints(shown) <= MAX_NAME_LENGTH && foldAccountName(shown) !== ''
  );
}

/**
 * The name as the account shows it: as typed, but for blanks at its ends, which phones' keyboards add by themselves.
 * @throws Refusal when no account can have it.
 */
export function parseAccountName(typed: string): string {
  const name = typed.trim();
  if (FORBIDDEN_CHARACTERS.test(name)) throw new Refusal('Username has characters that cannot be seen, use others');
  if (foldAccountName(name) === '') throw new Refusal('Enter a username');
  if (countCodePoints(name) > MAX_NAME_LENGTH)
    throw new Refusal(`Username is too long, limit is ${MAX_NAME_LENGTH} characters`);
  return name;
}
