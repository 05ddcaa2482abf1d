import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { foldAccountName } from './username.ts';

const run = promisify(argon2);

interface Strength {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** How dear a hash is. No setting of a server's gives `test`: a suite makes thousands of accounts. */
export type HashCost = 'full' | 'light' | 'test';

/** Memory in KiB. `light` is for machines under 1 GiB (reliability.md section 1). */
const strengths: Readonly<Record<HashCost, Strength>> = {
  full: { memory: 65_536, passes: 3, parallelism: 1 },
  light: { memory: 19_456, passes: 2, parallelism: 1 },
  test: { memory: 64, passes: 1, parallelism: 1 },
};
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Hashes passwords with argon2id. What is kept is a PHC string: `$argon2id$v=19$m=65536,t=3,p=1$<salt>$<tag>`. */
export interface PasswordHasher {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (phc: string, password: string) => Promise<boolean>;
  /** Made with other parameters than today's. */
  readonly isOutdated: (phc: string) => boolean;
  /** Fits no password, and costs as much to try as any: unknown users are verified against it. */
  readonly dummyHash: string;
  /** How many runs there were. */
  readonly getRunCount: () => number;
}

const prefixOf = ({ memory, passes, parallelism }: Strength): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;
const text64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '');
const phcShape =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,3}),p=(?<parallelism>\d{1,2})\$(?<salt>[\w+/]+)\$(?<tag>[\w+/]+)$/;

const readPhc = (phc: string): Strength & { readonly salt: Buffer; readonly tag: Buffer } => {
  const { memory, passes, parallelism, salt, tag } = phcShape.exec(phc)?.groups ?? {};
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash cannot be read');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
};

export function createPasswordHasher(which: HashCost): PasswordHasher {
  const strength = strengths[which];
  const prefix = prefixOf(strength);
  let runs = 0;
  const tagOf = (password: string, nonce: Uint8Array, asked: Strength, tagLength: number): Promise<Buffer> => {
    runs += 1;
    const { memory, passes, parallelism } = asked;
    return run('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength });
  };
  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES);
      return `${prefix}${text64(salt)}$${text64(await tagOf(password, salt, strength, TAG_BYTES))}`;
    },
    verify: async (phc, password) => {
      const { salt, tag, ...asked } = readPhc(phc);
      return timingSafeEqual(await tagOf(password, salt, asked, tag.length), tag);
    },
    isOutdated: (phc) => !phc.startsWith(prefix),
    dummyHash: `${prefix}${text64(randomBytes(SALT_BYTES))}$${text64(randomBytes(TAG_BYTES))}`,
    getRunCount: () => runs,
  };
}

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
export function validateNewPassword(password: string, username: string): void {
  const length = countCodePoints(password);
  if (length === 0) throw new Refusal('Enter a password');
  if (length < MIN_PASSWORD_LENGTH) throw new Refusal(`Password needs at least ${MIN_PASSWORD_LENGTH} characters`);
  if (length > MAX_PASSWORD_LENGTH)
    throw new Refusal(`Password is too long, limit is ${MAX_PASSWORD_LENGTH} characters`);
  const lower = password.toLowerCase();
  if (lower === 'pegboard' || COMMON_PASSWORDS.has(lower)) throw new Refusal('This password is too common');
  if (foldAccountName(password) === foldAccountName(username)) throw new Refusal('Password must not be the username');
}
