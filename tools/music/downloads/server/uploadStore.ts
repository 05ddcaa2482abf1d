import type { Generated, Kysely, Transaction } from 'kysely';
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

/** A file that was announced. */
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
  /** That makes a song of it. */
  readonly job: number | undefined;
}

const inside = (source: Kysely<unknown>) => source.$extendTables<UploadTables>();

const toUpload = (row: {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly digest: string;
  readonly playlist: number | null;
  readonly job: number | null;
}): StoredUpload => ({ ...row, playlist: row.playlist ?? undefined, job: row.job ?? undefined });

const columns = ['id', 'name', 'size', 'digest', 'playlist', 'job'] as const;

/** Files that are handed in. Times are milliseconds since the epoch. */
export function uploadStore({ db }: Database) {
  return {
    /** The same file again is the same upload, under its new name and for its new playlist. */
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
        await inside(tx)
          .insertInto('music_upload')
          .values({ account, digest, job: null, ...row })
          .onConflict((already) => already.columns(['account', 'digest']).doUpdateSet(row))
          .returning(columns)
          .executeTakeFirstOrThrow(),
      );
    },
    one: async (account: number, id: number, source: Kysely<unknown> = db): Promise<StoredUpload | undefined> => {
      const row = await inside(source)
        .selectFrom('music_upload')
        .select(columns)
        .where('account', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toUpload(row);
    },
    /** How many are not whole yet, beside the one of this digest. */
    openBeside: async (account: number, digest: string): Promise<number> => {
      const { count } = await inside(db)
        .selectFrom('music_upload')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('account', '=', account)
        .where('job', 'is', null)
        .where('digest', '!=', digest)
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Bytes that were announced beside it, of all that no song was made of yet. */
    bytesBeside: async (account: number, digest: string, source: Kysely<unknown> = db): Promise<number> => {
      const { bytes } = await inside(source)
        .selectFrom('music_upload')
        .select(({ fn }) => fn.sum<number | null>('size').as('bytes'))
        .where('account', '=', account)
        .where('digest', '!=', digest)
        .executeTakeFirstOrThrow();
      return bytes ?? 0;
    },
    begun: async (tx: Transaction<unknown>, account: number, id: number, job: number | undefined): Promise<void> => {
      await inside(tx)
        .updateTable('music_upload')
        .set({ job: job ?? null })
        .where('account', '=', account)
        .where('id', '=', id)
        .execute();
    },
    remove: async (source: Kysely<unknown>, account: number, id: number): Promise<void> => {
      await inside(source).deleteFrom('music_upload').where('account', '=', account).where('id', '=', id).execute();
    },
    /** Forgets what that job was to make a song of. @returns whose files are to go. */
    removeOfJob: async (account: number, job: number): Promise<readonly number[]> => {
      const gone = inside(db).deleteFrom('music_upload').where('account', '=', account).where('job', '=', job);
      return (await gone.returning('id').execute()).map(({ id }) => id);
    },
    /** Forgets those of which nothing was heard since. @returns whose files are to go. */
    purge: async (before: number): Promise<readonly number[]> => {
      const rows = await inside(db).deleteFrom('music_upload').where('changed', '<', before).returning('id').execute();
      return rows.map(({ id }) => id);
    },
    /** Of all accounts. */
    ids: async (): Promise<readonly number[]> => {
      const rows = await inside(db).selectFrom('music_upload').select('id').execute();
      return rows.map(({ id }) => id);
    },
    idsOf: async (account: number): Promise<readonly number[]> => {
      const rows = await inside(db).selectFrom('music_upload').select('id').where('account', '=', account).execute();
      return rows.map(({ id }) => id);
    },
  };
}
export type UploadStore = ReturnType<typeof uploadStore>;
