import * as z from 'zod/mini';
import { call, fileAnswer } from '#platform/contract/call.ts';

/** Of the text as UTF-8. */
export const PASTE_LIMIT_BYTES = 1024 * 1024;
/** Of an encrypted text on the wire: 12 bytes before and 16 behind it, as base64url. */
export const SEALED_LIMIT = Math.ceil(((PASTE_LIMIT_BYTES + 28) * 4) / 3);
/** How long a piece is kept; 30 days where nothing is said. */
export const KEEPS = ['1h', '1d', '7d', '30d'] as const;

const code = z.string().check(z.maxLength(400));

/**
 * Stores a piece of text, or gives one back when `style` says so: by its code, or, without one, the newest that this browser or account
 * stored. `code` names the piece stored; `clipmessage` is the text given back. The other fields are ours: an `encrypted` text is what a
 * page made of it and the server cannot read; one that `burn`s is deleted by the first who gets it, and with `careful` announced
 * (`burns`) and not given. Neither is ever the newest: they are had by their code alone. A text that is stored with a `keyproof` and burns
 * is given only to a request with the same one: a page derives it from the key, so that a wrong key burns nothing.
 */
export const paste = call({
  method: 'POST',
  path: '/api/paste',
  summary: 'Stores a piece of text, or gives one back.',
  access: 'anyone',
  bodyLimit: 4 * PASTE_LIMIT_BYTES, // as JSON a text grows by its escapes
  request: z.object({
    style: z.optional(z.literal('retreive')),
    inputValue: z.string(),
    keep: z.optional(z.enum(KEEPS)),
    burn: z.optional(z.boolean()),
    encrypted: z.optional(z.boolean()),
    careful: z.optional(z.boolean()),
    keyproof: z.optional(z.string().check(z.maxLength(64))),
  }),
  answer: z.object({
    code: z.optional(z.string()),
    clipmessage: z.optional(z.string()),
    /** ISO 8601. */
    expires: z.optional(z.string()),
    encrypted: z.optional(z.boolean()),
    burns: z.optional(z.boolean()),
  }),
});

export const pasteraw = call({
  method: 'GET',
  path: '/api/pasteraw',
  summary: 'Gives a piece as a plain text.',
  access: 'anyone',
  request: z.object({ code }),
  answer: fileAnswer('text/plain'),
});

/** The last 20 of this browser and account, newest first. */
export const mypastes = call({
  method: 'POST',
  path: '/api/mypastes',
  summary: 'Lists the pieces that this browser or account stored.',
  access: 'anyone',
  request: z.object({}),
  answer: z.object({
    pieces: z.array(
      z.object({
        code: z.string(),
        /** Of the text as UTF-8; of what is stored, where it is encrypted. */
        bytes: z.int(),
        encrypted: z.boolean(),
        burns: z.boolean(),
        /** ISO 8601, as is `expires`. */
        created: z.string(),
        expires: z.string(),
      }),
    ),
  }),
});

export const deletepaste = call({
  method: 'POST',
  path: '/api/deletepaste',
  summary: 'Deletes a piece that this browser or account stored.',
  access: 'anyone',
  request: z.object({ code }),
  answer: z.object({}),
});
