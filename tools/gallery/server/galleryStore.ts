import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generated, Kysely, Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { toFlag } from '#platform/server/database/columns.ts';
import type { Database } from '#platform/server/database/database.ts';
import { isOfActiveAccount } from '#platform/server/identity/accountStore.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { GalleryRecording } from '../domain/recording.ts';
import { getBrokenFolder, getInboxFolder, settings } from './galleryFiles.ts';

const GIB = 1024 ** 3;

/** Returns the size of all regular files below a folder. */
async function getFolderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0, // deleted just now
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export interface Quota {
  /**
   * Checks the quota. @throws Refusal if the account has no space for this number of additional bytes.
   */
  readonly checkSpace: (account: number, bytes: number) => Promise<void>;
  /** Returns why its computers can't upload anything more, and the remedy; empty if they can. */
  readonly getUploadProblem: (account: number) => Promise<string>;
}

/** Limits the space of an account: its recordings, its inbox with pending uploads, and unreadable files. */
export function createQuota(
  { files, environment }: Pick<ServerContext, 'files' | 'environment'>,
  store: GalleryStore,
): Quota {
  const { GALLERY_QUOTA_GB } = settings.parse(environment);
  const maxBytes = GALLERY_QUOTA_GB * GIB;
  async function getUsedBytes(account: number): Promise<number> {
    const folders = [getInboxFolder(account), getBrokenFolder(account)].map((folder) =>
      getFolderSize(files.getPath(folder)),
    );
    const sizes = await Promise.all([store.sumBytes(account), ...folders]);
    return sizes.reduce((sum, size) => sum + size, 0);
  }
  const describeUsage = (used: number): string =>
    `Your recordings use ${(used / GIB).toFixed(1)} of ${GALLERY_QUOTA_GB} GiB`;
  return {
    checkSpace: async (account, bytes) => {
      const used = await getUsedBytes(account);
      if (used + bytes > maxBytes)
        throw new Refusal(
          'gallery.quota',
          `${describeUsage(used)}, and there is no space for this one. Delete some first`,
        );
    },
    getUploadProblem: async (account) => {
      const used = await getUsedBytes(account);
      return used < maxBytes
        ? ''
        : `${describeUsage(used)}. New recordings stay on your computers until you delete some`;
    },
  };
}

/** Times and durations are in milliseconds. */
type GalleryTables = {
  gallery_video: {
    id: Generated<number>;
    account: number;
    file: string;
    title: string;
    start: number;
    duration: number;
    width: number;
    height: number;
    bytes: number;
    is_public: number;
    is_cut: number;
  };
  gallery_setting: { account: number; new_public: number };
  gallery_broken: {
    id: Generated<number>;
    account: number;
    name: string;
    file: string;
    reason: string;
    created: number;
  };
  gallery_capture: { id: Generated<number>; account: number; device: number; name: string; created: number };
};

/** Number of unreadable recordings that are listed. */
const MAX_LISTED_BROKEN = 20;

const RECORDING_COLUMNS = [
  'account',
  'file',
  'title',
  'start',
  'duration',
  'width',
  'height',
  'bytes',
  'is_public',
  'is_cut',
] as const;
type RecordingRow = Pick<GalleryTables['gallery_video'], (typeof RECORDING_COLUMNS)[number]>;

const toRecording = ({ start, duration, is_public, is_cut, ...row }: RecordingRow): GalleryRecording => ({
  ...row,
  start: start / 1000,
  end: (start + duration) / 1000,
  duration: duration / 1000,
  isPublic: is_public === 1,
  isCut: is_cut === 1,
});

/** A recording that could not be read. */
export interface BrokenRecording {
  readonly id: number;
  readonly name: string;
  readonly reason: string;
}

const withTables = (source: Kysely<unknown>) => source.$extendTables<GalleryTables>();

