import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import type { MusicStore } from '../store/musicStores.ts';

interface MissingMarkerDeps {
  readonly database: Database;
  readonly songs: Pick<MusicStore['songs'], 'setMissing'>;
  /** Stands first in a transaction that changes a library. */
  readonly begin: (work: UnitOfWork, account: number) => Promise<void>;
}

/** Marks songs whose files are missing, or are there again. */
export const createMissingMarker =
  ({ database, songs, begin }: MissingMarkerDeps) =>
  (account: number, ids: readonly number[], isMissing: boolean): Promise<void> =>
    database.transaction(async (work) => {
      await begin(work, account);
      await songs.setMissing(work.tx, account, ids, isMissing);
    });

export type Marker = ReturnType<typeof createMissingMarker>;
