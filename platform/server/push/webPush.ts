import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  createCipheriv,
  createECDH,
  ECDH,
  hkdfSync,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import { hasErrorCode } from '../storage/errorCode.ts';
import { createSecretFile } from '../storage/secretFile.ts';

/** Keys of a browser's subscription. */
export interface SubscriptionKeys {
  /** An uncompressed point of P-256 (65 bytes), in base64url. */
  readonly p256dh: string;
  /** 16 bytes, in base64url. */
  readonly auth: string;
}

/** Secrets that are generated for each message. */
export interface EncryptionSecrets {
  readonly salt: Uint8Array;
  readonly senderKeys: ECDH;
}

const CURVE = 'prime256v1';
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const RECORD_BYTES = 4096;
/** Delimiter of the last record of a message (RFC 8188, section 2). */
const LAST_RECORD = 2;

function generateSecrets(): EncryptionSecrets {
  const senderKeys = createECDH(CURVE);
  senderKeys.generateKeys();
  return { salt: randomBytes(16), senderKeys };
}

const deriveBytes = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

const createInfo = (text: string): Buffer => Buffer.from(`Content-Encoding: ${text}\0`, 'ascii');

/** Returns whether the keys have the right lengths, and a point on the curve. */
export function hasValidKeys({ p256dh, auth }: SubscriptionKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== POINT_BYTES || Buffer.from(auth, 'base64url').length !== AUTH_BYTES) return false;
  try {
    ECDH.convertKey(point, CURVE);
    return true;
  } catch {
    return false;
  }
}

/** Encrypts a message of up to 3,992 bytes for one browser, as one record of `aes128gcm` (RFC 8291). */
export function encryptMessage(
  message: Uint8Array,
  keys: SubscriptionKeys,
  { salt, senderKeys }: EncryptionSecrets = generateSecrets(),
): Uint8Array {
  const receiverKey = Buffer.from(keys.p256dh, 'base64url');
  const senderKey = senderKeys.getPublicKey();
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0', 'ascii'), receiverKey, senderKey]);
  const material = deriveBytes(senderKeys.computeSecret(receiverKey), Buffer.from(keys.auth, 'base64url'), keyInfo, 32);
  const key = deriveBytes(material, salt, createInfo('aes128gcm'), 16);
  const nonce = deriveBytes(material, salt, createInfo('nonce'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const ciphertext = Buffer.concat([cipher.update(message), cipher.update(Buffer.of(LAST_RECORD)), cipher.final()]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(senderKey.length, 4);
  return Buffer.concat([salt, head, senderKey, ciphertext, cipher.getAuthTag()]);
}

/** The server's key pair, by which push services identify it (RFC 8292). */
export interface VapidKey {
  /** 65 bytes, in base64url. */
  readonly publicKey: string;
  /** Returns the `Authorization` header for a push service. */
  readonly signAuthorization: (origin: string, now: Temporal.Instant) => string;
}

const KEY_FILE = 'push.json';
const TOKEN_TTL = Temporal.Duration.from({ hours: 12 });

const storedKey = z.object({ /** PEM. */ key: z.string() });

const encodeJwtPart = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

function exportPoint(key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url');
}

/** @param subject contact for push services: a `mailto:` or `https:` address. */
export function createVapidKey(key: KeyObject, subject: string): VapidKey {
  const publicKey = exportPoint(key);
  return {
    publicKey,
    signAuthorization: (origin, now) => {
      const claims = { aud: origin, exp: Math.floor(now.add(TOKEN_TTL).epochMilliseconds / 1000), sub: subject };
      const signingInput = `${encodeJwtPart({ typ: 'JWT', alg: 'ES256' })}.${encodeJwtPart(claims)}`;
      const signature = sign('sha256', Buffer.from(signingInput), { key, dsaEncoding: 'ieee-p1363' }).toString(
        'base64url',
      );
      return `vapid t=${signingInput}.${signature}, k=${publicKey}`;
    },
  };
}

function parseKey(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(storedKey.parse(JSON.parse(text)).key);
  } catch {
    // Omit the reason, which could contain parts of the key.
    throw new Refusal(
      'push.key_damaged',
      `${path}, the key for notifications, is damaged. Restore it from a backup, or delete it: browsers then subscribe again`,
    );
  }
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  try {
    return parseKey(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * Loads the key of a data folder, or creates the first one. A damaged key is never replaced, because browsers
 * subscribed with it. @throws Refusal if it is damaged.
 */
export async function loadOrCreateVapidKey(dataDir: string, subject: string): Promise<VapidKey> {
  const path = join(dataDir, KEY_FILE);
  const existingKey = await readKey(path);
  if (existingKey) return createVapidKey(existingKey, subject);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await createSecretFile(path, `${JSON.stringify({ key: privateKey.export({ type: 'pkcs8', format: 'pem' }) })}\n`);
  return createVapidKey((await readKey(path)) ?? privateKey, subject);
}
