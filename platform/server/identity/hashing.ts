import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

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

export const createPasswordHasher = (which: HashCost): PasswordHasher => {
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
};
