import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from './errorCode.ts';
import { createSecretFile } from './secretFile.ts';

/** What a signed link gives access to, until it expires or the account's links are revoked. */
export interface LinkScope {
  /** Such as `picture:812`. */
  readonly purpose: string;
  readonly account: number;
  /** Generation of the account's links. Raising it revokes all earlier ones. */
  readonly generation: number;
}

/** Query fields of a signed link: `?e=<unix>&s=<signature>`. */
export interface LinkSignature {
  /** Seconds since the epoch. */
  readonly e: number;
  readonly s: string;
}

/** Signs links for clients that cannot send a token, such as players. Addresses never contain tokens. */
export interface LinkSigner {
  readonly sign: (scope: LinkScope, expires: Temporal.Instant) => LinkSignature;
  /** `?e=…&s=…` */
  readonly formatQuery: (scope: LinkScope, expires: Temporal.Instant) => string;
  /** Verifies in constant time. `e` and `s` may be of any type. */
  readonly verify: (
    scope: LinkScope,
    signature: { readonly e?: unknown; readonly s?: unknown },
    now: Temporal.Instant,
  ) => boolean;
  /** Derives 32 bytes for another use, such as sealing app passwords. They do not reveal the key. */
  readonly deriveKey: (use: string) => Buffer;
}

const KEY_FILE = 'secret.key';
const KEY_BYTES = 32;
/** Base64url characters: 192 of the 256 bits. */
const SIGNATURE_LENGTH = 32;

const toSeconds = (instant: Temporal.Instant): number => Math.floor(instant.epochMilliseconds / 1000);

/** Creates a signer with a key of 32 bytes. */
export function createLinkSigner(key: Buffer): LinkSigner {
  const computeSignature = ({ purpose, account, generation }: LinkScope, e: number): string =>
    createHmac('sha256', key)
      .update(`${purpose}:${account}:${generation}:${e}`)
      .digest('base64url')
      .slice(0, SIGNATURE_LENGTH);
  function sign(scope: LinkScope, expires: Temporal.Instant): LinkSignature {
    const e = toSeconds(expires);
    return { e, s: computeSignature(scope, e) };
  }
  return {
    sign,
    formatQuery: (scope, expires) => {
      const { e, s } = sign(scope, expires);
      return `?e=${e}&s=${s}`;
    },
    verify: (scope, { e, s }, now) => {
      const expires = typeof e === 'string' && /^\d{1,12}$/.test(e) ? Number(e) : e;
      if (typeof expires !== 'number' || !Number.isSafeInteger(expires) || typeof s !== 'string') return false;
      const actual = Buffer.from(s);
      const expected = Buffer.from(computeSignature(scope, expires));
      return actual.length === expected.length && timingSafeEqual(actual, expected) && expires > toSeconds(now);
    },
    deriveKey: (use) => Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `pegboard ${use}`, KEY_BYTES)),
  };
}

async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    const key = await readFile(path);
    if (key.length === KEY_BYTES) return key;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  throw new Refusal(
    'server.key_damaged',
    `${path}, the key for links and app passwords, is damaged. Restore it from a backup, or delete it: shared links then stop working, and app passwords of some programs must be created again`,
  );
}

/**
 * Creates the signer of a data folder from its `secret.key`, which the first start creates.
 * @throws Refusal if that is damaged: it is never replaced.
 */
export async function loadOrCreateLinkSigner(dataDir: string): Promise<LinkSigner> {
  const path = join(dataDir, KEY_FILE);
  let key = await readKey(path);
  if (key === undefined) {
    await createSecretFile(path, randomBytes(KEY_BYTES));
    key = await readKey(path);
  }
  if (key === undefined) throw new Error(`${path} was removed as soon as it was created`);
  return createLinkSigner(key);
}
