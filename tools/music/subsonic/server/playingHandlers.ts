import { replaceUnstorable } from '#platform/contract/text.ts';
import type { Database } from '#platform/server/database/database.ts';
import { playQueueStore } from '../../library/server/store/playQueueStore.ts';
import type { NowPlaying } from './nowPlaying.ts';
import type { Params } from './params.ts';
import { codes, SubsonicError } from './subsonicError.ts';
import { type Calls, numberOf, songIn } from './subsonicRequest.ts';
import { songOf, timeOf } from './subsonicViews.ts';

interface PlayingMethodsDeps {
  readonly database: Database;
  readonly now: () => Temporal.Instant;
  readonly nowPlaying: NowPlaying;
}

const MAX_QUEUED_SONGS = 10_000;
const DAY_MS = 86_400_000;

/** What a player calls itself. */
export const playerOf = (params: Params): string => replaceUnstorable((params.text('c') ?? '').slice(0, 100));

/** What is played, and what is to be played next. */
export const playingCalls = ({ database, now, nowPlaying }: PlayingMethodsDeps): Calls => {
  const queues = playQueueStore(database);
  return {
    /** Without songs there is none any more. */
    savePlayQueue: async ({ params, user, catalogue }) => {
      const ids = params.all('id');
      if (ids.length > MAX_QUEUED_SONGS) throw new SubsonicError(codes.generic, `At most ${MAX_QUEUED_SONGS} at once`);
      if (ids.length === 0) {
        await queues.remove(user.account);
        return {};
      }
      const known = await catalogue();
      const songs = ids.map((id) => songIn(known, id).song.id);
      const current = numberOf(params.text('current') ?? '');
      await queues.keep(user.account, {
        songs,
        current: songs.includes(current) ? current : undefined,
        position: params.whole('position', { otherwise: 0, most: DAY_MS }),
        changed: now().epochMilliseconds,
        player: playerOf(params),
      });
      return {};
    },

    getPlayQueue: async ({ user, catalogue }) => {
      const queue = await queues.of(user.account);
      if (queue === undefined) return {};
      const { entries } = await catalogue();
      const { current, position, changed, player } = queue;
      const isThere = current !== undefined && entries.has(current);
      return {
        playQueue: {
          current: isThere ? String(current) : undefined,
          position: isThere ? position : 0,
          username: user.username,
          changed: timeOf(changed),
          changedBy: player,
          entry: queue.songs.flatMap((id) => entries.get(id) ?? []).map(songOf),
        },
      };
    },

    getNowPlaying: async ({ user, catalogue }) => {
      const { entries } = await catalogue();
      const playing = nowPlaying.of(user.account).flatMap(({ song, player, since, id }) => {
        const entry = entries.get(song);
        if (entry === undefined) return [];
        const minutesAgo = Math.floor((now().epochMilliseconds - since) / 60_000);
        return [{ ...songOf(entry), username: user.username, minutesAgo, playerId: id, playerName: player }];
      });
      return { nowPlaying: { entry: playing } };
    },
  };
};
