import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import { lockAccount } from '#platform/server/identity/accountStore.ts';
import type { Job, JobQueue } from '#platform/server/jobs/jobQueue.ts';
import type { MediaPrograms } from '#platform/server/programs/mediaPrograms.ts';
import { createSerialQueue } from '#platform/server/schedule/serialQueue.ts';
import { type DiskSpace, isDiskFullError, LOW_DISK_SPACE_MESSAGE } from '#platform/server/storage/diskSpace.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { dropupload, startupload, uploadpart } from '../../contract.ts';
import { OPEN_JOBS_LIMIT, UPLOAD_PART } from '../../contract/limits.ts';
import { oneLine } from '../../library/domain/song.ts';
import type { Base } from '../../server/musicServices.ts';
import { whyNotUploaded } from '../domain/uploadName.ts';
import { intoPlaylist } from './downloadHandlers.ts';
import { UPLOAD, UPLOADED, type UploadInput } from './jobInput.ts';
import type { StoredUpload } from './uploadStore.ts';

const UPLOAD_TTL_MS = 7 * 86_400_000;
/** That are not whole yet. */
const MAX_OPEN_UPLOADS = 100;

const FOLDER = 'music/uploads';
export function uploadFile(id: number): string {
  return `${FOLDER}/${id}.part`;
}

interface UploadDeps {
  readonly base: Base;
  readonly files: FileStorage;
  readonly jobs: JobQueue;
  readonly disk: DiskSpace;
  readonly programs: MediaPrograms;
}

const unknownUpload = (): Refusal => new Refusal('There is no such upload: choose the file once more');

/** What a part holds. @throws Refusal */
const bytesIn = (data: string): Buffer => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw new Refusal('This part is no base64');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > UPLOAD_PART) throw new Refusal(`A part has ${UPLOAD_PART / 1024 ** 2} MiB at most`);
  return bytes;
};

