import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext, StartedServerTool } from '#platform/server/tool.ts';
import { createFileSender } from '../library/server/files/fileSender.ts';
import { createSignedLinks } from '../library/server/files/signedLinks.ts';
import { createMissingMarker, createSongFiles } from '../library/server/files/songFiles.ts';
import { createTagger } from '../library/server/files/tagger.ts';
import { createLibrary } from '../library/server/library.ts';
import { musicStore } from '../library/server/store/musicStores.ts';
import { createTranscoder } from '../subsonic/server/transcoder.ts';
import { settings } from './musicSettings.ts';

/** What of an account takes room, in bytes. */
export interface UsedSpace {
  readonly songs: number;
  /** Announced, as long as no songs were made of them. */
  readonly uploads: number;
  /** Songs that were deleted and can be brought back. */
  readonly deleted: number;
}

const ROOM_GIB = 1024 ** 3;
const inGib = (bytes: number): string => (bytes / ROOM_GIB).toFixed(1);

/**
 * Why there is no room for so many bytes more, and the remedy; undefined where there is. Deleted songs are kept for a day beside the others, and
 * count where they are more than all that an account may have.
 */
export function whyNoRoom(
  { songs, uploads, deleted }: UsedSpace,
  { bytes, quota }: { readonly bytes: number; readonly quota: number },
): string | undefined {
  const surplus = Math.max(0, deleted - quota);
  if (songs + uploads + surplus + bytes <= quota) return undefined;
  const taken = `Your songs take ${inGib(songs)} of ${quota / ROOM_GIB} GiB`;
  const none = 'there is no room for this one';
  if (songs + bytes > quota) return `${taken}, and ${none}: delete some first`;
  if (songs + surplus + bytes <= quota)
    return `${taken} and unfinished uploads ${inGib(uploads)} GiB, and ${none}: finish or cancel some of them first`;
  return `${taken} and deleted ones ${inGib(deleted)} GiB more, and ${none} until those are gone, a day after they were deleted`;
}

const GIB = 1024 ** 3;

interface RoomFor {
  readonly digest?: string | undefined;
  readonly tx?: Transaction<unknown>;
}

/** What all parts of music stand on: the library with its acts, and its files. */
export function createBase(ground: ServerContext) {
  const { database, identity, children, programs, files, disk, media, log, now } = ground;
  const { MUSIC_QUOTA_GB } = settings.parse(ground.environment);
  const quota = MUSIC_QUOTA_GB * GIB;
  const store = musicStore(database);
  const library = createLibrary(ground, store);
  const songFiles = createSongFiles(files);
  const links = createSignedLinks({ links: ground.links, identity, now });
  const tagger = createTagger({ database, now, store, files, media, log, begin: library.begin });
  const mark = createMissingMarker({ database, songs: store.songs, begin: library.begin });
  const lowered = createTranscoder({
    children,
    files,
    disk,
    ffmpeg: async () =>
      (await programs.getSetupProblem('convert')) === '' ? (await programs.findFfmpeg()).program : undefined,
  });
  const give = createFileSender({
    files: songFiles,
    links,
    settled: tagger.settled,
    again: async (account, songs) => {
      const there = await store.songs.named(
        account,
        songs.map(({ id }) => id),
      );
      return songs.flatMap(({ id }) => there.get(id) ?? []);
    },
    missing: async (account, ids) => {
      log.warn({ account, songs: ids.length }, 'music.files are missing or shorter than they were');
      await mark(account, ids, true);
    },
  });
  return {
    store,
    library,
    songFiles,
    links,
    tagger,
    mark,
    lowered,
    /** Files of songs that are no more. */
    removeFiles: async (songs: readonly number[]): Promise<void> => {
      for (const id of songs) {
        await songFiles.remove(id);
        await lowered.remove(id);
      }
    },
    /** A song, a zip or a list as it is sent. */
    give,
    /** Bytes of an account. */
    quota,
    /** @throws Refusal where an account has no room for so many bytes more: beside an upload, where they are those of its digest. */
    checkRoom: async (account: number, bytes: number, { digest = '', tx }: RoomFor = {}): Promise<void> => {
      const { bytes: songs, deleted } = await store.songs.used(account, tx);
      const uploads = await store.uploads.bytesBeside(account, digest, tx);
      const why = whyNoRoom({ songs, uploads, deleted }, { bytes, quota });
      if (why !== undefined) throw new Refusal(why);
    },
  };
}

export type Base = ReturnType<typeof createBase>;

/** Several parts of a tool as one. */
export function joined(parts: readonly StartedServerTool[]): StartedServerTool {
  return {
    calls: parts.flatMap(({ calls }) => calls),
    events: parts.flatMap(({ events = [] }) => events),
    endpoints: parts.flatMap(({ endpoints = [] }) => endpoints),
    begin: () => {
      for (const { begin } of parts) begin?.();
    },
    jobs: parts.flatMap(({ jobs = [] }) => jobs),
    jobKinds: parts.flatMap(({ jobKinds = [] }) => jobKinds),
    forget: async (account) => {
      for (const { forget } of parts) await forget?.(account);
    },
    nightly: async () => {
      for (const { nightly } of parts) await nightly?.();
    },
    stop: async () => {
      for (const { stop } of parts.toReversed()) await stop?.();
    },
  };
}
