import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from '../storage/systemError.ts';

/** This server's own pair of keys, by which push services know it (RFC 8292). */
export interface VapidKey {
  /** Base64url of 65 bytes. */
  readonly publicKey: string;
  /** The `Authorization` header for a push service. */
  readonly signAuthorization: (origin: string, now: Temporal.Instant) => string;
}

const FILE = 'push.json';
const TOKEN_TTL = Temporal.Duration.from({ hours: 12 });

const kept = z.object({ /** PEM. */ key: z.string() });

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

const pointOf = (key: KeyObject): string => {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url');
};

/** @param subject Whom a push service may turn to: a `mailto:` or `https:` address. */
export const createVapidKey = (key: KeyObject, subject: string): VapidKey => {
  const publicKey = pointOf(key);
  return {
    publicKey,
    signAuthorization: (origin, now) => {
      const claims = { aud: origin, exp: Math.floor(now.add(TOKEN_TTL).epochMilliseconds / 1000), sub: subject };
      const signed = `${base64url({ typ: 'JWT', alg: 'ES256' })}.${base64url(claims)}`;
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
      return `vapid t=${signed}.${signature}, k=${publicKey}`;
    },
  };
};

const parse = (text: string, path: string): KeyObject => {
  try {
    return createPrivateKey(kept.parse(JSON.parse(text)).key);
  } catch {
    // What is wrong with it may hold parts of the key, so the reason stays here.
    throw new Refusal(
      `${path}, the key of notifications, is damaged. Its operator can restore it from a backup, or delete it: browsers then subscribe anew.`,
    );
  }
};

const read = async (path: string): Promise<KeyObject | undefined> => {
  try {
    return parse(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

/** Either the whole file is there, or none; one that somebody else made meanwhile stays. */
const write = async (path: string, text: string): Promise<void> => {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.new`;
  const file = await open(unfinished, 'wx', 0o600);
  try {
    await file.writeFile(text);
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

/** Reads the key of a data folder, or makes the first one. One that cannot be read is never replaced: browsers subscribed with it. @throws Refusal */
export const loadOrCreateVapidKey = async (dataDir: string, subject: string): Promise<VapidKey> => {
  const path = join(dataDir, FILE);
  const found = await read(path);
  if (found) return createVapidKey(found, subject);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await write(path, `${JSON.stringify({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }) })}\n`);
  return createVapidKey((await read(path)) ?? privateKey, subject);
};
