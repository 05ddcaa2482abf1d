import { randomUUID } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { createReplicatedMap } from '#platform/server/cluster/replicatedMap.ts';
import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { Library, PlayReport } from '../../library/server/library.ts';
import { createMarkStore } from '../../library/server/store/markStore.ts';
import type { MusicStore } from '../../library/server/store/musicStore.ts';
import { createPlayQueueStore } from '../../library/server/store/playQueueStore.ts';
import type { Catalogue } from './catalogue.ts';
import { codes, SubsonicError } from './subsonicError.ts';
import {
  type Params,
  type SubsonicHandlers,
  parseId,
  requireSong,
  requireAlbum,
  requireArtist,
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

/** Creates the in-memory list of what is playing now. An entry expires after ten minutes. */
export function createNowPlaying({ now, cluster }: Pick<ServerContext, 'now' | 'cluster'>) {
  /** By app password. */
  const entryByPassword = createReplicatedMap<NowPlayingEntry>(cluster, 'now playing');
  const isExpired = ({ since }: NowPlayingEntry): boolean => since <= now().epochMilliseconds - NOW_PLAYING_TTL_MS;
  return {
    start: (playing: Omit<NowPlayingEntry, 'since'>): void => {
      for (const [id, entry] of entryByPassword) if (isExpired(entry)) entryByPassword.delete(id);
      entryByPassword.set(playing.id, { ...playing, since: now().epochMilliseconds });
    },
    listByAccount: (account: number): readonly NowPlayingEntry[] =>
      [...entryByPassword.values()].filter((entry) => entry.account === account && !isExpired(entry)),
  };
}
export type NowPlaying = ReturnType<typeof createNowPlaying>;

interface PlayingHandlersDeps {
  readonly database: Database;
  readonly now: () => Temporal.Instant;
  readonly nowPlaying: NowPlaying;
}

const MAX_QUEUED_SONGS = 10_000;

export function getPlayerName(params: Params): string {
  return replaceUnstorable((params.getText('c') ?? '').slice(0, 100));
}

/** Creates the handlers for the current song and the play queue. */
export function createPlayingHandlers({ database, now, nowPlaying }: PlayingHandlersDeps): SubsonicHandlers {
  const queues = createPlayQueueStore(database);
  return {
    /** Without songs, the queue is removed. */
    savePlayQueue: async ({ params, user, loadCatalogue }) => {
      const ids = params.getAll('id');
      if (ids.length > MAX_QUEUED_SONGS)
        throw new SubsonicError(codes.generic, `Send at most ${MAX_QUEUED_SONGS.toLocaleString('en')} songs at once`);
      if (ids.length === 0) {
        await queues.remove(user.account);
        return {};
      }
      const catalogue = await loadCatalogue();
      const songs = ids.map((id) => requireSong(catalogue, id).song.id);
      const current = parseId(params.getText('current') ?? '');
      await queues.save(user.account, {
        songs,
        current: songs.includes(current) ? current : undefined,
        position: params.getInteger('position', { fallback: 0, max: DAY_MS }),
        changed: now().epochMilliseconds,
        player: getPlayerName(params),
      });
      return {};
    },

    getPlayQueue: async ({ user, loadCatalogue }) => {
      const queue = await queues.find(user.account);
      if (queue === undefined) return {};
      const { entries } = await loadCatalogue();
      const { current, position, changed, player } = queue;
      const hasCurrent = current !== undefined && entries.has(current);
      return {
        playQueue: {
          current: hasCurrent ? String(current) : undefined,
          position: hasCurrent ? position : 0,
          username: user.username,
          changed: formatTime(changed),
          changedBy: player,
          entry: queue.songs.flatMap((id) => entries.get(id) ?? []).map(formatSong),
        },
      };
    },

    getNowPlaying: async ({ user, loadCatalogue }) => {
      const { entries } = await loadCatalogue();
      const playing = nowPlaying.listByAccount(user.account).flatMap(({ song, player, since, id }) => {
        const entry = entries.get(song);
        if (entry === undefined) return [];
        const minutesAgo = Math.floor((now().epochMilliseconds - since) / 60_000);
        return [{ ...formatSong(entry), username: user.username, minutesAgo, playerId: id, playerName: player }];
      });
      return { nowPlaying: { entry: playing } };
    },
  };
}

interface MarkHandlersDeps {
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
  (id.startsWith('al-') ? requireAlbum(catalogue, id) : requireArtist(catalogue, id)).id;

/** @throws SubsonicError */
function assertItemCount(count: number): void {
  if (count > MAX_ITEMS_PER_CALL)
    throw new SubsonicError(codes.generic, `Send at most ${MAX_ITEMS_PER_CALL.toLocaleString('en')} ids at once`);
}

/** Returns the existing items of a call. @throws SubsonicError if one doesn't exist. */
async function getMarkedItems({ params, loadCatalogue }: SubsonicRequest): Promise<MarkedItems> {
  const ids = params.getAll('id');
  const [albums, artists] = [params.getAll('albumId'), params.getAll('artistId')];
  if (ids.length + albums.length + artists.length === 0)
    throw new SubsonicError(codes.missing, 'Required parameter is missing: id, albumId or artistId');
  assertItemCount(ids.length + albums.length + artists.length);
  const catalogue = await loadCatalogue();
  return {
    songs: ids.filter((id) => !isItem(id)).map((id) => requireSong(catalogue, id).song.id),
    items: [
      ...ids.filter(isItem).map((id) => requireItem(catalogue, id)),
      ...albums.map((id) => requireAlbum(catalogue, id).id),
      ...artists.map((id) => requireArtist(catalogue, id).id),
    ],
  };
}

/** Creates a report with an idempotency key of song and time. Without a time every report counts. */
const toPlayReport = (song: string, time: string | undefined): PlayReport =>
  time !== undefined && /^\d{1,15}$/.test(time)
    ? { play: `player-${parseId(song)}-${time}`, when: Number(time) }
    : { play: randomUUID() };

/** Creates the handlers for stars, ratings and plays. */
export function createMarkHandlers({ database, store, library, now, nowPlaying }: MarkHandlersDeps): SubsonicHandlers {
  const marks = createMarkStore(database);

  async function star(request: SubsonicRequest, isStarred: boolean) {
    const { account } = request.user;
    const { songs, items } = await getMarkedItems(request);
    const time = isStarred ? now().epochMilliseconds : undefined;
    await database.transaction(async (work: UnitOfWork) => {
      await store.revisions.increment(work.tx, account);
      for (const song of songs) await library.starSong(work, account, song, isStarred);
      for (const item of items) await marks.star(work.tx, account, item, time);
    });
    return {};
  }

  return {
    star: (request) => star(request, true),
    unstar: (request) => star(request, false),

    setRating: async (request) => {
      const { params, user } = request;
      const id = params.getRequired('id');
      const text = params.getRequired('rating');
      const rating = Number(text);
      if (text.trim() === '' || !Number.isInteger(rating) || rating < 0 || rating > 5)
        throw new SubsonicError(codes.generic, 'The rating must be a whole number from 0 (none) to 5');
      const catalogue = await request.loadCatalogue();
      const [item, song] = isItem(id) ? [requireItem(catalogue, id)] : [undefined, requireSong(catalogue, id).song.id];
      await database.transaction(async (work) => {
        if (song !== undefined) return library.rateSong(work, user.account, song, rating);
        await store.revisions.increment(work.tx, user.account);
        return marks.rate(work.tx, user.account, item ?? '', rating);
      });
      return {};
    },

    /** With `submission=false` it only reports the current song. */
    scrobble: async (request) => {
      const { params, user } = request;
      params.getRequired('id');
      assertItemCount(params.getAll('id').length);
      const catalogue = await request.loadCatalogue();
      const times = params.getAll('time');
      const plays = params
        .getAll('id')
        .map((id, at) => ({ song: requireSong(catalogue, id).song.id, report: toPlayReport(id, times[at]) }));
      if (!params.getFlag('submission', true)) {
        const lastPlay = plays.at(-1);
        if (lastPlay)
          nowPlaying.start({ account: user.account, id: user.id, song: lastPlay.song, player: getPlayerName(params) });
      } else
        await database.transaction(async (work) => {
          for (const { song, report } of plays) await library.countPlay(work, user.account, song, report);
        });
      return {};
    },
  };
}
