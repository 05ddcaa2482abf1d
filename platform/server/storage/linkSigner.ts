import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from './diskSpace.ts';

/** What a signed address lets whoever has it do, until it expires or its account's links are ended. */
export interface LinkPermit {
  /** Such as `song:812`. */
  readonly purpose: string;
  readonly account: number;
  /** Of the account's links; a raised one ends all that were signed before. */
  readonly generation: number;
}

/** As it stands in an address: `?e=<unix>&s=<signature>`. */
export interface LinkSignature {
  /** Seconds since the epoch. */
  readonly e: number;
  readonly s: string;
}

/** Signs addresses for whatever cannot send a token (players, pictures, downloads). Tokens never stand in addresses. */
export interface LinkSigner {
  readonly sign: (permit: LinkPermit, until: Temporal.Instant) => LinkSignature;
  /** `?e=…&s=…` */
  readonly formatQuery: (permit: LinkPermit, until: Temporal.Instant) => string;
  /** In constant time; whatever comes as `e` and `s`. */
  readonly verify: (
    permit: LinkPermit,
    given: { readonly e?: unknown; readonly s?: unknown },
    now: Temporal.Instant,
  ) => boolean;
  /** 32 bytes for another use, such as sealing app passwords: they tell nothing of the key. */
  readonly deriveKey: (use: string) => Buffer;
}

const FILE = 'secret.key';
const KEY_BYTES = 32;
/** 192 of the 256 bits. */
const SIGNATURE_LENGTH = 32;

const secondsOf = (at: Temporal.Instant): number => Math.floor(at.epochMilliseconds / 1000);

export function createLinkSigner(key: Buffer): LinkSigner {
  const signatureOf = ({ purpose, account, generation }: LinkPermit, e: number): string =>
    createHmac('sha256', key)
      .update(`${purpose}:${account}:${generation}:${e}`)
      .digest('base64url')
      .slice(0, SIGNATURE_LENGTH);
  const sign = (permit: LinkPermit, until: Temporal.Instant): LinkSignature => {
    const e = secondsOf(until);
    return { e, s: signatureOf(permit, e) };
  };
  return {
    sign,
    formatQuery: (permit, until) => {
      const { e, s } = sign(permit, until);
      return `?e=${e}&s=${s}`;
    },
    verify: (permit, { e, s }, now) => {
      const until = typeof e === 'string' && /^\d{1,12}$/.test(e) ? Number(e) : e;
      if (typeof until !== 'number' || !Number.isSafeInteger(until) || typeof s !== 'string') return false;
      const given = Buffer.from(s);
      const right = Buffer.from(signatureOf(permit, until));
      return given.length === right.length && timingSafeEqual(given, right) && until > secondsOf(now);
    },
    deriveKey: (use) => Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `pegboard ${use}`, KEY_BYTES)),
  };
}

const read = async (path: string): Promise<Buffer | undefined> => {
  try {
    const key = await readFile(path);
    if (key.length === KEY_BYTES) return key;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  throw new Refusal(
    `${path}, the key of links and app passwords, is damaged. Restore it from a backup, or delete it: links given out then end, and app passwords of music have to be made anew.`,
  );
};

/** Either the whole file is there, or none; one that somebody else made meanwhile stays. */
const write = async (path: string): Promise<void> => {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.new`;
  const file = await open(unfinished, 'wx', 0o600);
  try {
    await file.writeFile(randomBytes(KEY_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(unfinished, path);
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(unfinished);
  }
};

/** The links of a data folder, by its `secret.key`, which the first start makes. @throws Refusal where that is damaged: it is never replaced */
export async function loadOrCreateLinkSigner(dataDir: string): Promise<LinkSigner> {
  const path = join(dataDir, FILE);
  let key = await read(path);
  if (key === undefined) {
    await write(path);
    key = await read(path);
  }
  if (key === undefined) throw new Error(`${path} was removed as soon as it was made`);
  return createLinkSigner(key);
}
