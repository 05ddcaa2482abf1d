import { HOUR_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { decodePercent } from '#platform/contract/text.ts';
import { MAX_CIPHERTEXT_LENGTH, MAX_TEXT_BYTES, type RetentionPeriod } from '../contract.ts';
import { pastePage } from '../page.ts';

/** Digits and letters without look-alikes. Ten characters out of 32 make 50 random bits. */
const CODE_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODE_LENGTH = 10;
/** Characters that are read as the one they look like. */
const LOOKALIKES: Readonly<Record<string, string>> = { o: '0', i: '1', l: '1', u: 'v' };

const CODE_PATTERN = new RegExp(`^[${CODE_ALPHABET}]{${CODE_LENGTH}}$`);

/** Generates a code. `randomInt` returns an integer from 0 to `max` - 1. */
export function generateCode(randomInt: (max: number) => number): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET.charAt(randomInt(CODE_ALPHABET.length))).join('');
}

/**
 * Parses a typed code. Ignores case, spaces and dashes, and replaces look-alikes. Returns undefined if it is invalid.
 */
export function parseCode(input: string): string | undefined {
  const code = input
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}\p{Cf}]/gu, '')
    .replaceAll(/[oilu]/g, (character) => LOOKALIKES[character] ?? character);
  return CODE_PATTERN.test(code) ? code : undefined;
}

/** The code of a paste, and its key if it is encrypted. */
export interface PasteReference {
  readonly code: string;
  readonly key: string;
}

/** Returns the path of a paste on the site, with its key in the fragment. */
export function formatPastePath({ code, key }: PasteReference): string {
  return `${pastePage.path}?code=${encodeURIComponent(code.toWellFormed())}${key === '' ? '' : `#${key}`}`;
}

/**
 * Parses a code that its key may follow, because some messengers escape the sign of the fragment. Ignores punctuation,
 * with which links in a sentence end. Undefined if the code is invalid.
 */
function parseTypedReference(input: string): PasteReference | undefined {
  const [typedCode = '', fragment = ''] = input.replaceAll('+', ' ').split('#', 2);
  const code = parseCode(typedCode) ?? parseCode(typedCode.slice(0, 100).replace(/[^\p{L}\p{N}]+$/u, ''));
  return code === undefined ? undefined : { code, key: /^[\w-]+/.exec(fragment)?.[0] ?? '' };
}

/** Parses what a user entered to open a paste: a code, or a link to a paste. */
export function parsePasteReference(input: string): PasteReference {
  const link = /[?&]code=([^&#\s]+)(?:[^#\s]*#([\w-]+))?/.exec(input);
  const code = link?.[1] ?? input.trim();
  const decodedCode = link ? (decodePercent(code) ?? code) : code;
  const typed = parseTypedReference(decodedCode);
  const key = link?.[2] ?? typed?.key ?? '';
  return { code: typed?.code ?? decodedCode, key };
}

export const RETENTION_MS: Readonly<Record<RetentionPeriod, number>> = {
  '1h': HOUR_MS,
  '1d': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

const CIPHERTEXT_PATTERN = /^[\w-]+$/;

/** Returns the size of a text in UTF-8, in bytes. */
export function getUtf8Size(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Validates a text to store. @throws Refusal if it is empty or too large. */
export function validateText(text: string): void {
  if (text === '') throw new Refusal('paste.text_empty', 'There is no text to store. Enter some text first');
  const bytes = getUtf8Size(text);
  if (bytes > MAX_TEXT_BYTES)
    throw new Refusal(
      'paste.too_long',
      `The text is too long: ${bytes.toLocaleString('en')} bytes, and the limit is ${MAX_TEXT_BYTES.toLocaleString('en')} (1 MiB). Split it into several pastes`,
    );
}

/** Validates a ciphertext to store. @throws Refusal if it is not base64url or too long. */
export function validateCiphertext(ciphertext: string): void {
  if (!CIPHERTEXT_PATTERN.test(ciphertext))
    throw new Refusal(
      'paste.invalid_ciphertext',
      'The text is not valid ciphertext. Send it as base64url, or omit `encrypted`',
    );
  if (ciphertext.length > MAX_CIPHERTEXT_LENGTH)
    throw new Refusal(
      'paste.too_long',
      'The text is too long: the limit is 1 MiB before encryption. Split it into several pastes',
    );
}
