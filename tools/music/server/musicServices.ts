import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext, ServerSite, StartedServerTool } from '#platform/server/tool.ts';
import { createFileSender } from '../library/server/files/fileSender.ts';
import { createSignedLinks } from '../library/server/files/signedLinks.ts';
import { createMissingMarker, createSongFiles } from '../library/server/files/songFiles.ts';
import { createTagger } from '../library/server/files/tagger.ts';
import { createLibrary } from '../library/server/library.ts';
import { createMusicStore } from '../library/server/store/musicStore.ts';
import { createTranscoder } from '../subsonic/server/transcoder.ts';
import { settings } from './musicSettings.ts';

/** Storage that an account uses, in bytes. */
export interface UsedSpace {
  readonly songs: number;
  /** Announced size of uploads that are not songs yet. */
  readonly uploads: number;
  /** Deleted songs that can still be restored. */
  readonly deleted: number;
}

const BYTES_PER_GIB = 1024 ** 3;
const formatGib = (bytes: number): string => (bytes / BYTES_PER_GIB).toFixed(1);

/**
 * Returns why there is no space for more bytes, and the remedy; undefined if there is space.
 * Deleted songs only count as far as they exceed the quota.
 */
export function findSpaceProblem(
  { songs, uploads, deleted }: UsedSpace,
  { bytes, quota }: { readonly bytes: number; readonly quota: number },
): string | undefined {
  const surplus = Math.max(0, deleted - quota);
  if (songs + uploads + surplus + bytes <= quota) return undefined;
  const usage = `Your songs use ${formatGib(songs)} of ${quota / BYTES_PER_GIB} GiB`;
  const noSpace = 'there is no space for this one';
  if (songs + bytes > quota) return `${usage}, and ${noSpace}. Delete some first`;
  if (songs + surplus + bytes <= quota)
    return `${usage}, unfinished uploads use ${formatGib(uploads)} GiB, and ${noSpace}. Finish or cancel some uploads first`;
  return `${usage}, deleted songs use ${formatGib(deleted)} GiB more, and ${noSpace}. Deleted songs are removed after a day`;
}

interface SpaceCheckOptions {
  readonly digest?: string | undefined;
  readonly tx?: Transaction<unknown>;
}

/** Creates the services that all parts of the tool share: the library and its files. */
export function createMusicServices(context: ServerContext, { basePath }: Pick<ServerSite, 'basePath'>) {
  const { database, identity, processRunner, programs, files, disk, media, log, now } = context;
  const { MUSIC_QUOTA_GB } = settings.parse(context.environment);
  const quota = MUSIC_QUOTA_GB * BYTES_PER_GIB;
  const store = createMusicStore(database);
  const library = createLibrary(context, store);
  const songFiles = createSongFiles(files);
  const links = createSignedLinks({ links: context.links, identity, now });
  const tagger = createTagger({ database, now, store, files, media, log, startChange: library.startChange });
  const markMissing = createMissingMarker({ database, songs: store.songs, startChange: library.startChange });
  const transcoder = createTranscoder({
    processRunner,
    files,
    disk,
    ffmpeg: async () =>
      (await programs.getSetupProblem('convert')) === '' ? (await programs.findFfmpeg()).program : undefined,
  });
  const prepareFile = createFileSender({
    files: songFiles,
    links,
    basePath,
    waitForTags: tagger.waitForTags,
    reloadSongs: async (account, songs) => {
      const songsById = await store.songs.findByIds(
        account,
        songs.map(({ id }) => id),
      );
      return songs.flatMap(({ id }) => songsById.get(id) ?? []);
    },
    onMissing: async (account, ids) => {
      log.warn({ account, songs: ids.length }, 'music.files.missing');
      await markMissing(account, ids, true);
    },
  });
  return {
    store,
    library,
    songFiles,
    links,
    tagger,
    markMissing,
    transcoder,
    /** Removes the files of permanently deleted songs. */
    removeFiles: async (songs: readonly number[]): Promise<void> => {
      for (const id of songs) {
        await songFiles.remove(id);
        await transcoder.remove(id);
      }
    },
    /** Prepares a song, a zip or a playlist file for sending. */
    prepareFile,
    /** Maximum storage of an account, in bytes. */
    quota,
    /**
     * Checks the quota. `digest` is the upload that the bytes belong to, if any. @throws Refusal if there is no space.
     */
    checkQuota: async (account: number, bytes: number, { digest = '', tx }: SpaceCheckOptions = {}): Promise<void> => {
      const { bytes: songs, deleted } = await store.songs.countUsedSpace(account, tx);
      const uploads = await store.uploads.sumOtherBytes(account, digest, tx);
      const reason = findSpaceProblem({ songs, uploads, deleted }, { bytes, quota });
      if (reason !== undefined) throw new Refusal('music.quota', reason);
    },
  };
}

export type MusicServices = ReturnType<typeof createMusicServices>;

/** Combines several parts of a tool into one. */
export function joinTools(parts: readonly StartedServerTool[]): StartedServerTool {
  return {
    calls: parts.flatMap(({ calls }) => calls),
    events: parts.flatMap(({ events = [] }) => events),
    endpoints: parts.flatMap(({ endpoints = [] }) => endpoints),
    startBackgroundWork: () => {
      for (const part of parts) part.startBackgroundWork?.();
    },
    tasks: parts.flatMap(({ tasks = [] }) => tasks),
    jobKinds: parts.flatMap(({ jobKinds = [] }) => jobKinds),
    deleteAccountData: async (account) => {
      for (const part of parts) await part.deleteAccountData?.(account);
    },
    nightly: async () => {
      for (const { nightly } of parts) await nightly?.();
    },
    stop: async () => {
      for (const { stop } of parts.toReversed()) await stop?.();
    },
  };
}
