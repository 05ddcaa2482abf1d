import * as z from 'zod/mini';
import { call, fileAnswer } from '#platform/contract/call.ts';

/** Maximum size of a text, in bytes of UTF-8. */
export const MAX_TEXT_BYTES = 1024 * 1024;
/** Maximum length of a ciphertext: a 12-byte nonce, the text and a 16-byte tag, in base64url. */
export const MAX_CIPHERTEXT_LENGTH = Math.ceil(((MAX_TEXT_BYTES + 28) * 4) / 3);
/** How long a paste can be stored. The default is 30 days. */
export const RETENTION_PERIODS = ['1h', '1d', '7d', '30d'] as const;
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number];

const code = z.string().check(z.maxLength(400));

/**
 * Stores a text, or retrieves one with `style: 'retreive'`: by its code, or the newest of this account or browser.
 * All other fields are optional (docs/paste.md). Pastes that burn or are encrypted are never the newest one.
 */
export const paste = call({
  route: 'POST /api/paste',
  summary: 'Stores a text, or retrieves a stored one.',
  access: 'anyone',
  bodyLimit: 4 * MAX_TEXT_BYTES, // JSON escapes can make a text longer
  request: z.object({
    style: z.optional(z.literal('retreive')),
    inputValue: z.string(),
    /** How long the paste is stored. */
    keep: z.optional(z.enum(RETENTION_PERIODS)),
    /** Deletes the paste when it is first read. */
    burn: z.optional(z.boolean()),
    /** `inputValue` is a ciphertext that the server can't read. */
    encrypted: z.optional(z.boolean()),
    /** Announces a paste that burns (`burns`) instead of returning it. */
    careful: z.optional(z.boolean()),
    /** Derived from the key. Reading an encrypted paste that burns needs it, so a wrong key burns nothing. */
    keyproof: z.optional(z.string().check(z.maxLength(64))),
  }),
  answer: z.object({
    /** Code of the stored or retrieved paste. */
    code: z.optional(z.string()),
    /** The retrieved text. */
    clipmessage: z.optional(z.string()),
    /** ISO 8601. */
    expires: z.optional(z.string()),
    encrypted: z.optional(z.boolean()),
    burns: z.optional(z.boolean()),
  }),
});

export const pasteraw = call({
  route: 'GET /api/pasteraw',
  summary: 'Returns a paste as plain text.',
  access: 'anyone',
  request: z.object({ code }),
  answer: fileAnswer('text/plain'),
});

/** Lists the last 20 pastes of this account or browser, newest first. */
export const mypastes = call({
  route: 'POST /api/mypastes',
  summary: 'Lists the 20 newest pastes of this account or browser, newest first.',
  access: 'anyone',
  answer: z.object({
    pieces: z.array(
      z.object({
        code: z.string(),
        /** Size of the text in UTF-8, or of the ciphertext if the paste is encrypted. */
        bytes: z.int(),
        encrypted: z.boolean(),
        burns: z.boolean(),
        /** ISO 8601, like `expires`. */
        created: z.string(),
        expires: z.string(),
      }),
    ),
  }),
});

export const deletepaste = call({
  route: 'POST /api/deletepaste',
  usesReserve: true,
  summary: 'Deletes a paste of this account or browser.',
  access: 'anyone',
  request: z.object({ code }),
});
