import { Refusal } from '#platform/contract/refusal.ts';

// A sealed text is the vector of 12 bytes and behind it what AES-GCM made of the text as UTF-8, written as base64url.
const CIPHER = 'AES-GCM';
const VECTOR_BYTES = 12;
const KEY = /^[\w-]{43}$/;
/** Functions take so many arguments at once everywhere. */
const CHUNK = 0x8000;

const toText = (bytes: Uint8Array): string => {
  let signs = '';
  for (let at = 0; at < bytes.length; at += CHUNK) signs += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(signs).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
};
const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0));

/** Whether a fragment can be a key, whichever. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Domain of the hash: a proof must not be of use anywhere else. */
const PROOF_PREFIX = 'pegboard paste key proof\n';

/** What shows the server that a page has the key of a text, and tells nothing of the key. Needs a secure context. */
export async function createKeyProof(key: string): Promise<string> {
  return toText(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(PROOF_PREFIX + key))));
}

/** Encrypts a text under a new key; the key goes into the link's fragment, which browsers send nowhere. Needs a secure context. */
export async function seal(text: string): Promise<{ readonly sealed: string; readonly key: string }> {
  const key = await crypto.subtle.generateKey({ name: CIPHER, length: 256 }, true, ['encrypt']);
  const iv = crypto.getRandomValues(new Uint8Array(VECTOR_BYTES));
  const made = new Uint8Array(await crypto.subtle.encrypt({ name: CIPHER, iv }, key, new TextEncoder().encode(text)));
  const whole = new Uint8Array(VECTOR_BYTES + made.length);
  whole.set(iv);
  whole.set(made, VECTOR_BYTES);
  return { sealed: toText(whole), key: toText(new Uint8Array(await crypto.subtle.exportKey('raw', key))) };
}

/** @throws Refusal where the key is not the one, or the text was changed. */
export async function unseal(sealed: string, key: string): Promise<string> {
  try {
    const bytes = toBytes(sealed);
    const opener = await crypto.subtle.importKey('raw', toBytes(key), CIPHER, false, ['decrypt']);
    const iv = bytes.subarray(0, VECTOR_BYTES);
    const text = await crypto.subtle.decrypt({ name: CIPHER, iv }, opener, bytes.subarray(VECTOR_BYTES));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(text);
  } catch (cause) {
    throw new Refusal('The key in this link does not open the text: the link may be cut off', { cause });
  }
}
