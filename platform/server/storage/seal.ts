import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Keeps texts that have to come back as they were so that a copy of the database alone tells nobody what they are (AES-256-GCM). */
export interface Seal {
  /** @param bound What it belongs to: it opens with the same alone, so that no row can take another's. */
  readonly seal: (text: string, bound: string) => string;
  /** Undefined for what was not sealed so, or by another key. */
  readonly open: (sealed: string, bound: string) => string | undefined;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param key 32 bytes for this use alone: `Links.keyFor`. */
export function createSeal(key: Uint8Array): Seal {
  return {
    seal: (text, bound) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(bound));
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url');
    },
    open: (sealed, bound) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(bound))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString();
      } catch {
        return undefined; // another key, another place, or damaged
      }
    },
  };
}
