import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { foldAccountName } from './username.ts';

const computeArgon2 = promisify(argon2);

interface Strength {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** Cost of a hash. No setting selects `test`, which is for test suites with thousands of accounts. */
export type HashCost = 'full' | 'light' | 'test';

/** Memory in KiB. `light` is for machines under 1 GiB (docs/design/reliability.md section 10.1). */
const STRENGTHS: Readonly<Record<HashCost, Strength>> = {
  full: { memory: 65_536, passes: 3, parallelism: 1 },
  light: { memory: 19_456, passes: 2, parallelism: 1 },
  test: { memory: 64, passes: 1, parallelism: 1 },
};
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Hashes passwords with argon2id as PHC strings: `$argon2id$v=19$m=65536,t=3,p=1$<salt>$<tag>`. */
export interface PasswordHasher {
  readonly hash: (password: string) => Promise<string>;
  readonly verify: (phc: string, password: string) => Promise<boolean>;
  /** Whether the hash has other parameters than new ones. */
  readonly isOutdated: (phc: string) => boolean;
  /** Matches no password at the same cost as a real hash, for unknown users. */
  readonly dummyHash: string;
  /** Number of hashes computed, for tests. */
  readonly getRunCount: () => number;
}

const formatPrefix = ({ memory, passes, parallelism }: Strength): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;
const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '');
const PHC_PATTERN =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,3}),p=(?<parallelism>\d{1,2})\$(?<salt>[\w+/]+)\$(?<tag>[\w+/]+)$/;

function parsePhc(phc: string): Strength & { readonly salt: Buffer; readonly tag: Buffer } {
  const { memory, passes, parallelism, salt, tag } = PHC_PATTERN.exec(phc)?.groups ?? {};
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash cannot be read');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

/** Creates a hasher with a cost. */
export function createPasswordHasher(cost: HashCost): PasswordHasher {
  const strength = STRENGTHS[cost];
  const prefix = formatPrefix(strength);
  let runCount = 0;
  function computeTag(password: string, nonce: Uint8Array, parameters: Strength, tagLength: number): Promise<Buffer> {
    runCount += 1;
    const { memory, passes, parallelism } = parameters;
    return computeArgon2('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength });
  }
  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES);
      return `${prefix}${toBase64(salt)}$${toBase64(await computeTag(password, salt, strength, TAG_BYTES))}`;
    },
    verify: async (phc, password) => {
      const { salt, tag, ...parameters } = parsePhc(phc);
      return timingSafeEqual(await computeTag(password, salt, parameters, tag.length), tag);
    },
    isOutdated: (phc) => !phc.startsWith(prefix),
    dummyHash: `${prefix}${toBase64(randomBytes(SALT_BYTES))}$${toBase64(randomBytes(TAG_BYTES))}`,
    getRunCount: () => runCount,
  };
}

const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 256;

/**
 * The 3,000 most common passwords of at least 8 characters, in lower case. Extracted once from `passwords.json` of
 * `@zxcvbn-ts/language-common` 4.1.3 (MIT; copyright 2012-2016 Dan Wheeler and Dropbox, Inc., 2021 @zxcvbn-ts).
 */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
);

/**
 * Validates a new password without trimming or composition rules (docs/design/reliability.md section 10.1).
 * Existing ones stay valid if rules change. @throws Refusal that says what to do.
 */
export function validateNewPassword(password: string, username: string): void {
  const length = countCodePoints(password);
  if (length === 0) throw new Refusal('account.password_empty', 'Enter a password');
  if (length < MIN_PASSWORD_LENGTH)
    throw new Refusal(
      'account.password_too_short',
      `This password is too short. Enter at least ${MIN_PASSWORD_LENGTH} characters`,
    );
  if (length > MAX_PASSWORD_LENGTH)
    throw new Refusal(
      'account.password_too_long',
      `This password is too long. Enter at most ${MAX_PASSWORD_LENGTH} characters`,
    );
  const lower = password.toLowerCase();
  if (lower === 'pegboard' || COMMON_PASSWORDS.has(lower))
    throw new Refusal('account.password_too_common', 'This password is too common. Choose another one');
  if (foldAccountName(password) === foldAccountName(username))
    throw new Refusal('account.password_is_username', "The password can't be the username. Choose another one");
}
