import { randomBytes } from 'node:crypto';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { JsonChunks } from '#platform/server/tool.ts';
import type { ytgetdata, modplaylist, modvideo } from '../../contract.ts';
import { ALL_SONGS, ALL_TITLE } from '../../contract/limits.ts';
import type { Playlist, Song } from '../domain/song.ts';
import { type Library, DELETED_TTL_MS } from './library.ts';
import type { MusicStore } from './store/musicStores.ts';

/** What is known of a library: whose, as of which change, and when that was. */
export interface AsOf {
  readonly account: number;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Of deleted songs nobody knows for longer; an hour less, since clocks are read before transactions end. */
const MAX_DELTA_AGE_MS = DELETED_TTL_MS - 3_600_000;

/** Whether all that changed since can still be told. */
export function canBeTold(since: AsOf, is: AsOf): boolean {
  return (
    since.account === is.account &&
    since.revision <= is.revision &&
    since.time <= is.time &&
    is.time - since.time < MAX_DELTA_AGE_MS
  );
}

export type Mp3OnWire = AnswerOf<typeof modvideo>['mp3'];
export type PlaylistOnWire = AnswerOf<typeof modplaylist>['playlist'];

/** ISO 8601 of milliseconds since the epoch. By `Date`: of 20,000 songs, Temporal's took longer than all else together. */
const instant = (ms: number): string => new Date(ms).toISOString();

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
    added: instant(song.added),
    plays,
    starred: song.starred !== undefined,
    gain,
    peak,
    source: song.source,
    isMissing: song.isMissing,
    hasPicture: song.hasPicture,
  };
}

export function playlistOnWire({ title, songs, created }: Omit<Playlist, 'id' | 'changed'>): PlaylistOnWire {
  return {
    title,
    contains: [...songs],
    user_created: 1,
    expanded: false,
    created: instant(created),
  };
}

/** Songs in JSON, without brackets, as bytes: a library that is held is sent as it is, and bytes are no work for the collector of garbage. */
export interface SongsOnWire {
  readonly json: Buffer;
  /** In order. */
  readonly ids: readonly number[];
  /** Bytes. */
  readonly used: number;
}

export function songsOnWire(songs: readonly Song[]): SongsOnWire {
  return {
    json: Buffer.from(songs.map((song) => `"${song.id}":${JSON.stringify(songOnWire(song))}`).join(',')),
    ids: songs.map(({ id }) => id),
    used: songs.reduce((sum, { size, isMissing }) => sum + (isMissing ? 0 : size), 0),
  };
}

interface WireDeps {
  /** The oldest songs first. */
  readonly stretches: readonly SongsOnWire[];
  readonly playlists: (isThere: (song: number) => boolean) => Promise<readonly Playlist[]>;
  readonly quota: number;
}

/** The answer of the whole library's call, but for its end: it is large, and nobody looks through it again. */
export async function libraryOnWire({ stretches, playlists, quota }: WireDeps): Promise<JsonChunks> {
  const mp3s = stretches.flatMap(({ json }) => (json.length === 0 ? [] : [',', json])).slice(1);
  const songs = stretches.flatMap(({ ids }) => ids);
  const isThere = new Set(songs);
  const used = stretches.reduce((sum, stretch) => sum + stretch.used, 0);
  const all = { ...playlistOnWire({ title: ALL_TITLE, songs, created: 0 }), user_created: 0 };
  const lists = [
    `"${ALL_SONGS}":${JSON.stringify(all)}`,
    ...(await playlists((song) => isThere.has(song))).map(
      (list) => `"${list.id}":${JSON.stringify(playlistOnWire(list))}`,
    ),
  ];
  return ['{"mp3s":{', ...mp3s, Buffer.from(`},"playlists":{${lists.join(',')}},"used":${used},"quota":${quota}`)];
}

/** Libraries that are held. One of 20,000 songs takes about 8 MB. */
const MAX_CACHED_LIBRARIES = 4;

/** Songs that stand one behind the other. */
interface SongChunk extends SongsOnWire {
  /** The place of the last one. */
  readonly until: number;
}

interface WholeLibrary {
  readonly stretches: readonly SongChunk[];
  readonly json: JsonChunks;
}

interface CachedLibrary extends AsOf {
  readonly whole: Promise<WholeLibrary>;
}

interface WholeLibrariesDeps {
  readonly store: MusicStore;
  readonly library: Pick<Library, 'playlists'>;
  /** Bytes of an account. */
  readonly quota: number;
}

/**
 * Whole libraries in JSON (the answer but for its end), held as long as nothing has changed in them: after a change all open pages ask at once, and
 * one answer is made. Of what was held only the stretches are read again in which something changed.
 */
