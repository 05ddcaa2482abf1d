import { randomUUID } from 'node:crypto';
import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import type { Library, PlayReport } from '../../library/server/library.ts';
import { markStore } from '../../library/server/store/markStore.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';
import type { Catalogue } from './catalogue.ts';
import type { NowPlaying } from './nowPlaying.ts';
import { playerOf } from './playingHandlers.ts';
import { codes, SubsonicError } from './subsonicError.ts';
import { albumIn, artistIn, type SubsonicRequest, type Calls, numberOf, songIn } from './subsonicRequest.ts';

interface MarkMethodsDeps {
  readonly database: Database;
  readonly store: MusicStore;
  readonly library: Library;
  readonly now: () => Temporal.Instant;
  readonly nowPlaying: NowPlaying;
}

/** Things that one call may name. */
const MAX_ITEMS_PER_CALL = 1000;

interface MarkedItems {
  readonly songs: readonly number[];
  /** Artists and albums. */
  readonly items: readonly string[];
}

/** Folders are artists and albums, so that `id` may name one too. */
const isItem = (id: string): boolean => id.startsWith('al-') || id.startsWith('ar-');
const itemIn = (catalogue: Catalogue, id: string): string =>
  (id.startsWith('al-') ? albumIn(catalogue, id) : artistIn(catalogue, id)).id;

/** @throws SubsonicError */
const refuseMany = (count: number): void => {
  if (count > MAX_ITEMS_PER_CALL) throw new SubsonicError(codes.generic, `At most ${MAX_ITEMS_PER_CALL} at once`);
};

/** What a call names, all of it there. @throws SubsonicError */
const markedBy = async ({ params, catalogue }: SubsonicRequest): Promise<MarkedItems> => {
  const ids = params.all('id');
  const [albums, artists] = [params.all('albumId'), params.all('artistId')];
  if (ids.length + albums.length + artists.length === 0)
    throw new SubsonicError(codes.missing, 'Required parameter is missing: id, albumId or artistId');
  refuseMany(ids.length + albums.length + artists.length);
  const known = await catalogue();
  return {
    songs: ids.filter((id) => !isItem(id)).map((id) => songIn(known, id).song.id),
    items: [
      ...ids.filter(isItem).map((id) => itemIn(known, id)),
      ...albums.map((id) => albumIn(known, id).id),
      ...artists.map((id) => artistIn(known, id).id),
    ],
  };
};

/** Of two tries to tell of the same playing one counts; a player that names no time tells of a new one. */
const playingOf = (song: string, time: string | undefined): PlayReport =>
  time !== undefined && /^\d{1,15}$/.test(time)
    ? { play: `player-${numberOf(song)}-${time}`, when: Number(time) }
    : { play: randomUUID() };

/** Stars, ratings, and what was played. */
export const markCalls = ({ database, store, library, now, nowPlaying }: MarkMethodsDeps): Calls => {
  const marks = markStore(database);

  const star = async (asked: SubsonicRequest, isStarred: boolean) => {
    const { account } = asked.user;
    const { songs, items } = await markedBy(asked);
    const time = isStarred ? now().epochMilliseconds : undefined;
    await database.transaction(async (work: UnitOfWork) => {
      await store.book.raise(work.tx, account);
      for (const song of songs) await library.starSong(work, account, song, isStarred);
      for (const item of items) await marks.star(work.tx, account, item, time);
    });
    return {};
  };

  return {
    star: (asked) => star(asked, true),
    unstar: (asked) => star(asked, false),

    setRating: async (asked) => {
      const { params, user } = asked;
      const id = params.needed('id');
      const rating = Number(params.needed('rating'));
      if (!Number.isInteger(rating) || rating < 0 || rating > 5)
        throw new SubsonicError(codes.generic, 'A rating is a whole number from 0 (none) to 5');
      const known = await asked.catalogue();
      const [item, song] = isItem(id) ? [itemIn(known, id)] : [undefined, songIn(known, id).song.id];
      await database.transaction(async (work) => {
        if (song !== undefined) return library.rateSong(work, user.account, song, rating);
        await store.book.raise(work.tx, user.account);
        return marks.rate(work.tx, user.account, item ?? '', rating);
      });
      return {};
    },

    /** `submission=false` tells only that a song begins. */
    scrobble: async (asked) => {
      const { params, user } = asked;
      params.needed('id');
      refuseMany(params.all('id').length);
      const known = await asked.catalogue();
      const times = params.all('time');
      const playings = params
        .all('id')
        .map((id, at) => ({ song: songIn(known, id).song.id, playing: playingOf(id, times[at]) }));
      if (!params.flag('submission', true)) {
        const [begun] = playings.slice(-1);
        if (begun)
          nowPlaying.begins({ account: user.account, id: user.id, song: begun.song, player: playerOf(params) });
      } else
        await database.transaction(async (work) => {
          for (const { song, playing } of playings) await library.countPlay(work, user.account, song, playing);
        });
      return {};
    },
  };
};
