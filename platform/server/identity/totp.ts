import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { SECOND_MS } from '#platform/contract/duration.ts';

// Time-based one-time passwords (RFC 6238) with the parameters that all authenticator apps support.
const STEP_MS = 30 * SECOND_MS;
const DIGITS = 6;
const SECRET_BYTES = 20;
/** Steps before and after the current one whose codes are accepted, because clocks of phones differ. */
const TOLERATED_STEPS = 1;

const BASE32_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes as base32 without padding (RFC 4648), as authenticator apps expect a secret. */
export function encodeBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32_ALPHABET.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('');
}

/** Decodes what `encodeBase32` returns. */
export function decodeBase32(text: string): Uint8Array {
  const bits = Array.from(text, (letter) => BASE32_ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

/** Generates a secret of 160 bits, in base32. */
export function generateTotpSecret(): string {
  return encodeBase32(randomBytes(SECRET_BYTES));
}

/** Returns the number of the time step, which changes every 30 seconds. */
export function getTotpStep(ms: number): number {
  return Math.floor(ms / STEP_MS);
}

/** Computes the code of a time step (RFC 4226 section 5.3). */
export function computeTotp(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const value = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(value % 10 ** digits).padStart(digits, '0');
}

/** Returns whether a text has the format of a code. */
export function isTotpCode(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/** Returns the time step whose code this is: the current one, the previous or the next. Undefined for a wrong code. */
export function findTotpStep(secret: string, code: string, nowMs: number): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const key = decodeBase32(secret);
  const current = getTotpStep(nowMs);
  const steps = Array.from({ length: 2 * TOLERATED_STEPS + 1 }, (_, index) => current - TOLERATED_STEPS + index);
  // Compares with every step, so that the time does not reveal which one matched.
  const matches = steps.filter(
    (step) => step >= 0 && timingSafeEqual(Buffer.from(computeTotp(key, step)), Buffer.from(code)),
  );
  return matches.at(-1);
}

const ISSUER = 'Pegboard';

/** Formats the address that authenticator apps read from the QR code. */
export function formatTotpUri({
  secret,
  username,
  host,
}: {
  readonly secret: string;
  readonly username: string;
  readonly host: string;
}): string {
  const label = `${ISSUER}:${encodeURIComponent(`${username}@${host}`)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${ISSUER}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / SECOND_MS}`;
}
