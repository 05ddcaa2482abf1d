import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import type { Song } from '../../domain/song.ts';
import type { MusicStore } from '../store/musicStores.ts';
import type { SongOnDisk } from '../store/songStore.ts';
import { type Marker, FOLDER, nextSongFile, songFile, songOfFile, type SongFiles } from './songFiles.ts';

interface ScanDeps {
  readonly store: MusicStore;
  readonly files: FileStorage;
  readonly songFiles: SongFiles;
  readonly mark: Marker;
  /** One after another for each song, as its words are written. */
  readonly inTurn: <T>(song: number, work: () => Promise<T>) => Promise<T>;
  readonly log: FastifyBaseLogger;
  readonly signal: AbortSignal;
}

const BATCH_SIZE = 32;
/** Between them the server answers others: a library of 20,000 songs is looked through in seconds either way. */
const BATCH_DELAY_MS = 5;

/** A song's file with new tags that was not moved into place yet. After another rename it is gone or newer. */
const finishNext = async ({ files, store }: Pick<ScanDeps, 'files' | 'store'>, song: SongOnDisk): Promise<void> => {
  const next = nextSongFile(song);
  if ((await files.getSize(next)) === undefined) return;
  const { size, crc } = (await store.songs.one(song.account, song.id)) ?? song;
  const { bytes, crc32 } = await files.computeChecksum(next);
  if (bytes === size && crc32 === crc) await files.importFile(files.getPath(next), songFile(song));
  else await files.remove(next);
};

/** All songs of the server, as many at a time as are read at once. */
async function* everySong({
  store,
  signal,
}: Pick<ScanDeps, 'store' | 'signal'>): AsyncGenerator<readonly SongOnDisk[]> {
  for (let after = 0; !signal.aborted;) {
    const songs = await store.songs.files(after);
    const last = songs.at(-1);
    if (last === undefined) return;
    yield songs;
    after = last.id;
  }
}

/** Those whose marks say something else than the folder. */
const wrongAmong = async (
  parts: Pick<ScanDeps, 'files' | 'store' | 'songFiles' | 'inTurn' | 'signal'>,
  songs: readonly SongOnDisk[],
  names: ReadonlySet<string>,
): Promise<readonly SongOnDisk[]> => {
  const { store, songFiles, inTurn, signal } = parts;
  const isWrong = async (song: Song | SongOnDisk): Promise<boolean> =>
    (await songFiles.isThere(song)) === song.isMissing;
  const wrong: SongOnDisk[] = [];
  for (const some of splitIntoChunks(songs, BATCH_SIZE)) {
    if (signal.aborted) break;
    for (const song of some.filter((one) => names.has(nextSongFile(one))))
      await inTurn(song.id, () => finishNext(parts, song));
    const found = await Promise.all(some.map(isWrong));
    for (const song of some.filter((_, at) => found[at])) {
      // A song that was renamed meanwhile has another size than its row had.
      const newest = () => store.songs.one(song.account, song.id);
      if (await inTurn(song.id, async () => isWrong((await newest()) ?? song))) wrong.push(song);
    }
    await pause(BATCH_DELAY_MS);
  }
  return wrong;
};

/** Turns the marks of these around: of many at once, since every change has the pages ask for what is new. */
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
 * Holds the library against its folder, after the start. Songs whose files are gone or shorter are marked, and no longer once they are there
 * again; files of no song are told of. Nothing is deleted by itself.
 */
export async function scanFolder(parts: ScanDeps): Promise<void> {
  const { files, log, signal } = parts;
  const names = new Set(await files.list(FOLDER));
  const known = new Set<number>();
  let missing = 0;
  for await (const songs of everySong(parts)) {
    const wrong = await wrongAmong(parts, songs, names);
    if (signal.aborted) return;
    await correct(parts, wrong);
    const turned = new Set(wrong);
    missing += songs.filter((song) => song.isMissing !== turned.has(song)).length;
    for (const { id } of songs) known.add(id);
  }
  if (signal.aborted) return;
  const strays = [...names].filter((name) => !known.has(songOfFile(name) ?? 0));
  if (missing > 0) log.warn({ songs: missing }, 'music.files are missing or shorter than they were');
  if (strays.length > 0)
    log.warn(
      { files: strays.length, first: strays.slice(0, 10) },
      'music.files belong to no song; they are left where they are',
    );
}
