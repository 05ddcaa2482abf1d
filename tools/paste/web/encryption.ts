import { Refusal } from '#platform/contract/refusal.ts';

// A ciphertext is the 12-byte nonce, followed by the output of AES-GCM for the text in UTF-8, in base64url.
const CIPHER = 'AES-GCM';
const NONCE_BYTES = 12;
const KEY_PATTERN = /^[\w-]{43}$/;
/** Number of arguments that a call accepts in all browsers. */
const CHUNK_BYTES = 0x8000;

function toBase64url(bytes: Uint8Array): string {
  let binary = '';
  for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES)
    binary += String.fromCharCode(...bytes.subarray(offset, offset + CHUNK_BYTES));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
const fromBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

/** Returns whether a link fragment has the form of a key. */
export function isEncryptionKey(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/** Separates these hashes from others, so that a proof is useless elsewhere. */
const PROOF_PREFIX = 'pegboard paste key proof\n';

/** Computes the proof that a page has the key. It doesn't reveal the key. Requires a secure context. */
export async function createKeyProof(key: string): Promise<string> {
  return toBase64url(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(PROOF_PREFIX + key))),
  );
}

/**
 * Encrypts a text with a new key. Browsers don't send the key, because it is in the link's fragment.
 * Requires a secure context.
 */
export async function encryptText(text: string): Promise<{ readonly ciphertext: string; readonly key: string }> {
  const key = await crypto.subtle.generateKey({ name: CIPHER, length: 256 }, true, ['encrypt']);
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const encrypted = new Uint8Array(
    await crypto.subtle.encrypt({ name: CIPHER, iv }, key, new TextEncoder().encode(text)),
  );
  const ciphertext = new Uint8Array(NONCE_BYTES + encrypted.length);
  ciphertext.set(iv);
  ciphertext.set(encrypted, NONCE_BYTES);
  return {
    ciphertext: toBase64url(ciphertext),
    key: toBase64url(new Uint8Array(await crypto.subtle.exportKey('raw', key))),
  };
}

/** Decrypts a text. @throws Refusal if the key is wrong or the ciphertext was changed. */
export async function decryptText(ciphertext: string, key: string): Promise<string> {
  try {
    const bytes = fromBase64url(ciphertext);
    const cryptoKey = await crypto.subtle.importKey('raw', fromBase64url(key), CIPHER, false, ['decrypt']);
    const iv = bytes.subarray(0, NONCE_BYTES);
    const text = await crypto.subtle.decrypt({ name: CIPHER, iv }, cryptoKey, bytes.subarray(NONCE_BYTES));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(text);
  } catch (cause) {
    throw new Refusal(
      'paste.wrong_key',
      'The key in this link does not match the paste. Check that the link is complete',
      { cause },
    );
  }
}
