import { readFileSync } from 'node:fs';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { foldAccountName } from './username.ts';

const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 256;

/**
 * The 3,000 commonest passwords of 8 characters or more, commonest first, all in small letters. Made once from `passwords.json` of
 * `@zxcvbn-ts/language-common` 4.1.3 (MIT; copyright 2012-2016 Dan Wheeler and Dropbox, Inc., 2021 @zxcvbn-ts).
 */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
);

/**
 * Checks a new password, taken as sent: no trimming, no rules of composition (reliability.md section 1). Old ones keep working when rules change.
 * @throws Refusal with a sentence that says what to do.
 */
export const validateNewPassword = (password: string, username: string): void => {
  const length = countCodePoints(password);
  if (length === 0) throw new Refusal('Enter a password');
  if (length < MIN_PASSWORD_LENGTH) throw new Refusal(`Password needs at least ${MIN_PASSWORD_LENGTH} characters`);
  if (length > MAX_PASSWORD_LENGTH)
    throw new Refusal(`Password is too long, limit is ${MAX_PASSWORD_LENGTH} characters`);
  const lower = password.toLowerCase();
  if (lower === 'pegboard' || COMMON_PASSWORDS.has(lower)) throw new Refusal('This password is too common');
  if (foldAccountName(password) === foldAccountName(username)) throw new Refusal('Password must not be the username');
};
