import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { Song } from '../../domain/song.ts';
import type { MusicStore } from '../store/musicStores.ts';
import type { SongOnDisk } from '../store/songStore.ts';
import { type Marker, FOLDER, nextSongFile, songFile, parseSongFileName, type SongFiles } from './songFiles.ts';

interface ScanDeps {
  readonly store: MusicStore;
  readonly files: FileStorage;
  readonly songFiles: SongFiles;
  readonly mark: Marker;
  /** Runs work for a song one after another, together with the tagger. */
  readonly runInOrder: <T>(song: number, work: () => Promise<T>) => Promise<T>;
  readonly log: FastifyBaseLogger;
  readonly signal: AbortSignal;
}

const BATCH_SIZE = 32;
/** Lets the server handle requests in between. A library of 20,000 songs still takes only seconds. */
const BATCH_DELAY_MS = 5;

/** Moves a file with new tags into place, if the server was stopped before that. After another rename it is removed. */
const finishNext = async ({ files, store }: Pick<ScanDeps, 'files' | 'store'>, song: SongOnDisk): Promise<void> => {
  const next = nextSongFile(song);
  if ((await files.getSize(next)) === undefined) return;
  const { size, crc } = (await store.songs.find(song.account, song.id)) ?? song;
  const { bytes, crc32 } = await files.computeChecksum(next);
  if (bytes === size && crc32 === crc) await files.importFile(files.getPath(next), songFile(song));
  else await files.remove(next);
};

/** Yields all songs of the server in batches. */
async function* iterateSongs({
  store,
  signal,
}: Pick<ScanDeps, 'store' | 'signal'>): AsyncGenerator<readonly SongOnDisk[]> {
  for (let after = 0; !signal.aborted;) {
    const songs = await store.songs.listFiles(after);
    const last = songs.at(-1);
    if (last === undefined) return;
    yield songs;
    after = last.id;
  }
}

/** Returns the songs whose mark doesn't match the folder. */
const findWrongMarks = async (
  parts: Pick<ScanDeps, 'files' | 'store' | 'songFiles' | 'runInOrder' | 'signal'>,
  songs: readonly SongOnDisk[],
  names: ReadonlySet<string>,
): Promise<readonly SongOnDisk[]> => {
  const { store, songFiles, runInOrder, signal } = parts;
  const isWrong = async (song: Song | SongOnDisk): Promise<boolean> =>
    (await songFiles.isThere(song)) === song.isMissing;
  const wrong: SongOnDisk[] = [];
  for (const batch of splitIntoChunks(songs, BATCH_SIZE)) {
    if (signal.aborted) break;
    for (const song of batch.filter((one) => names.has(nextSongFile(one))))
      await runInOrder(song.id, () => finishNext(parts, song));
    const isWrongByIndex = await Promise.all(batch.map(isWrong));
    for (const song of batch.filter((_, at) => isWrongByIndex[at])) {
      // The row may be outdated, because the song was renamed in the meantime.
      const newest = () => store.songs.find(song.account, song.id);
      if (await runInOrder(song.id, async () => isWrong((await newest()) ?? song))) wrong.push(song);
    }
    await pause(BATCH_DELAY_MS);
  }
  return wrong;
};

/** Inverts the marks of many songs in one change, because every change makes all pages refetch. */
const correct = async ({ mark }: Pick<ScanDeps, 'mark'>, wrong: readonly SongOnDisk[]): Promise<void> => {
  for (const account of new Set(wrong.map((song) => song.account)))
    for (const isMissing of [true, false]) {
      const turned = wrong.filter((song) => song.account === account && song.isMissing !== isMissing);
      if (turned.length > 0)
        await mark(
          account,
          turned.map(({ id }) => id),
          isMissing,
        );
    }
};

/**
 * Compares the library with its folder after the start, and marks songs with missing files.
 * Files without a song are logged. Nothing is deleted automatically.
 */
export async function scanFolder(parts: ScanDeps): Promise<void> {
  const { files, log, signal } = parts;
  const names = new Set(await files.list(FOLDER));
  const known = new Set<number>();
  let missing = 0;
  for await (const songs of iterateSongs(parts)) {
    const wrong = await findWrongMarks(parts, songs, names);
    if (signal.aborted) return;
    await correct(parts, wrong);
    const turned = new Set(wrong);
    missing += songs.filter((song) => song.isMissing !== turned.has(song)).length;
    for (const { id } of songs) known.add(id);
  }
  if (signal.aborted) return;
  const strays = [...names].filter((name) => !known.has(parseSongFileName(name) ?? 0));
  if (missing > 0) log.warn({ songs: missing }, 'music.files.missing');
  if (strays.length > 0) log.warn({ files: strays.length, first: strays.slice(0, 10) }, 'music.files.unknown');
}
