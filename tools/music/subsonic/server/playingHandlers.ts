import { randomUUID } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import type { Library, PlayReport } from '../../library/server/library.ts';
import { markStore } from '../../library/server/store/markStore.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';
import { playQueueStore } from '../../library/server/store/playQueueStore.ts';
import type { Catalogue } from './catalogue.ts';
import { codes, SubsonicError } from './subsonicError.ts';
import {
  type Params,
  type Calls,
  parseId,
  songIn,
  albumIn,
  artistIn,
  type SubsonicRequest,
} from './subsonicRequest.ts';
import { formatSong, formatTime } from './subsonicViews.ts';

/** What a player reported as now playing. */
interface NowPlayingEntry {
  readonly account: number;
  /** Id of its app password. */
  readonly id: number;
  readonly song: number;
  readonly player: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

const NOW_PLAYING_TTL_MS = 10 * MINUTE_MS;

/** What is playing now. Each entry lasts ten minutes, in memory only. */
export function createNowPlaying(now: () => Temporal.Instant) {
  /** By app password. */
  const all = new Map<number, NowPlayingEntry>();
  const isOver = ({ since }: NowPlayingEntry): boolean => since <= now().epochMilliseconds - NOW_PLAYING_TTL_MS;
  return {
    begins: (playing: Omit<NowPlayingEntry, 'since'>): void => {
      for (const [id, one] of all) if (isOver(one)) all.delete(id);
      all.set(playing.id, { ...playing, since: now().epochMilliseconds });
    },
    of: (account: number): readonly NowPlayingEntry[] =>
      [...all.values()].filter((one) => one.account === account && !isOver(one)),
  };
}
export type NowPlaying = ReturnType<typeof createNowPlaying>;

interface PlayingMethodsDeps {
  readonly database: Database;
  readonly now: () => Temporal.Instant;
  readonly nowPlaying: NowPlaying;
}

const MAX_QUEUED_SONGS = 10_000;

/** Returns the name of the player. */
export function getPlayer(params: Params): string {
  return replaceUnstorable((params.text('c') ?? '').slice(0, 100));
}

/** Calls on the current song and the play queue. */
export function playingCalls({ database, now, nowPlaying }: PlayingMethodsDeps): Calls {
  const queues = playQueueStore(database);
  return {
    /** Without songs, the queue is removed. */
    savePlayQueue: async ({ params, user, catalogue }) => {
      const ids = params.all('id');
      if (ids.length > MAX_QUEUED_SONGS)
        throw new SubsonicError(codes.generic, `Send at most ${MAX_QUEUED_SONGS.toLocaleString('en')} songs at once`);
      if (ids.length === 0) {
        await queues.remove(user.account);
        return {};
      }
      const known = await catalogue();
      const songs = ids.map((id) => songIn(known, id).song.id);
      const current = parseId(params.text('current') ?? '');
      await queues.save(user.account, {
        songs,
        current: songs.includes(current) ? current : undefined,
        position: params.whole('position', { otherwise: 0, most: DAY_MS }),
        changed: now().epochMilliseconds,
        player: getPlayer(params),
      });
      return {};
    },

    getPlayQueue: async ({ user, catalogue }) => {
      const queue = await queues.find(user.account);
      if (queue === undefined) return {};
      const { entries } = await catalogue();
      const { current, position, changed, player } = queue;
      const isThere = current !== undefined && entries.has(current);
      return {
        playQueue: {
          current: isThere ? String(current) : undefined,
          position: isThere ? position : 0,
          username: user.username,
          changed: formatTime(changed),
          changedBy: player,
          entry: queue.songs.flatMap((id) => entries.get(id) ?? []).map(formatSong),
        },
      };
    },

    getNowPlaying: async ({ user, catalogue }) => {
      const { entries } = await catalogue();
      const playing = nowPlaying.of(user.account).flatMap(({ song, player, since, id }) => {
        const entry = entries.get(song);
        if (entry === undefined) return [];
        const minutesAgo = Math.floor((now().epochMilliseconds - since) / 60_000);
        return [{ ...formatSong(entry), username: user.username, minutesAgo, playerId: id, playerName: player }];
      });
      return { nowPlaying: { entry: playing } };
    },
  };
}

interface MarkMethodsDeps {
  readonly database: Database;
  readonly store: MusicStore;
  readonly library: Library;
  readonly now: () => Temporal.Instant;
  readonly nowPlaying: NowPlaying;
}

/** Maximum number of items per call. */
const MAX_ITEMS_PER_CALL = 1000;

interface MarkedItems {
  readonly songs: readonly number[];
  /** Ids of artists and albums. */
  readonly items: readonly string[];
}

/** Players treat artists and albums as folders, so `id` can refer to them too. */
const isItem = (id: string): boolean => id.startsWith('al-') || id.startsWith('ar-');
const requireItem = (catalogue: Catalogue, id: string): string =>
  (id.startsWith('al-') ? albumIn(catalogue, id) : artistIn(catalogue, id)).id;

/** @throws SubsonicError */
const assertItemCount = (count: number): void => {
  if (count > MAX_ITEMS_PER_CALL)
    throw new SubsonicError(codes.generic, `Send at most ${MAX_ITEMS_PER_CALL.toLocaleString('en')} ids at once`);
};

/** Returns the existing items of a call. @throws SubsonicError if one doesn't exist. */
const getMarkedItems = async ({ params, catalogue }: SubsonicRequest): Promise<MarkedItems> => {
  const ids = params.all('id');
  const [albums, artists] = [params.all('albumId'), params.all('artistId')];
  if (ids.length + albums.length + artists.length === 0)
    throw new SubsonicError(codes.missing, 'Required parameter is missing: id, albumId or artistId');
  assertItemCount(ids.length + albums.length + artists.length);
  const known = await catalogue();
  return {
    songs: ids.filter((id) => !isItem(id)).map((id) => songIn(known, id).song.id),
    items: [
      ...ids.filter(isItem).map((id) => requireItem(known, id)),
      ...albums.map((id) => albumIn(known, id).id),
      ...artists.map((id) => artistIn(known, id).id),
    ],
  };
};

/** Creates a report with an idempotency key of song and time. Without a time every report counts. */
const toPlayReport = (song: string, time: string | undefined): PlayReport =>
  time !== undefined && /^\d{1,15}$/.test(time)
    ? { play: `player-${parseId(song)}-${time}`, when: Number(time) }
    : { play: randomUUID() };

/** Calls for stars, ratings and plays. */
export function markCalls({ database, store, library, now, nowPlaying }: MarkMethodsDeps): Calls {
  const marks = markStore(database);

  const star = async (request: SubsonicRequest, isStarred: boolean) => {
    const { account } = request.user;
    const { songs, items } = await getMarkedItems(request);
    const time = isStarred ? now().epochMilliseconds : undefined;
    await database.transaction(async (work: UnitOfWork) => {
      await store.book.raise(work.tx, account);
      for (const song of songs) await library.starSong(work, account, song, isStarred);
      for (const item of items) await marks.star(work.tx, account, item, time);
    });
    return {};
  };

  return {
    star: (request) => star(request, true),
    unstar: (request) => star(request, false),

    setRating: async (request) => {
      const { params, user } = request;
      const id = params.needed('id');
      const rating = Number(params.needed('rating'));
      if (!Number.isInteger(rating) || rating < 0 || rating > 5)
        throw new SubsonicError(codes.generic, 'The rating must be a whole number from 0 (none) to 5');
      const known = await request.catalogue();
      const [item, song] = isItem(id) ? [requireItem(known, id)] : [undefined, songIn(known, id).song.id];
      await database.transaction(async (work) => {
        if (song !== undefined) return library.rateSong(work, user.account, song, rating);
        await store.book.raise(work.tx, user.account);
        return marks.rate(work.tx, user.account, item ?? '', rating);
      });
      return {};
    },

    /** With `submission=false` a song only starts. */
    scrobble: async (request) => {
      const { params, user } = request;
      params.needed('id');
      assertItemCount(params.all('id').length);
      const known = await request.catalogue();
      const times = params.all('time');
      const playings = params
        .all('id')
        .map((id, at) => ({ song: songIn(known, id).song.id, playing: toPlayReport(id, times[at]) }));
      if (!params.flag('submission', true)) {
        const [started] = playings.slice(-1);
        if (started)
          nowPlaying.begins({ account: user.account, id: user.id, song: started.song, player: getPlayer(params) });
      } else
        await database.transaction(async (work) => {
          for (const { song, playing } of playings) await library.countPlay(work, user.account, song, playing);
        });
      return {};
    },
  };
}
