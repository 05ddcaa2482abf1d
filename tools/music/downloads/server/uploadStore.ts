import type { Generated, Kysely, Selectable, Transaction } from 'kysely';
import type { Database } from '#platform/server/database/database.ts';

type UploadTables = {
  music_upload: {
    id: Generated<number>;
    account: number;
    name: string;
    size: number;
    digest: string;
    playlist: number | null;
    job: number | null;
    changed: number;
  };
};

/** A file that was announced for upload. */
export interface AnnouncedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256, hex. */
  readonly digest: string;
  readonly playlist: number | undefined;
}

export interface StoredUpload extends AnnouncedFile {
  readonly id: number;
  /** The job that converts it to a song. */
  readonly job: number | undefined;
}

const withTables = (source: Kysely<unknown>) => source.$extendTables<UploadTables>();

const UPLOAD_COLUMNS = ['id', 'name', 'size', 'digest', 'playlist', 'job'] as const;
type UploadRow = Pick<Selectable<UploadTables['music_upload']>, (typeof UPLOAD_COLUMNS)[number]>;

const toUpload = (row: UploadRow): StoredUpload => ({
  ...row,
  playlist: row.playlist ?? undefined,
  job: row.job ?? undefined,
});

/** Creates the database access for uploads. Times are in milliseconds since the epoch. */
export function createUploadStore({ db }: Database) {
  return {
    /** Inserts an upload, or updates name and playlist of the one with the same file. */
    announce: async (
      tx: Transaction<unknown>,
      account: number,
      {
        name,
        size,
        digest,
        playlist = null,
      }: Omit<AnnouncedFile, 'playlist'> & { readonly playlist: number | null | undefined },
      time: number,
    ): Promise<StoredUpload> => {
      const row = { name, size, playlist, changed: time };
      return toUpload(
        await withTables(tx)
          .insertInto('music_upload')
          .values({ account, digest, job: null, ...row })
          .onConflict((conflict) => conflict.columns(['account', 'digest']).doUpdateSet(row))
          .returning(UPLOAD_COLUMNS)
          .executeTakeFirstOrThrow(),
      );
    },
    find: async (account: number, id: number, source: Kysely<unknown> = db): Promise<StoredUpload | undefined> => {
      const row = await withTables(source)
        .selectFrom('music_upload')
        .select(UPLOAD_COLUMNS)
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toUpload(row);
    },
    /** Counts the incomplete uploads except the one with this digest. */
    countOtherIncomplete: async (account: number, digest: string): Promise<number> => {
      const { count } = await withTables(db)
        .selectFrom('music_upload')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('account', '=', account)
        .where('job', 'is', null)
        .where('digest', '!=', digest)
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Returns the announced bytes of all uploads that are not songs yet, except the one with this digest. */
    sumOtherBytes: async (account: number, digest: string, source: Kysely<unknown> = db): Promise<number> => {
      const { bytes } = await withTables(source)
        .selectFrom('music_upload')
        .select(({ fn }) => fn.sum<number | null>('size').as('bytes'))
        .where('account', '=', account)
        .where('digest', '!=', digest)
        .executeTakeFirstOrThrow();
      return bytes ?? 0;
    },
    setJob: async (tx: Transaction<unknown>, account: number, id: number, job: number | undefined): Promise<void> => {
      await withTables(tx)
        .updateTable('music_upload')
        .set({ job: job ?? null })
        .where('account', '=', account)
        .where('id', '=', id)
        .execute();
    },
    remove: async (source: Kysely<unknown>, account: number, id: number): Promise<void> => {
      await withTables(source).deleteFrom('music_upload').where('account', '=', account).where('id', '=', id).execute();
    },
    /** Removes the uploads of a job. @returns the ids whose files must be removed. */
    removeByJob: async (account: number, job: number): Promise<readonly number[]> => {
      const deletion = withTables(db).deleteFrom('music_upload').where('account', '=', account).where('job', '=', job);
      return (await deletion.returning('id').execute()).map(({ id }) => id);
    },
    /** Removes uploads that did not change since then. @returns the ids whose files must be removed. */
    purge: async (before: number): Promise<readonly number[]> => {
      const rows = await withTables(db)
        .deleteFrom('music_upload')
        .where('changed', '<', before)
        .returning('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Lists the ids of all accounts. */
    listIds: async (): Promise<readonly number[]> => {
      const rows = await withTables(db).selectFrom('music_upload').select('id').execute();
      return rows.map(({ id }) => id);
    },
    listIdsByAccount: async (account: number): Promise<readonly number[]> => {
      const rows = await withTables(db)
        .selectFrom('music_upload')
        .select('id')
        .where('account', '=', account)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}
export type UploadStore = ReturnType<typeof createUploadStore>;
