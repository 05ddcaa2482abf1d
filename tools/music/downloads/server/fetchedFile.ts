import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
export const rememberFetched = async (folder: string, file: FetchedFile): Promise<void> =>
  writeFile(pathIn(folder), JSON.stringify({ file, size: await sizeOf(folder, file) }));

/** What an earlier try has fetched; undefined where there is nothing, or not all of it. */
export const fetchedBefore = async (folder: string): Promise<FetchedFile | undefined> => {
  try {
    // Written by `rememberFetched` alone.
    const { file, size } = JSON.parse(await readFile(pathIn(folder), 'utf8')) as { file: FetchedFile; size: number };
    return (await sizeOf(folder, file)) === size ? file : undefined;
  } catch {
    return undefined; // none, or half of it: it is fetched anew
  }
};

export const forgetFetched = async (folder: string): Promise<void> => rm(pathIn(folder), { force: true });
