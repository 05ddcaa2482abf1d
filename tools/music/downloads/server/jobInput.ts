import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { FoundSong } from '../domain/ytdlpProgress.ts';

/** What was fetched, in the folder of its job. */
export interface FetchedFile {
  readonly name: string;
  /** Name of its picture. */
  readonly cover: string | undefined;
  readonly found: FoundSong | undefined;
}

const pathIn = (folder: string): string => join(folder, 'fetched.json');

const sizeOf = async (folder: string, { name }: FetchedFile): Promise<number> => (await stat(join(folder, name))).size;

/** That it is whole: the next try goes on with it, where this one does not make a song of it. */
export async function rememberFetched(folder: string, file: FetchedFile): Promise<void> {
  return writeFile(pathIn(folder), JSON.stringify({ file, size: await sizeOf(folder, file) }));
}

/** What an earlier try has fetched; undefined where there is nothing, or not all of it. */
export async function fetchedBefore(folder: string): Promise<FetchedFile | undefined> {
  try {
    // Written by `rememberFetched` alone.
    const { file, size } = JSON.parse(await readFile(pathIn(folder), 'utf8')) as { file: FetchedFile; size: number };
    return (await sizeOf(folder, file)) === size ? file : undefined;
  } catch {
    return undefined; // none, or half of it: it is fetched anew
  }
}

export async function forgetFetched(folder: string): Promise<void> {
  return rm(pathIn(folder), { force: true });
}

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