/** Creates the database access for recordings. */
export function createGalleryStore({ db: untypedDb }: Database) {
  const db = withTables(untypedDb);
  return {
    insert: async (tx: Transaction<unknown>, recording: Omit<GalleryRecording, 'end'>): Promise<void> => {
      const { start, duration, isPublic, isCut, account, file, title, width, height, bytes } = recording;
      await withTables(tx)
        .insertInto('gallery_video')
        .values({
          account,
          file,
          title,
          width,
          height,
          bytes,
          start: Math.round(start * 1000),
          duration: Math.round(duration * 1000),
          is_public: toFlag(isPublic),
          is_cut: toFlag(isCut),
        })
        .execute();
    },
    /** Lists public recordings, except those of suspended accounts, and all of the account. */
    listVisible: async (account: number | undefined): Promise<readonly GalleryRecording[]> => {
      const rows = await db
        .selectFrom('gallery_video')
        .select(RECORDING_COLUMNS)
        .where((eb) =>
          eb.or([eb('is_public', '=', 1), ...(account === undefined ? [] : [eb('account', '=', account)])]),
        )
        .where(isOfActiveAccount('gallery_video.account'))
        .execute();
      return rows.map(toRecording);
    },
    /** Returns the size of all videos of an account. */
    sumBytes: async (account: number): Promise<number> => {
      const row = await db
        .selectFrom('gallery_video')
        .select(({ fn }) => fn.sum<number | string | null>('bytes').as('bytes'))
        .where('account', '=', account)
        .executeTakeFirst();
      return Number(row?.bytes ?? 0);
    },
    sumBytesByAccount: async (): Promise<ReadonlyMap<number, number>> => {
      const rows = await db
        .selectFrom('gallery_video')
        .select(({ fn }) => ['account', fn.sum<number | string>('bytes').as('bytes')])
        .groupBy('account')
        .execute();
      return new Map(rows.map(({ account, bytes }) => [account, Number(bytes)]));
    },
    find: async (file: string): Promise<GalleryRecording | undefined> => {
      const row = await db
        .selectFrom('gallery_video')
        .select(RECORDING_COLUMNS)
        .where('file', '=', file)
        .executeTakeFirst();
      return row && toRecording(row);
    },
    /** Renames a recording. Returns false if the account does not have it. */
    rename: async (tx: Transaction<unknown>, account: number, file: string, title: string): Promise<boolean> => {
      const { numUpdatedRows } = await withTables(tx)
        .updateTable('gallery_video')
        .set({ title })
        .where('account', '=', account)
        .where('file', '=', file)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    remove: async (tx: Transaction<unknown>, account: number, file: string): Promise<boolean> => {
      const { numDeletedRows } = await withTables(tx)
        .deleteFrom('gallery_video')
        .where('account', '=', account)
        .where('file', '=', file)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Publishes recordings, or makes them private. Returns how many of them belong to the account. */
    publish: async (
      tx: Transaction<unknown>,
      account: number,
      files: readonly string[],
      isPublic: boolean,
    ): Promise<number> => {
      if (files.length === 0) return 0;
      const { numUpdatedRows } = await withTables(tx)
        .updateTable('gallery_video')
        .set({ is_public: toFlag(isPublic) })
        .where('account', '=', account)
        .where('file', 'in', files)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
    hasNewPublic: async (account: number, tx: Kysely<unknown> = untypedDb): Promise<boolean> => {
      const row = await withTables(tx)
        .selectFrom('gallery_setting')
        .select('new_public')
        .where('account', '=', account)
        .executeTakeFirst();
      return row?.new_public === 1;
    },
    setNewPublic: async (tx: Transaction<unknown>, account: number, isPublic: boolean): Promise<void> => {
      const new_public = toFlag(isPublic);
      await withTables(tx)
        .insertInto('gallery_setting')
        .values({ account, new_public })
        .onConflict((conflict) => conflict.column('account').doUpdateSet({ new_public }))
        .execute();
    },
    /** Inserts an unreadable recording. Does nothing if it exists already. */
    insertBroken: async (
      tx: Transaction<unknown>,
      broken: Pick<GalleryTables['gallery_broken'], 'account' | 'name' | 'file' | 'reason'>,
      now: Temporal.Instant,
    ): Promise<void> => {
      await withTables(tx)
        .insertInto('gallery_broken')
        .values({ ...broken, created: now.epochMilliseconds })
        .onConflict((conflict) => conflict.columns(['account', 'file']).doNothing())
        .execute();
    },
    removeBrokenFile: async (tx: Transaction<unknown>, account: number, file: string): Promise<void> => {
      await withTables(tx)
        .deleteFrom('gallery_broken')
        .where('account', '=', account)
        .where('file', '=', file)
        .execute();
    },
    /** Lists unreadable recordings, newest first. */
    listBroken: async (account: number): Promise<readonly BrokenRecording[]> =>
      db
        .selectFrom('gallery_broken')
        .select(['id', 'name', 'reason'])
        .where('account', '=', account)
        .orderBy('id', 'desc')
        .limit(MAX_LISTED_BROKEN)
        .execute(),
    /** Removes an unreadable recording. Returns the name of its file; undefined if the account does not have it. */
    removeBroken: async (tx: Transaction<unknown>, account: number, id: number): Promise<string | undefined> => {
      const row = await withTables(tx)
        .deleteFrom('gallery_broken')
        .where('account', '=', account)
        .where('id', '=', id)
        .returning('file')
        .executeTakeFirst();
      return row?.file;
    },
    hasCapture: async (device: number, name: string): Promise<boolean> => {
      const row = await db
        .selectFrom('gallery_capture')
        .select('id')
        .where('device', '=', device)
        .where('name', '=', name)
        .executeTakeFirst();
      return row !== undefined;
    },
    insertCapture: async (
      tx: Transaction<unknown>,
      capture: Pick<GalleryTables['gallery_capture'], 'account' | 'device' | 'name'>,
      now: Temporal.Instant,
    ): Promise<void> => {
      await withTables(tx)
        .insertInto('gallery_capture')
        .values({ ...capture, created: now.epochMilliseconds })
        .execute();
    },
    removeExpiredCaptures: async (before: Temporal.Instant): Promise<void> => {
      await db.deleteFrom('gallery_capture').where('created', '<', before.epochMilliseconds).execute();
    },
    listFiles: async (account: number): Promise<readonly string[]> => {
      const rows = await db.selectFrom('gallery_video').select('file').where('account', '=', account).execute();
      return rows.map(({ file }) => file);
    },
    listByAccount: async (account: number): Promise<readonly GalleryRecording[]> => {
      const rows = await db
        .selectFrom('gallery_video')
        .select(RECORDING_COLUMNS)
        .where('account', '=', account)
        .orderBy('start')
        .execute();
      return rows.map(toRecording);
    },
    listAll: async (): Promise<readonly GalleryRecording[]> =>
      (await db.selectFrom('gallery_video').select(RECORDING_COLUMNS).orderBy('id').execute()).map(toRecording),
  };
}
export type GalleryStore = ReturnType<typeof createGalleryStore>;
