import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  createCipheriv,
  createECDH,
  type ECDH,
  ECDH as Curve,
  hkdfSync,
} from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from '../storage/diskSpace.ts';

/** The keys of a browser's subscription, as it gives them. */
export interface SubscriptionKeys {
  /** An uncompressed point of P-256 (65 bytes), base64url. */
  readonly p256dh: string;
  /** 16 bytes, base64url. */
  readonly auth: string;
}

/** What is drawn anew for every message. */
export interface EncryptionSecrets {
  readonly salt: Uint8Array;
  readonly own: ECDH;
}

const CURVE = 'prime256v1';
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const RECORD_BYTES = 4096;
/** The last record of a message ends with this (RFC 8188, section 2). */
const LAST_RECORD = 2;

const generateSecrets = (): EncryptionSecrets => {
  const own = createECDH(CURVE);
  own.generateKeys();
  return { salt: randomBytes(16), own };
};

const derive = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

const info = (text: string): Buffer => Buffer.from(`Content-Encoding: ${text}\0`, 'ascii');

/** Whether these can be the keys of a browser: of the right lengths, and a point that lies on the curve. */
export function areValidKeys({ p256dh, auth }: SubscriptionKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== POINT_BYTES || Buffer.from(auth, 'base64url').length !== AUTH_BYTES) return false;
  try {
    Curve.convertKey(point, CURVE);
    return true;
  } catch {
    return false;
  }
}

/** A message as only that browser can read it: one record of `aes128gcm` (RFC 8291). At most 3,992 bytes go in. */
export function encryptMessage(
  message: Uint8Array,
  keys: SubscriptionKeys,
  { salt, own }: EncryptionSecrets = generateSecrets(),
): Uint8Array {
  const theirs = Buffer.from(keys.p256dh, 'base64url');
  const ours = own.getPublicKey();
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0', 'ascii'), theirs, ours]);
  const material = derive(own.computeSecret(theirs), Buffer.from(keys.auth, 'base64url'), keyInfo, 32);
  const key = derive(material, salt, info('aes128gcm'), 16);
  const nonce = derive(material, salt, info('nonce'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(message), cipher.update(Buffer.of(LAST_RECORD)), cipher.final()]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(ours.length, 4);
  return Buffer.concat([salt, head, ours, sealed, cipher.getAuthTag()]);
}

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
export function createVapidKey(key: KeyObject, subject: string): VapidKey {
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
}

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
export async function loadOrCreateVapidKey(dataDir: string, subject: string): Promise<VapidKey> {
  const path = join(dataDir, FILE);
  const found = await read(path);
  if (found) return createVapidKey(found, subject);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await write(path, `${JSON.stringify({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }) })}\n`);
  return createVapidKey((await read(path)) ?? privateKey, subject);
}
