import { Refusal } from '#platform/contract/refusal.ts';
import type { Ground, ServerParts } from '#platform/server/tool.ts';
import { makeGiver } from './files/given.ts';
import { makeMarker } from './files/missing.ts';
import { makeSignedLinks } from './files/signedLinks.ts';
import { makeSongFiles } from './files/songFiles.ts';
import { makeTagger } from './files/tagger.ts';
import { makeLibrary } from './library/library.ts';
import { settings } from './settings.ts';
import { musicStore } from './store/music.ts';

const GIB = 1024 ** 3;

const inGib = (bytes: number): string => (bytes / GIB).toFixed(1);

/** What all parts of music stand on: the library with its acts, and its files. */
export const makeBase = (ground: Ground) => {
  const { database, identity, files, media, log, now } = ground;
  const { MUSIC_QUOTA_GB } = settings.parse(ground.environment);
  const quota = MUSIC_QUOTA_GB * GIB;
  const store = musicStore(database);
  const library = makeLibrary(ground, store);
  const songFiles = makeSongFiles(files);
  const links = makeSignedLinks({ links: ground.links, identity, now });
  const tagger = makeTagger({ database, now, store, files, media, log, begin: library.begin });
  const mark = makeMarker({ database, songs: store.songs, begin: library.begin });
  const give = makeGiver({
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
    /** A song, a zip or a list as it is sent. */
    give,
    /** Bytes of an account. */
    quota,
    /** @throws Refusal where an account has no room for so many bytes more. */
    checkRoom: async (account: number, bytes: number): Promise<void> => {
      const { bytes: used } = await store.songs.used(account);
      if (used + bytes > quota)
        throw new Refusal(
          `Your songs take ${inGib(used)} of ${MUSIC_QUOTA_GB} GiB, and there is no room for this one: delete some first`,
        );
    },
  };
};

export type Base = ReturnType<typeof makeBase>;

/** Several parts of a tool as one. */
export const joined = (parts: readonly ServerParts[]): ServerParts => ({
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
});
