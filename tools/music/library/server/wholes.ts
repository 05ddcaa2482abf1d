import type { JsonChunks } from '#platform/server/tool.ts';
import { type AsOf, canBeTold } from './asOf.ts';
import type { Library } from './library.ts';
import type { MusicStore } from './store/musicStores.ts';
import { libraryOnWire, songsOnWire, type SongsOnWire } from './wire.ts';

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
export const createWholeLibraries = ({ store: { songs }, library, quota }: WholeLibrariesDeps) => {
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
};
