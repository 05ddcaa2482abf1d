import type { Database } from '#platform/server/database/database.ts';
import type { Song } from '../../library/domain/song.ts';
import { type AsOf, canBeTold } from '../../library/server/asOf.ts';
import { markStore } from '../../library/server/store/markStore.ts';
import type { MusicStore } from '../../library/server/store/musicStores.ts';
import { type Catalogue, catalogueOf } from './catalogue.ts';

/** Accounts whose catalogues are held. One of 20,000 songs takes about 20 MB. */
const MAX_CACHED_CATALOGUES = 8;

interface CachedCatalogue extends AsOf {
  readonly catalogue: Promise<Catalogue>;
}

interface CataloguesDeps {
  readonly database: Database;
  readonly store: MusicStore;
  readonly now: () => Temporal.Instant;
}

/** Catalogues of accounts, made when they are asked for and held as long as nothing has changed in the library. */
export const createCatalogues = ({ database, store: { book, songs }, now }: CataloguesDeps) => {
  const marks = markStore(database);
  /** The one asked for last stands last. */
  const held = new Map<number, CachedCatalogue>();

  /** The oldest first. Of those that were known only what changed is read. */
  const songsOf = async (account: number, since: number, before: Catalogue | undefined): Promise<readonly Song[]> => {
    const news = before && (await songs.since(account, since));
    if (!before || !news) return songs.all(account);
    const all = new Map([...before.entries].map(([id, { song }]) => [id, song]));
    for (const id of news.gone) all.delete(id);
    for (const song of news.changed) all.set(song.id, song);
    return [...all.values()].toSorted((one, other) => one.place - other.place);
  };

  const make = async (is: AsOf, known: CachedCatalogue | undefined): Promise<Catalogue> => {
    const before = known && canBeTold(known, is) ? await known.catalogue.catch(() => undefined) : undefined;
    const all = await songsOf(is.account, known?.revision ?? 0, before);
    return catalogueOf(all, await marks.all(is.account), before);
  };

  return {
    of: async (account: number): Promise<Catalogue> => {
      const time = now().epochMilliseconds;
      // Read before the songs: a change that comes in between is seen the next time.
      const is: AsOf = { account, revision: await book.revision(account), time };
      const known = held.get(account);
      const catalogue = known?.revision === is.revision ? known.catalogue : make(is, known);
      held.delete(account);
      held.set(account, { ...is, catalogue });
      for (const [other] of held) if (held.size > MAX_CACHED_CATALOGUES) held.delete(other);
      try {
        return await catalogue;
      } catch (error) {
        if (held.get(account)?.catalogue === catalogue) held.delete(account); // the next one tries again
        throw error;
      }
    },
  };
};