/** Audio files of one's own, sent in parts that can be sent again. */
export function createUploads({ database, now }: Pick<ServerContext, 'database' | 'now'>, parts: UploadDeps) {
  const { base, files, jobs, disk, programs } = parts;
  const { uploads: store } = base.store;
  const inTurn = createSerialQueue();

  /** Whether there is a song of it already: then nothing needs to be sent. */
  const isThere = async (account: number, digest: string): Promise<boolean> =>
    (await base.store.songs.from(account, { source: '', site: UPLOADED, siteId: digest })) !== undefined;

  const lengthOf = async (account: number, { id, size, digest }: StoredUpload): Promise<number> =>
    (await isThere(account, digest)) ? size : Math.min(size, (await files.getSize(uploadFile(id))) ?? 0);

  /** The job that works on an upload, where there is one that has not failed. */
  const jobOf = async (account: number, { job: id }: StoredUpload, tx?: UnitOfWork['tx']): Promise<Job | undefined> => {
    const job = id === undefined ? undefined : await jobs.find(account, id, tx);
    return job?.state === 'queued' || job?.state === 'running' ? job : undefined;
  };

  const append = async (id: number, bytes: Buffer): Promise<void> => {
    const path = files.getPath(uploadFile(id));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await using file = await open(path, 'a', 0o600);
    try {
      await file.appendFile(bytes);
    } catch (error) {
      // What came until there is kept: it goes on where the file ends.
      if (isDiskFullError(error)) throw new Refusal(LOW_DISK_SPACE_MESSAGE, { cause: error });
      throw error;
    }
  };

  /** Lets a song be made of it. */
  const queue = (account: number, upload: StoredUpload): Promise<number> =>
    database.transaction(async (work) => {
      await lockAccount(database, work.tx, account);
      if ((await jobs.countOpen(account, work.tx)) >= OPEN_JOBS_LIMIT)
        throw new Refusal(`You have ${OPEN_JOBS_LIMIT.toLocaleString('en')} downloads under way: wait for some`);
      const { id, name, digest, playlist } = upload;
      const input: UploadInput = { upload: id, name, digest, playlist };
      const wish = { account, kind: UPLOAD, input, title: name, key: digest };
      const [job] = await jobs.add(work, [wish]);
      if (!job) throw new Error('nothing was queued');
      await store.begun(work.tx, account, id, job.id);
      return job.id;
    });

  const checkRoom = async (account: number, { size, digest }: Pick<StoredUpload, 'size' | 'digest'>): Promise<void> => {
    if (!disk.canStoreFiles()) throw new Refusal(LOW_DISK_SPACE_MESSAGE);
    if ((await store.openBeside(account, digest)) >= MAX_OPEN_UPLOADS)
      throw new Refusal(`${MAX_OPEN_UPLOADS} uploads are not whole yet: end some of them first`);
    await base.checkRoom(account, size, { digest });
  };

  /** Nothing is sent for nothing. @throws Refusal */
  const checkTaken = async (account: number, wanted: Pick<StoredUpload, 'size' | 'digest'>): Promise<void> => {
    if (await isThere(account, wanted.digest)) return;
    const hindrance = await programs.getSetupProblem('convert', account);
    if (hindrance !== '') throw new Refusal(hindrance);
    await checkRoom(account, wanted);
  };

  const drop = async (ids: readonly number[]): Promise<void> => {
    for (const id of ids) await files.remove(uploadFile(id));
  };

  const calls: readonly Handler[] = [
    handle(startupload, async ({ name: sent, size, digest, playlist: asked }, { account }) => {
      const playlist = intoPlaylist(asked);
      if (playlist !== undefined && !(await base.store.playlists.one(account, playlist)))
        throw new Refusal('There is no such playlist: it was deleted, or never was here');
      const name =
        Array.from(replaceUnstorable(oneLine(sent)))
          .slice(0, 250)
          .join('') || 'Upload';
      const why = whyNotUploaded(name);
      if (why !== undefined) throw new Refusal(why);
      await checkTaken(account, { size, digest });
      const time = now().epochMilliseconds;
      const upload = await database.transaction(async ({ tx }) => {
        const made = await store.announce(tx, account, { name, size, digest, playlist }, time);
        await store.begun(tx, account, made.id, (await jobOf(account, made, tx))?.id);
        return made;
      });
      return { upload: upload.id, offset: await lengthOf(account, upload) };
    }),

    handle(uploadpart, async ({ upload: id, offset, data }, { account }) =>
      inTurn(id, async () => {
        const upload = await store.one(account, id);
        if (!upload) throw unknownUpload();
        const running = await jobOf(account, upload);
        if (running) return { offset: upload.size, downloadid: running.id };
        const bytes = bytesIn(data);
        const length = await lengthOf(account, upload);
        // A part that was sent twice, or by two pages: they go on where the file ends.
        if (offset !== length) return { offset: length };
        if (length + bytes.length > upload.size) throw new Refusal('The file is longer than it was announced');
        if (bytes.length > 0) {
          if (!disk.canStoreFiles()) throw new Refusal(LOW_DISK_SPACE_MESSAGE);
          await append(upload.id, bytes);
        }
        const end = length + bytes.length;
        return end < upload.size ? { offset: end } : { offset: end, downloadid: await queue(account, upload) };
      }),
    ),

    handle(dropupload, async ({ upload: id }, { account }) =>
      inTurn(id, async () => {
        const upload = await store.one(account, id);
        if (!upload) return {};
        const running = await jobOf(account, upload);
        if (running) await jobs.cancel(account, running.id);
        await store.remove(database.db, account, id);
        await drop([id]);
        return {};
      }),
    ),
  ];

  return {
    calls,
    /** Nobody wants a song of what that job works on any more. */
    dropOf: async (account: number, job: number): Promise<void> => drop(await store.removeOfJob(account, job)),
    /** What a server that was killed had forgotten, and not cleared away. */
    sweep: async (): Promise<void> => {
      const there = await files.list(FOLDER);
      const known = new Set((await store.ids()).map(uploadFile));
      for (const name of there) if (!known.has(name)) await files.remove(name);
    },
    /** What nobody went on with. */
    nightly: async (): Promise<void> => drop(await store.purge(now().epochMilliseconds - UPLOAD_TTL_MS)),
    forget: async (account: number): Promise<void> => drop(await store.idsOf(account)),
  };
}
export type Uploads = ReturnType<typeof createUploads>;
