import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import { computeChecksum, type FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { Song } from '../../domain/song.ts';
import type { MusicStore } from '../store/musicStore.ts';
import type { SongOnDisk } from '../store/songStore.ts';
import {
  type MissingMarker,
  FOLDER,
  getNextSongPath,
  getSongPath,
  parseSongFileName,
  type SongFiles,
} from './songFiles.ts';

interface ScanDeps {
  readonly store: MusicStore;
  readonly files: FileStorage;
  readonly songFiles: SongFiles;
  readonly markMissing: MissingMarker;
  /** Runs work for a song one after another, together with the tagger. */
  readonly runInOrder: <T>(song: number, work: () => Promise<T>) => Promise<T>;
  readonly log: FastifyBaseLogger;
  readonly signal: AbortSignal;
}

const BATCH_SIZE = 32;
/** Lets the server handle requests in between. A library of 20,000 songs still takes only seconds. */
const BATCH_DELAY_MS = 5;

/** Moves a file with new tags into place, if the server was stopped before that. After another rename it is removed. */
async function finishRetag({ files, store }: Pick<ScanDeps, 'files' | 'store'>, song: SongOnDisk): Promise<void> {
  const next = getNextSongPath(song);
  if ((await files.getSize(next)) === undefined) return;
  const { size, crc } = (await store.songs.find(song.account, song.id)) ?? song;
  const { bytes, crc32 } = await files.withLocalFile(next, computeChecksum);
  if (bytes === size && crc32 === crc) await files.rename(next, getSongPath(song));
  else await files.remove(next);
}

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

/** Returns the songs that are wrongly marked as missing or as existing. */
async function findWrongMarks(
  deps: Pick<ScanDeps, 'files' | 'store' | 'songFiles' | 'runInOrder' | 'signal'>,
  songs: readonly SongOnDisk[],
  names: ReadonlySet<string>,
): Promise<readonly SongOnDisk[]> {
  const { store, songFiles, runInOrder, signal } = deps;
  const isWrong = async (song: Song | SongOnDisk): Promise<boolean> =>
    (await songFiles.exists(song)) === song.isMissing;
  const wrong: SongOnDisk[] = [];
  for (const batch of splitIntoChunks(songs, BATCH_SIZE)) {
    if (signal.aborted) break;
    for (const song of batch.filter((each) => names.has(getNextSongPath(each))))
      await runInOrder(song.id, () => finishRetag(deps, song));
    const isWrongByIndex = await Promise.all(batch.map(isWrong));
    for (const song of batch.filter((_, index) => isWrongByIndex[index])) {
      // The row may be outdated, because the song was renamed in the meantime.
      const loadNewest = () => store.songs.find(song.account, song.id);
      if (await runInOrder(song.id, async () => isWrong((await loadNewest()) ?? song))) wrong.push(song);
    }
    await pause(BATCH_DELAY_MS);
  }
  return wrong;
}

/** Corrects the marks of all songs in one change per account, because every change makes its pages refetch. */
async function correctMarks(
  { markMissing }: Pick<ScanDeps, 'markMissing'>,
  wrong: readonly SongOnDisk[],
): Promise<void> {
  for (const account of new Set(wrong.map((song) => song.account)))
    for (const isMissing of [true, false]) {
      const songsToMark = wrong.filter((song) => song.account === account && song.isMissing !== isMissing);
      if (songsToMark.length > 0)
        await markMissing(
          account,
          songsToMark.map(({ id }) => id),
          isMissing,
        );
    }
}

/**
 * Compares the library with its folder after the start, and marks songs with missing files.
 * Files without a song are logged. Nothing is deleted automatically.
 */
export async function scanFolder(deps: ScanDeps): Promise<void> {
  const { files, log, signal } = deps;
  const names = new Set(await files.list(FOLDER));
  const knownIds = new Set<number>();
  let missingCount = 0;
  for await (const songs of iterateSongs(deps)) {
    const wrong = await findWrongMarks(deps, songs, names);
    if (signal.aborted) return;
    await correctMarks(deps, wrong);
    const corrected = new Set(wrong);
    missingCount += songs.filter((song) => song.isMissing !== corrected.has(song)).length;
    for (const { id } of songs) knownIds.add(id);
  }
  if (signal.aborted) return;
  const unknownFiles = [...names].filter((name) => !knownIds.has(parseSongFileName(name) ?? 0));
  if (missingCount > 0) log.warn({ songs: missingCount }, 'music.files.missing');
  if (unknownFiles.length > 0)
    log.warn({ files: unknownFiles.length, first: unknownFiles.slice(0, 10) }, 'music.files.unknown');
}
