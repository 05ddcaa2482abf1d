import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AnswerOf } from '#platform/contract/call.ts';
import { HOUR_MS } from '#platform/contract/duration.ts';
import type { JsonChunks } from '#platform/server/tool.ts';
import type { ytgetdata, modplaylist, modvideo } from '../../contract.ts';
import { ALL_SONGS, ALL_TITLE } from '../../contract/limits.ts';
import type { Playlist, Song } from '../domain/song.ts';
import { type Library, DELETED_TTL_MS } from './library.ts';
import type { MusicStore } from './store/musicStores.ts';

/** A state of a library: account, revision, and when it was read. */
export interface LibraryVersion {
  readonly account: number;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Deleted songs are unknown after this time. One hour less, because clocks are read before transactions end. */
const MAX_DELTA_AGE_MS = DELETED_TTL_MS - HOUR_MS;

/** Returns whether all changes since that state can still be listed. */
export function canListChanges(since: LibraryVersion, is: LibraryVersion): boolean {
  return (
    since.account === is.account &&
    since.revision <= is.revision &&
    since.time <= is.time &&
    is.time - since.time < MAX_DELTA_AGE_MS
  );
}

export type Mp3OnWire = AnswerOf<typeof modvideo>['mp3'];
export type PlaylistOnWire = AnswerOf<typeof modplaylist>['playlist'];

/** Formats ISO 8601. Uses `Date`, because Temporal took longer than everything else for 20,000 songs. */
const formatInstant = (ms: number): string => new Date(ms).toISOString();

/** Converts a song to the format of the contract. */
export function songOnWire({
  title,
  artist,
  album,
  colour,
  duration,
  size,
  plays,
  gain,
  peak,
  ...song
}: Song): Mp3OnWire {
  return {
    title,
    colour,
    order: song.place,
    expanded: false,
    selected: false,
    artist,
    album,
    duration,
    size,
    added: formatInstant(song.added),
    plays,
    starred: song.starred !== undefined,
    gain,
    peak,
    source: song.source,
    isMissing: song.isMissing,
    hasPicture: song.hasPicture,
  };
}

/** Converts a playlist to the format of the contract. */
export function playlistOnWire({ title, songs, created }: Omit<Playlist, 'id' | 'changed'>): PlaylistOnWire {
  return {
    title,
    contains: [...songs],
    user_created: 1,
    expanded: false,
    created: formatInstant(created),
  };
}

/** Songs as JSON without braces. Cached as bytes, which are sent unchanged and cost no garbage collection. */
export interface SongsOnWire {
  readonly json: Buffer;
  /** In order. */
  readonly ids: readonly number[];
  /** Bytes of their files. */
  readonly used: number;
}

/** Serializes songs as JSON. */
export function songsOnWire(songs: readonly Song[]): SongsOnWire {
  return {
    json: Buffer.from(songs.map((song) => `"${song.id}":${JSON.stringify(songOnWire(song))}`).join(',')),
    ids: songs.map(({ id }) => id),
    used: songs.reduce((sum, { size, isMissing }) => sum + (isMissing ? 0 : size), 0),
  };
}

interface WireDeps {
  /** Oldest songs first. */
  readonly stretches: readonly SongsOnWire[];
  readonly playlists: (isThere: (song: number) => boolean) => Promise<readonly Playlist[]>;
  readonly quota: number;
}

/** Serializes the answer with the whole library, except for its end. It is large, and is not validated again. */
export async function libraryOnWire({ stretches: intervals, playlists, quota }: WireDeps): Promise<JsonChunks> {
  const mp3s = intervals.flatMap(({ json }) => (json.length === 0 ? [] : [',', json])).slice(1);
  const songs = intervals.flatMap(({ ids }) => ids);
  const isThere = new Set(songs);
  const used = intervals.reduce((sum, interval) => sum + interval.used, 0);
  const all = { ...playlistOnWire({ title: ALL_TITLE, songs, created: 0 }), user_created: 0 };
  const lists = [
    `"${ALL_SONGS}":${JSON.stringify(all)}`,
    ...(await playlists((song) => isThere.has(song))).map(
      (list) => `"${list.id}":${JSON.stringify(playlistOnWire(list))}`,
    ),
  ];
  return ['{"mp3s":{', ...mp3s, Buffer.from(`},"playlists":{${lists.join(',')}},"used":${used},"quota":${quota}`)];
}

/** A library of 20,000 songs takes about 8 MB. */
const MAX_CACHED_LIBRARIES = 4;

/** Consecutive songs. */
interface SongChunk extends SongsOnWire {
  /** Place of the last song. */
  readonly until: number;
}

interface CachedLibraryResponse {
  readonly stretches: readonly SongChunk[];
  readonly json: JsonChunks;
}

interface CachedLibrary extends LibraryVersion {
  readonly whole: Promise<CachedLibraryResponse>;
}

interface WholeLibrariesDeps {
  readonly store: MusicStore;
  readonly library: Pick<Library, 'playlists'>;
  /** Quota of an account in bytes. */
  readonly quota: number;
}

/**
 * Caches whole libraries as JSON, except for the end of the answer: after a change all open pages refetch concurrently.
 * Only chunks with changes are read again.
 */
export function createWholeLibraries({ store: { songs }, library, quota }: WholeLibrariesDeps) {
  /** Ordered by last use. */
  const cache = new LRUCache<number, CachedLibrary>({ max: MAX_CACHED_LIBRARIES });

  /**
   * @param before cached chunks
   * @param places places with changes or removals since
   */
  const read = async (account: number, before: readonly SongChunk[] = [], places: readonly number[] = []) => {
    const now: SongChunk[] = [];
    let after = 0;
    // The last chunk may have space for later songs, so it is always read again.
    for (const interval of before.slice(0, -1)) {
      const [from, { until }] = [after, interval];
      const isNew = places.some((place) => place > from && place <= until);
      now.push(isNew ? { ...songsOnWire(await songs.listBetween(account, from, until)), until } : interval);
      after = until;
    }
    for await (const page of songs.pages(account, after))
      now.push({ ...songsOnWire(page), until: page.at(-1)?.place ?? after });
    return now;
  };

  const readChunks = async (is: LibraryVersion, known: CachedLibrary | undefined): Promise<readonly SongChunk[]> => {
    const before = known && canListChanges(known, is) ? await known.whole.catch(() => undefined) : undefined;
    const places = known && before ? await songs.listChangedPlaces(is.account, known.revision) : undefined;
    return before && places ? read(is.account, before.stretches, places) : read(is.account);
  };

  const build = async (is: LibraryVersion, known: CachedLibrary | undefined): Promise<CachedLibraryResponse> => {
    const intervals = await readChunks(is, known);
    return {
      stretches: intervals,
      json: await libraryOnWire({
        stretches: intervals,
        playlists: (isThere) => library.playlists(is.account, isThere),
        quota,
      }),
    };
  };

  /** @param is state that was read before; later changes are found by the next request. */
  return async (is: LibraryVersion): Promise<JsonChunks> => {
    const known = cache.get(is.account);
    const whole = known?.revision === is.revision ? known.whole : build(is, known);
    const now: CachedLibrary = { ...is, whole };
    cache.set(is.account, now);
    try {
      return (await whole).json;
    } catch (error) {
      if (cache.get(is.account)?.whole === whole) cache.delete(is.account);
      throw error;
    }
  };
}

type AnswerPart = Omit<AnswerOf<typeof ytgetdata>, 'revision'>;

interface AnswersDeps {
  readonly store: MusicStore;
  readonly library: Pick<Library, 'playlists' | 'playlistsSince'>;
  /** Quota of an account in bytes. */
  readonly quota: number;
  readonly now: () => Temporal.Instant;
}

/** Formats and parses revision texts. One of an earlier start is ignored: the database may be a restored backup. */
const createRevisionFormat = () => {
  const start = randomBytes(6).toString('hex');
  return {
    write: ({ account, revision, time }: LibraryVersion): string => [start, account, revision, time].join('-'),
    read: (text: string): LibraryVersion | undefined => {
      const [, from, ...numbers] = /^([\da-f]{12})-(\d{1,15})-(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
      const [account = 0, revision = 0, time = 0] = numbers.map(Number);
      return from === start ? { account, revision, time } : undefined;
    },
  };
};

/** Creates the answers with a library as JSON: everything, or the changes for a page that has one already. */
export function createAnswers({ store, library, quota, now }: AnswersDeps) {
  const whole = createWholeLibraries({ store, library, quota });
  const revisionFormat = createRevisionFormat();

  /** Returns undefined if there are too many changes. */
  const partSince = async ({ account, revision }: LibraryVersion): Promise<AnswerPart | undefined> => {
    // Read before the songs, so that all songs of a playlist are known or included.
    const lists = await library.playlistsSince(account, revision);
    const songs = await store.songs.listSince(account, revision);
    if (songs === undefined) return undefined;
    const { bytes } = await store.songs.countUsedSpace(account);
    return {
      mp3s: Object.fromEntries(songs.changed.map((song) => [String(song.id), songOnWire(song)])),
      playlists: Object.fromEntries(lists.changed.map((list) => [String(list.id), playlistOnWire(list)])),
      used: bytes,
      quota,
      part: { gone: [...songs.gone], lists: [...lists.all] },
    };
  };

  /** @param text revision text that the page has */
  return async (account: number, text?: string): Promise<JsonChunks> => {
    const time = now().epochMilliseconds;
    // Read first: a change in between is simply included again in the next answer.
    const is = { account, revision: await store.book.getRevision(account), time };
    const revision = revisionFormat.write(is);
    const known = text === undefined ? undefined : revisionFormat.read(text);
    const part = known && canListChanges(known, is) ? await partSince(known) : undefined;
    if (part) return [JSON.stringify({ ...part, revision })];
    return [...(await whole(is)), `,"revision":"${revision}"}`];
  };
}

export type Answers = ReturnType<typeof createAnswers>;
