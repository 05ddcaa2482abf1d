import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import { type Job, JobFailure, type JobOutcome, type JobQueue } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessedSong } from '#platform/server/media/media.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import { insertInSequence, type Sibling } from '../../library/domain/playlist.ts';
import type { NewSong, Song } from '../../library/domain/song.ts';
import { getPicturePath, getSongPath } from '../../library/server/files/songFiles.ts';
import type { createLostSongStore, SongOrigin } from '../../library/server/store/songStore.ts';
import type { MusicServices } from '../../server/musicServices.ts';
import type { DownloadResult } from '../domain/download.ts';
import { UPLOAD_SITE } from './jobInput.ts';

export interface SongImporterDeps {
  readonly services: MusicServices;
  readonly lostSongs: ReturnType<typeof createLostSongStore>;
  readonly files: FileStorage;
  readonly jobs: JobQueue;
  readonly now: () => Temporal.Instant;
  /** Receives errors of clean-up. */
  readonly onFault: (error: unknown) => void;
}

/** Where a finished song belongs. */
export interface SongPlacement {
  readonly job: Job;
  readonly folder: string;
  readonly origin: SongOrigin;
  readonly playlist: number | undefined;
  /** The song that has lost its file, and that this one replaces. */
  readonly lost: Song | undefined;
}

const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0);

/** Generates 52 random bits, never 0. */
export function generateSongId(): number {
  const id = randomBytes(6).readUIntBE(0, 6) * 16 + ((randomBytes(1)[0] ?? 0) & 15);
  return id === 0 ? generateSongId() : id;
}

/**
 * Returns the id of the job's song. It is the same in all attempts, so that an interrupted one leaves no orphaned file.
 */
async function loadOrCreateId(folder: string): Promise<number> {
  const path = join(folder, 'id');
  const storedId = await readFile(path, 'utf8').catch(() => '');
  if (/^[1-9]\d{0,15}$/.test(storedId)) return Number(storedId);
  const id = generateSongId();
  await writeFile(path, String(id));
  return id;
}

/** Makes refusals of the library final, because another attempt would be refused too. */
const asPermanentFailure = async <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (error instanceof Refusal && !(error instanceof JobFailure))
      throw new JobFailure('final', error.message, { cause: error });
    throw error;
  });

const getResult = (job: Job): DownloadResult | undefined => job.result as DownloadResult | undefined;

/** Creates the service that adds finished songs to the library and to playlists. */
export function createSongImporter({ services, lostSongs, files, jobs, now, onFault }: SongImporterDeps) {
  const { library, store, songFiles, checkQuota } = services;

  /** Returns the songs of the same list that are in the library. */
  async function listSiblings({ account, parent }: Job, tx: UnitOfWork['tx']): Promise<readonly Sibling[]> {
    if (parent === undefined) return [];
    const songJobs = await jobs.list(account, { parent, endedAfter: LONG_AGO }, tx);
    return songJobs.flatMap((each) => {
      const result = getResult(each);
      return result?.kind === 'song' ? [{ song: result.song, position: each.position }] : [];
    });
  }

  /** Inserts a song at its place in a playlist. Does nothing if the playlist has been deleted. */
  async function addToPlaylist(
    { tx }: UnitOfWork,
    job: Job,
    playlist: number | undefined,
    song: number,
  ): Promise<void> {
    if (playlist === undefined) return;
    const list = await store.playlists.find(job.account, playlist, tx);
    if (!list) return;
    const songs = insertInSequence(list.songs, { song, position: job.position }, await listSiblings(job, tx));
    if (songs !== list.songs)
      await store.playlists.update(tx, job.account, { ...list, songs, changed: now().epochMilliseconds });
  }

  function toNewSong(id: number, { origin }: SongPlacement, processed: ProcessedSong): NewSong {
    const time = now().epochMilliseconds;
    return {
      id,
      ...processed.tags,
      ...processed.details,
      type: processed.extension,
      duration: processed.seconds,
      size: processed.bytes,
      crc: processed.crc32,
      colour: processed.colour,
      hasPicture: processed.thumbnail !== undefined,
      ...processed.loudness,
      added: time,
      written: time,
      ...origin,
    };
  }

  return {
    findStoredSong: (account: number, origin: SongOrigin): Promise<Song | undefined> =>
      store.songs.findByOrigin(account, origin),
    findLostSong: (account: number, origin: SongOrigin): Promise<Song | undefined> =>
      lostSongs.findByOrigin(account, origin),

    /** Adds a song that is in the library already to the playlist. */
    reuseSong: (job: Job, song: number, playlist: number | undefined): JobOutcome => ({
      save: async (work): Promise<DownloadResult> => {
        await library.startChange(work, job.account);
        await addToPlaylist(work, job, playlist, song);
        return { kind: 'song', song, isKnown: true };
      },
    }),

    /** Adds a finished song to the library: first its file, then its rows in one transaction. @throws JobFailure */
    storeSong: async (placement: SongPlacement, processed: ProcessedSong): Promise<JobOutcome> => {
      const { job, folder, origin, playlist, lost } = placement;
      const { account } = job;
      // The space of its upload is not counted twice.
      const digest = origin.site === UPLOAD_SITE ? origin.siteId : undefined;
      await asPermanentFailure(checkQuota(account, processed.bytes, { digest }));
      const id = lost?.id ?? (await loadOrCreateId(folder));
      const type = processed.extension;
      if (processed.thumbnail !== undefined)
        await files.importFile(join(folder, processed.thumbnail), getPicturePath(id));
      await files.importFile(join(folder, processed.name), getSongPath({ id, type }));
      const song = toNewSong(id, placement, processed);

      async function saveSong(work: UnitOfWork): Promise<DownloadResult> {
        await library.startChange(work, account);
        // The same video may have been downloaded concurrently.
        const existing = lost ?? (await store.songs.findByOrigin(account, origin, work.tx));
        // Other songs may have been added in the meantime.
        if (lost !== undefined || existing === undefined)
          await checkQuota(account, processed.bytes, { digest, tx: work.tx });
        if (lost) await store.songs.replaceFile(work.tx, account, song);
        else if (!existing) await library.addSong(work, account, song);
        else work.afterCommit(() => void songFiles.remove(id).catch(onFault));
        await addToPlaylist(work, job, playlist, existing?.id ?? id);
        return { kind: 'song', song: existing?.id ?? id, isKnown: existing !== undefined && !lost };
      }
      return {
        save: (work) => asPermanentFailure(saveSong(work)),
        undo: async () => {
          if (!lost) await songFiles.remove(id);
        },
      };
    },
  };
}
export type SongImporter = ReturnType<typeof createSongImporter>;
