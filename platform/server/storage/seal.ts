import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Encrypts texts that must be readable again, so that a copy of the database alone does not reveal them (AES-256-GCM).
 */
export interface Seal {
  /**
   * @param context such as the account of the text. It only opens with the same one, so rows cannot be swapped.
   */
  readonly seal: (text: string, context: string) => string;
  /** Returns undefined if the text was sealed with another key or context. */
  readonly open: (sealed: string, context: string) => string | undefined;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a seal. @param key 32 bytes only for this use, from `LinkSigner.deriveKey`. */
export function createSeal(key: Uint8Array): Seal {
  return {
    seal: (text, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
    },
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString();
      } catch {
        return undefined; // another key, another context, or damaged
      }
    },
  };
}