export function createWholeLibraries({ store: { songs }, library, quota }: WholeLibrariesDeps) {
  /** The one asked for last stands last. */
  const held = new Map<number, CachedLibrary>();

  /**
   * @param before Those that were there.
   * @param places Where something has changed since, or went.
   */
  const read = async (account: number, before: readonly SongChunk[] = [], places: readonly number[] = []) => {
    const now: SongChunk[] = [];
    let after = 0;
    // The last one may have room for what came behind it.
    for (const stretch of before.slice(0, -1)) {
      const [from, { until }] = [after, stretch];
      const isNew = places.some((place) => place > from && place <= until);
      now.push(isNew ? { ...songsOnWire(await songs.between(account, from, until)), until } : stretch);
      after = until;
    }
    for await (const page of songs.pages(account, after))
      now.push({ ...songsOnWire(page), until: page.at(-1)?.place ?? after });
    return now;
  };

  const stretchesOf = async (is: AsOf, known: CachedLibrary | undefined): Promise<readonly SongChunk[]> => {
    const before = known && canBeTold(known, is) ? await known.whole.catch(() => undefined) : undefined;
    const places = known && before ? await songs.changedPlaces(is.account, known.revision) : undefined;
    return before && places ? read(is.account, before.stretches, places) : read(is.account);
  };

  const make = async (is: AsOf, known: CachedLibrary | undefined): Promise<WholeLibrary> => {
    const stretches = await stretchesOf(is, known);
    return {
      stretches,
      json: await libraryOnWire({ stretches, playlists: (isThere) => library.playlists(is.account, isThere), quota }),
    };
  };

  /** @param is Read before: a change that came since is seen the next time. */
  return async (is: AsOf): Promise<JsonChunks> => {
    const known = held.get(is.account);
    const whole = known?.revision === is.revision ? known.whole : make(is, known);
    const now: CachedLibrary = { ...is, whole };
    held.delete(is.account);
    held.set(is.account, now);
    for (const [other] of held) if (held.size > MAX_CACHED_LIBRARIES) held.delete(other);
    try {
      return (await whole).json;
    } catch (error) {
      if (held.get(is.account)?.whole === whole) held.delete(is.account); // the next one tries again
      throw error;
    }
  };
}

type AnswerPart = Omit<AnswerOf<typeof ytgetdata>, 'revision'>;

interface AnswersDeps {
  readonly store: MusicStore;
  readonly library: Pick<Library, 'playlists' | 'playlistsSince'>;
  /** Bytes of an account. */
  readonly quota: number;
  readonly now: () => Temporal.Instant;
}

/** Writes and reads what a page has. One of another start of the server says nothing: its database may be an older one, brought back from a backup. */
const createMarks = () => {
  const start = randomBytes(6).toString('hex');
  return {
    write: ({ account, revision, time }: AsOf): string => [start, account, revision, time].join('-'),
    read: (text: string): AsOf | undefined => {
      const [, from, ...numbers] = /^([\da-f]{12})-(\d{1,15})-(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
      const [account = 0, revision = 0, time = 0] = numbers.map(Number);
      return from === start ? { account, revision, time } : undefined;
    },
  };
};

/** Answers libraries in JSON: whole, or what is new to a page that has one already. */
export function createAnswers({ store, library, quota, now }: AnswersDeps) {
  const whole = createWholeLibraries({ store, library, quota });
  const marks = createMarks();

  /** Undefined where it is better told whole. */
  const partSince = async ({ account, revision }: AsOf): Promise<AnswerPart | undefined> => {
    // Before the songs: what stands in a playlist is among those that the page has or gets.
    const lists = await library.playlistsSince(account, revision);
    const songs = await store.songs.since(account, revision);
    if (songs === undefined) return undefined;
    const { bytes } = await store.songs.used(account);
    return {
      mp3s: Object.fromEntries(songs.changed.map((song) => [String(song.id), songOnWire(song)])),
      playlists: Object.fromEntries(lists.changed.map((list) => [String(list.id), playlistOnWire(list)])),
      used: bytes,
      quota,
      part: { gone: [...songs.gone], lists: [...lists.all] },
    };
  };

  /** @param text What the page was told of that before. */
  return async (account: number, text?: string): Promise<JsonChunks> => {
    const time = now().epochMilliseconds;
    // Read before all else: a change that comes in between is told once more the next time.
    const is = { account, revision: await store.book.revision(account), time };
    const revision = marks.write(is);
    const known = text === undefined ? undefined : marks.read(text);
    const part = known && canBeTold(known, is) ? await partSince(known) : undefined;
    if (part) return [JSON.stringify({ ...part, revision })];
    return [...(await whole(is)), `,"revision":"${revision}"}`];
  };
}

export type Answers = ReturnType<typeof createAnswers>;
