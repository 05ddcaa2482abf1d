import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import { type Job, JobFailure, type JobOutcome, type JobQueue } from '#platform/server/jobs/jobQueue.ts';
import type { ProcessedSong } from '#platform/server/media/media.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import { inSequence, type Sibling } from '../../library/domain/playlist.ts';
import type { FreshSong, Song } from '../../library/domain/song.ts';
import { pictureFile, songFile } from '../../library/server/files/songFiles.ts';
import type { lostStore } from '../../library/server/store/lostStore.ts';
import type { SongOrigin } from '../../library/server/store/songStore.ts';
import type { Base } from '../../server/musicServices.ts';
import type { DownloadResult } from '../domain/download.ts';
import { UPLOADED } from './jobInput.ts';

export interface SongKeeperDeps {
  readonly base: Base;
  readonly lost: ReturnType<typeof lostStore>;
  readonly files: FileStorage;
  readonly jobs: JobQueue;
  readonly now: () => Temporal.Instant;
  /** What could not be cleared away. */
  readonly onFault: (error: unknown) => void;
}

/** A finished song, and where it is to stand. */
export interface SongPlacement {
  readonly job: Job;
  readonly folder: string;
  readonly origin: SongOrigin;
  readonly playlist: number | undefined;
  /** In whose place it comes, because the file of that one is gone. */
  readonly lost: Song | undefined;
}

const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0);

/** 52 random bits, never 0. */
const newId = (): number => {
  const id = randomBytes(6).readUIntBE(0, 6) * 16 + ((randomBytes(1)[0] ?? 0) & 15);
  return id === 0 ? newId() : id;
};

/** The id that this job's song gets, the same in all its tries: a try that ended between file and row leaves no file behind. */
const idOf = async (folder: string): Promise<number> => {
  const path = join(folder, 'id');
  const written = await readFile(path, 'utf8').catch(() => '');
  if (/^[1-9]\d{0,15}$/.test(written)) return Number(written);
  const id = newId();
  await writeFile(path, String(id));
  return id;
};

/** What a rule of the library refuses is not tried again. */
const finally_ = async <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (error instanceof Refusal && !(error instanceof JobFailure))
      throw new JobFailure('final', error.message, { cause: error });
    throw error;
  });

const resultOf = (job: Job): DownloadResult | undefined => job.result as DownloadResult | undefined;

export function createSongKeeper({ base, lost, files, jobs, now, onFault }: SongKeeperDeps) {
  const { library, store, songFiles, checkRoom } = base;

  /** Songs of the same list that are there already. */
  const siblingsOf = async ({ account, parent }: Job, tx: UnitOfWork['tx']): Promise<readonly Sibling[]> => {
    if (parent === undefined) return [];
    const all = await jobs.list(account, { parent, endedAfter: LONG_AGO }, tx);
    return all.flatMap((each) => {
      const result = resultOf(each);
      return result?.kind === 'song' ? [{ song: result.song, position: each.position }] : [];
    });
  };

  /** Puts a song where it belongs in a playlist; nothing happens where that was deleted meanwhile. */
  const fill = async ({ tx }: UnitOfWork, job: Job, playlist: number | undefined, song: number): Promise<void> => {
    if (playlist === undefined) return;
    const list = await store.playlists.one(job.account, playlist, tx);
    if (!list) return;
    const songs = inSequence(list.songs, { song, position: job.position }, await siblingsOf(job, tx));
    if (songs !== list.songs)
      await store.playlists.change(tx, job.account, { ...list, songs, changed: now().epochMilliseconds });
  };

  const freshOf = (id: number, { origin }: SongPlacement, made: ProcessedSong): FreshSong => {
    const time = now().epochMilliseconds;
    return {
      id,
      ...made.tags,
      ...made.details,
      type: made.extension,
      duration: made.seconds,
      size: made.bytes,
      crc: made.crc32,
      colour: made.colour,
      hasPicture: made.thumbnail !== undefined,
      ...made.loudness,
      added: time,
      written: time,
      ...origin,
    };
  };

  return {
    songThere: (account: number, origin: SongOrigin): Promise<Song | undefined> => store.songs.from(account, origin),
    songLost: (account: number, origin: SongOrigin): Promise<Song | undefined> => lost.from(account, origin),

    /** The song is there already: it only comes into the playlist. */
    known: (job: Job, song: number, playlist: number | undefined): JobOutcome => ({
      save: async (work): Promise<DownloadResult> => {
        await library.begin(work, job.account);
        await fill(work, job, playlist, song);
        return { kind: 'song', song, isKnown: true };
      },
    }),

    /** Brings a finished song into the library: its file first, then, in one transaction, all that tells of it. @throws JobFailure */
    fresh: async (keeping: SongPlacement, made: ProcessedSong): Promise<JobOutcome> => {
      const { job, folder, origin, playlist, lost: old } = keeping;
      const { account } = job;
      // Its upload makes room for it.
      const digest = origin.site === UPLOADED ? origin.siteId : undefined;
      await finally_(checkRoom(account, made.bytes, { digest }));
      const id = old?.id ?? (await idOf(folder));
      const type = made.extension;
      if (made.thumbnail !== undefined) await files.importFile(join(folder, made.thumbnail), pictureFile(id));
      await files.importFile(join(folder, made.name), songFile({ id, type }));
      const song = freshOf(id, keeping, made);

      const keep = async (work: UnitOfWork): Promise<DownloadResult> => {
        await library.begin(work, account);
        // The same video may have been fetched twice at once.
        const there = old ?? (await store.songs.from(account, origin, work.tx));
        // Others may have come meanwhile.
        if (old !== undefined || there === undefined) await checkRoom(account, made.bytes, { digest, tx: work.tx });
        if (old) await store.songs.refill(work.tx, account, song);
        else if (!there) await library.addSong(work, account, song);
        else work.afterCommit(() => void songFiles.remove(id).catch(onFault));
        await fill(work, job, playlist, there?.id ?? id);
        return { kind: 'song', song: there?.id ?? id, isKnown: there !== undefined && !old };
      };
      return {
        save: (work) => finally_(keep(work)),
        undo: async () => {
          if (!old) await songFiles.remove(id);
        },
      };
    },
  };
}
export type SongKeeper = ReturnType<typeof createSongKeeper>;
