import { lengthOf } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';

const NAME_LIMIT = 32;
/** Control characters, line separators, halves of characters, and what turns the direction of the text around it. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;

/**
 * The form in which names are compared: two names with the same one are the same name. Case, compatibility forms (ｆｕｌｌ width),
 * characters without a look of their own and the amount of white space make no difference, so nobody signs up as another's twin.
 */
export const foldName = (name: string): string =>
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
    .trim();

/** Whether an account could have this name; no other text is ever looked up. */
export const isName = (name: string): boolean => {
  const shown = name.trim();
  return !UNFIT.test(shown) && lengthOf(shown) <= NAME_LIMIT && foldName(shown) !== '';
};

/**
 * The name as the account shows it: as typed, but for blanks at its ends, which phones' keyboards add by themselves.
 * @throws Refusal when no account can have it.
 */
export const newName = (typed: string): string => {
  const name = typed.trim();
  if (UNFIT.test(name)) throw new Refusal('Username has characters that cannot be seen, use others');
  if (foldName(name) === '') throw new Refusal('Enter a username');
  if (lengthOf(name) > NAME_LIMIT) throw new Refusal(`Username is too long, limit is ${NAME_LIMIT} characters`);
  return name;
};
