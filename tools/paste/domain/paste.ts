import { Refusal } from '#platform/contract/refusal.ts';
import { decodePercent } from '#platform/contract/text.ts';
import { type KEEPS, PASTE_LIMIT_BYTES, SEALED_LIMIT } from '../contract.ts';
import { pastePage } from '../page.ts';

/** Letters and digits that nobody mistakes for one another; 32, so that ten of them are 50 bits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 10;
/** What is written or read in place of them. */
const LOOKALIKES: Readonly<Record<string, string>> = { o: '0', i: '1', l: '1', u: 'v' };

const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** `random(below)` gives a whole number from 0. */
export function makeCode(random: (below: number) => number): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(random(ALPHABET.length))).join('');
}

/** The code that somebody typed: case, look-alikes, blanks and hyphens do not count. Undefined where it is none. */
export function codeFrom(typed: string): string | undefined {
  const code = typed
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '')
    .replaceAll(/[oilu]/g, (sign) => LOOKALIKES[sign] ?? sign);
  return CODE.test(code) ? code : undefined;
}

/** Where a piece is: its code, and the key where it is encrypted. */
export interface Place {
  readonly code: string;
  readonly key: string;
}

export function pathTo({ code, key }: Place): string {
  return `${pastePage.path}?code=${encodeURIComponent(code.toWellFormed())}${key === '' ? '' : `#${key}`}`;
}

/** What somebody typed as a code: a code, or a whole link to a piece. */
export function placeFrom(typed: string): Place {
  const link = /[?&]code=([^&#\s]+)(?:[^#\s]*#([\w-]+))?/.exec(typed);
  const code = link?.[1] ?? typed.trim();
  const written = link ? (decodePercent(code) ?? code) : code;
  return { code: codeFrom(written) ?? written, key: link?.[2] ?? '' };
}

export type Keep = (typeof KEEPS)[number];

const HOUR_MS = 3_600_000;
export const KEPT_MS: Readonly<Record<Keep, number>> = {
  '1h': HOUR_MS,
  '1d': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

const SEALED = /^[\w-]+$/;

/** Bytes of a text as UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** @throws Refusal when there is nothing to store, or more than the limit. */
export function checkText(text: string): void {
  if (text === '') throw new Refusal('Nothing to store');
  const bytes = bytesOf(text);
  if (bytes > PASTE_LIMIT_BYTES)
    throw new Refusal(`Text is too long at ${bytes} bytes, limit is ${PASTE_LIMIT_BYTES} bytes (1 MiB)`);
}

/** @throws Refusal for what no page of ours made of a text. */
export function checkSealed(sealed: string): void {
  if (!SEALED.test(sealed)) throw new Refusal('This is no encrypted text');
  if (sealed.length > SEALED_LIMIT) throw new Refusal('Text is too long, limit is 1 MiB');
}
