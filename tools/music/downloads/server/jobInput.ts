import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { FoundSong } from '../domain/ytdlpProgress.ts';

/** A downloaded file in the folder of its job. */
export interface FetchedFile {
  readonly name: string;
  /** File name of its picture. */
  readonly cover: string | undefined;
  readonly found: FoundSong | undefined;
}

const getPath = (folder: string): string => join(folder, 'fetched.json');

const getFileSize = async (folder: string, { name }: FetchedFile): Promise<number> =>
  (await stat(join(folder, name))).size;

/** Records that the file is complete, so that the next attempt can use it. */
export async function recordFetchedFile(folder: string, file: FetchedFile): Promise<void> {
  return writeFile(getPath(folder), JSON.stringify({ file, size: await getFileSize(folder, file) }));
}

/** Returns the file of an earlier attempt; undefined if there is none or it is incomplete. */
export async function loadFetchedFile(folder: string): Promise<FetchedFile | undefined> {
  try {
    // `recordFetchedFile` wrote it, so it needs no validation.
    const { file, size } = JSON.parse(await readFile(getPath(folder), 'utf8')) as { file: FetchedFile; size: number };
    return (await getFileSize(folder, file)) === size ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the record, so that the next attempt downloads the file again. */
export async function removeFetchedRecord(folder: string): Promise<void> {
  return rm(getPath(folder), { force: true });
}

/** Input of a `song` job: a link to a song or to a list of songs. */
export const songInput = z.object({
  url: z.string(),
  /** The playlist that the song is added to. */
  playlist: z.optional(z.number()),
  /** Whether the song comes from a list. The following fields are from that list. */
  isEntry: z._default(z.boolean(), false),
  title: z._default(z.string(), ''),
  site: z._default(z.string(), ''),
  siteId: z._default(z.string(), ''),
});
export type SongInput = z.output<typeof songInput>;

/** Input of an `upload` job. */
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

/** Site of uploaded songs. Their site id is the digest of the file. */
export const UPLOAD_SITE = 'upload';
