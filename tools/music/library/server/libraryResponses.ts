import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AnswerOf } from '#platform/contract/call.ts';
import { HOUR_MS } from '#platform/contract/duration.ts';
import type { Cluster } from '#platform/server/cluster/cluster.ts';
import type { JsonChunks } from '#platform/server/tool.ts';
import type { ytgetdata, modplaylist, modvideo } from '../../contract.ts';
import { ALL_SONGS, ALL_SONGS_TITLE } from '../../contract/limits.ts';
import type { Playlist, Song } from '../domain/song.ts';
import { type Library, DELETED_TTL_MS } from './library.ts';
import type { MusicStore } from './store/musicStore.ts';

/** A state of a library: account, revision, and when it was read. */
export interface LibraryVersion {
  readonly account: number;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Deleted songs are unknown after this time. One hour less, because clocks are read before transactions end. */
const MAX_DELTA_AGE_MS = DELETED_TTL_MS - HOUR_MS;

/** Returns whether all changes since a known state can still be listed. */
export function canListChanges(known: LibraryVersion, current: LibraryVersion): boolean {
  return (
    known.account === current.account &&
    known.revision <= current.revision &&
    known.time <= current.time &&
    current.time - known.time < MAX_DELTA_AGE_MS
  );
}

export type WireSong = AnswerOf<typeof modvideo>['mp3'];
export type WirePlaylist = AnswerOf<typeof modplaylist>['playlist'];

/** Formats ISO 8601. Uses `Date`, because Temporal took longer than everything else for 20,000 songs. */
const formatInstant = (ms: number): string => new Date(ms).toISOString();

/** Converts a song to the format of the contract. */
export function toWireSong({
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
}: Song): WireSong {
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
export function toWirePlaylist({ title, songs, created }: Omit<Playlist, 'id' | 'changed'>): WirePlaylist {
  return { title, contains: [...songs], user_created: 1, expanded: false, created: formatInstant(created) };
}

/** Songs as JSON without braces. Cached as bytes, which are sent unchanged and cost no garbage collection. */
export interface SerializedSongs {
  readonly json: Buffer;
  /** In order. */
  readonly ids: readonly number[];
  /** Bytes of their files. */
  readonly used: number;
}

/** Serializes songs as JSON. */
export function serializeSongs(songs: readonly Song[]): SerializedSongs {
  return {
    json: Buffer.from(songs.map((song) => `"${song.id}":${JSON.stringify(toWireSong(song))}`).join(',')),
    ids: songs.map(({ id }) => id),
    used: songs.reduce((sum, { size, isMissing }) => sum + (isMissing ? 0 : size), 0),
  };
}

interface WholeLibraryInput {
  /** Oldest songs first. */
  readonly chunks: readonly SerializedSongs[];
  readonly playlists: (exists: (song: number) => boolean) => Promise<readonly Playlist[]>;
  readonly quota: number;
}

/** Serializes the answer with the whole library, except for its end. It is large, and is not validated again. */
export async function serializeWholeLibrary({ chunks, playlists, quota }: WholeLibraryInput): Promise<JsonChunks> {
  const mp3s = chunks.flatMap(({ json }) => (json.length === 0 ? [] : [',', json])).slice(1);
  const songs = chunks.flatMap(({ ids }) => ids);
  const songIds = new Set(songs);
  const used = chunks.reduce((sum, chunk) => sum + chunk.used, 0);
  const all = { ...toWirePlaylist({ title: ALL_SONGS_TITLE, songs, created: 0 }), user_created: 0 };
  const lists = [
    `"${ALL_SONGS}":${JSON.stringify(all)}`,
    ...(await playlists((song) => songIds.has(song))).map(
      (list) => `"${list.id}":${JSON.stringify(toWirePlaylist(list))}`,
    ),
  ];
  return ['{"mp3s":{', ...mp3s, Buffer.from(`},"playlists":{${lists.join(',')}},"used":${used},"quota":${quota}`)];
}

/** The JSON of 20,000 songs takes about 8 MB. */
const MAX_CACHED_LIBRARIES = 4;

/** Consecutive songs of a library. */
interface SongChunk extends SerializedSongs {
  /** Place of the last song. */
  readonly until: number;
}

interface CachedLibraryResponse {
  readonly chunks: readonly SongChunk[];
  readonly json: JsonChunks;
}

interface CachedLibrary extends LibraryVersion {
  readonly response: Promise<CachedLibraryResponse>;
}

interface WholeLibraryCacheDeps {
  readonly store: MusicStore;
  readonly library: Pick<Library, 'listPlaylists'>;
  /** Quota of an account in bytes. */
  readonly quota: number;
}

/**
 * Caches whole libraries as JSON, except for the end of the answer: after a change all open pages refetch concurrently.
 * Only chunks with changes are read again.
 */
export function createWholeLibraryCache({ store: { songs }, library, quota }: WholeLibraryCacheDeps) {
  /** Ordered by last use. */
  const cache = new LRUCache<number, CachedLibrary>({ max: MAX_CACHED_LIBRARIES });

  /**
   * @param before cached chunks
   * @param places places with changes or removals since
   */
  async function read(account: number, before: readonly SongChunk[] = [], places: readonly number[] = []) {
    const chunks: SongChunk[] = [];
    let after = 0;
    // The last chunk may have space for later songs, so it is always read again.
    for (const chunk of before.slice(0, -1)) {
      const [from, { until }] = [after, chunk];
      const isNew = places.some((place) => place > from && place <= until);
      chunks.push(isNew ? { ...serializeSongs(await songs.listBetween(account, from, until)), until } : chunk);
      after = until;
    }
    for await (const page of songs.iteratePages(account, after))
      chunks.push({ ...serializeSongs(page), until: page.at(-1)?.place ?? after });
    return chunks;
  }

  async function readChunks(version: LibraryVersion, known: CachedLibrary | undefined): Promise<readonly SongChunk[]> {
    const before = known && canListChanges(known, version) ? await known.response.catch(() => undefined) : undefined;
    const places = known && before ? await songs.listChangedPlaces(version.account, known.revision) : undefined;
    return before && places ? read(version.account, before.chunks, places) : read(version.account);
  }

  async function build(version: LibraryVersion, known: CachedLibrary | undefined): Promise<CachedLibraryResponse> {
    const chunks = await readChunks(version, known);
    return {
      chunks,
      json: await serializeWholeLibrary({
        chunks,
        playlists: (exists) => library.listPlaylists(version.account, exists),
        quota,
      }),
    };
  }

  /** @param version state that was read before; later changes are found by the next request. */
  return async (version: LibraryVersion): Promise<JsonChunks> => {
    const known = cache.get(version.account);
    const response = known?.revision === version.revision ? known.response : build(version, known);
    cache.set(version.account, { ...version, response });
    try {
      return (await response).json;
    } catch (error) {
      if (cache.get(version.account)?.response === response) cache.delete(version.account);
      throw error;
    }
  };
}

type AnswerPart = Omit<AnswerOf<typeof ytgetdata>, 'revision'>;

interface LibrarySerializerDeps {
  readonly store: MusicStore;
  readonly library: Pick<Library, 'listPlaylists' | 'listPlaylistsSince'>;
  /** Quota of an account in bytes. */
  readonly quota: number;
  readonly now: () => Temporal.Instant;
  readonly cluster: Pick<Cluster, 'listInstances'>;
}

/**
 * Formats and parses revision texts. One of an earlier start is ignored: the database may be a restored backup. With
 * several instances, the start of the oldest one counts.
 */
function createRevisionFormat({ listInstances }: Pick<Cluster, 'listInstances'>) {
  const getStart = (): string => hash('sha256', listInstances()[0]?.id ?? '').slice(0, 12);
  return {
    format: ({ account, revision, time }: LibraryVersion): string => [getStart(), account, revision, time].join('-'),
    parse: (text: string): LibraryVersion | undefined => {
      const [, from, ...numbers] = /^([\da-f]{12})-(\d{1,15})-(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
      const [account = 0, revision = 0, time = 0] = numbers.map(Number);
      return from === getStart() ? { account, revision, time } : undefined;
    },
  };
}

/** Creates the function that serializes a library as JSON: all of it, or the changes for a page that has it already. */
export function createLibrarySerializer({ store, library, quota, now, cluster }: LibrarySerializerDeps) {
  const getWholeLibrary = createWholeLibraryCache({ store, library, quota });
  const revisionFormat = createRevisionFormat(cluster);

  /** Returns the changes since a version; undefined if there are too many. */
  async function listChanges({ account, revision }: LibraryVersion): Promise<AnswerPart | undefined> {
    // Read before the songs, so that all songs of a playlist are known or included.
    const { changedPlaylists, allIds } = await library.listPlaylistsSince(account, revision);
    const songs = await store.songs.listSince(account, revision);
    if (songs === undefined) return undefined;
    const { bytes } = await store.songs.countUsedSpace(account);
    return {
      mp3s: Object.fromEntries(songs.changed.map((song) => [String(song.id), toWireSong(song)])),
      playlists: Object.fromEntries(changedPlaylists.map((list) => [String(list.id), toWirePlaylist(list)])),
      used: bytes,
      quota,
      part: { gone: [...songs.gone], lists: [...allIds] },
    };
  }

  /** @param text revision text that the page has */
  return async (account: number, text?: string): Promise<JsonChunks> => {
    const time = now().epochMilliseconds;
    // Read first: a change in between is simply included again in the next answer.
    const version = { account, revision: await store.revisions.getRevision(account), time };
    const revision = revisionFormat.format(version);
    const known = text === undefined ? undefined : revisionFormat.parse(text);
    const part = known && canListChanges(known, version) ? await listChanges(known) : undefined;
    if (part) return [JSON.stringify({ ...part, revision })];
    return [...(await getWholeLibrary(version)), `,"revision":"${revision}"}`];
  };
}

export type LibrarySerializer = ReturnType<typeof createLibrarySerializer>;
