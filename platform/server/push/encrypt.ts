import { createCipheriv, createECDH, type ECDH, ECDH as Curve, hkdfSync, randomBytes } from 'node:crypto';

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
export const areValidKeys = ({ p256dh, auth }: SubscriptionKeys): boolean => {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== POINT_BYTES || Buffer.from(auth, 'base64url').length !== AUTH_BYTES) return false;
  try {
    Curve.convertKey(point, CURVE);
    return true;
  } catch {
    return false;
  }
};

/** A message as only that browser can read it: one record of `aes128gcm` (RFC 8291). At most 3,992 bytes go in. */
export const encryptMessage = (
  message: Uint8Array,
  keys: SubscriptionKeys,
  { salt, own }: EncryptionSecrets = generateSecrets(),
): Uint8Array => {
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
};
