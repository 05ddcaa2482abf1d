import * as z from 'zod/mini';

/** What a job of the kind `song` is told: a link, whether it turns out to be a song or a list of them. */
export const songInput = z.object({
  url: z.string(),
  /** Into which the song is put. */
  playlist: z.optional(z.number()),
  /** It stands in a list; the rest is what the list says of it. */
  isEntry: z._default(z.boolean(), false),
  title: z._default(z.string(), ''),
  site: z._default(z.string(), ''),
  siteId: z._default(z.string(), ''),
});
export type SongInput = z.output<typeof songInput>;

/** What a job of the kind `upload` is told. */
export const uploadInput = z.object({
  upload: z.number(),
  name: z.string(),
  digest: z.string(),
  playlist: z.optional(z.number()),
});
export type UploadInput = z.output<typeof uploadInput>;

export const SONG = 'song';
export const UPLOAD = 'upload';
export const KINDS: readonly string[] = [SONG, UPLOAD];

/** What a song of this server stands under where its own file is known: uploads are told apart by what is in them. */
export const UPLOADED = 'upload';
