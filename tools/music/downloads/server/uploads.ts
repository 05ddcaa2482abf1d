import { constants, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DAY_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import { lockAccount } from '#platform/server/identity/accountStore.ts';
import type { Job, JobQueue } from '#platform/server/jobs/jobQueue.ts';
import type { MediaPrograms } from '#platform/server/programs/mediaPrograms.ts';
import { type DiskSpace, LOW_DISK_SPACE_MESSAGE } from '#platform/server/storage/diskSpace.ts';
import type { FileStorage } from '#platform/server/storage/fileStorage.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { dropupload, startupload, uploadpart } from '../../contract.ts';
import { MAX_OPEN_JOBS, UPLOAD_CHUNK_BYTES } from '../../contract/limits.ts';
import { toOneLine } from '../../library/domain/song.ts';
import type { MusicServices } from '../../server/musicServices.ts';
import { findUploadProblem } from '../domain/uploadName.ts';
import { getTargetPlaylist } from './downloadHandlers.ts';
import { UPLOAD, UPLOAD_SITE, type UploadInput } from './jobInput.ts';
import type { StoredUpload } from './uploadStore.ts';

const UPLOAD_TTL_MS = 7 * DAY_MS;
/** Maximum number of incomplete uploads of an account. */
const MAX_OPEN_UPLOADS = 100;

/** Below the data folder. */
export const UPLOADS_FOLDER = 'music/uploads';
/** Returns the path of an incomplete file. */
export function getUploadPath(id: number): string {
  return `${UPLOADS_FOLDER}/${id}.part`;
}

interface UploadDeps {
  readonly services: MusicServices;
  readonly files: FileStorage;
  readonly jobs: JobQueue;
  readonly disk: DiskSpace;
  readonly programs: MediaPrograms;
}

const createUnknownUploadRefusal = (): Refusal =>
  new Refusal('music.upload_not_found', 'There is no such upload. Choose the file again');

/** Decodes a chunk. @throws Refusal */
function decodeChunk(data: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw new Refusal('music.invalid_upload_part', 'data: is not base64');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > UPLOAD_CHUNK_BYTES)
    throw new Refusal('music.invalid_upload_part', `data: is larger than ${UPLOAD_CHUNK_BYTES / 1024 ** 2} MiB`);
  return bytes;
}

/** Creates the service that receives audio files in chunks. A chunk can be sent more than once. */
export function createUploads({ database, now }: Pick<ServerContext, 'database' | 'now'>, deps: UploadDeps) {
  const { services, files, jobs, disk, programs } = deps;
  const { uploads: store } = services.store;
  const runInOrder = createKeyedQueue();

  /** Returns whether the library has the song already, so that nothing needs to be sent. */
  const isInLibrary = async (account: number, digest: string): Promise<boolean> =>
    (await services.store.songs.findByOrigin(account, { source: '', site: UPLOAD_SITE, siteId: digest })) !== undefined;

  const getReceivedBytes = async (account: number, { id, size, digest }: StoredUpload): Promise<number> =>
    (await isInLibrary(account, digest)) ? size : Math.min(size, (await files.getSize(getUploadPath(id))) ?? 0);

  /** Returns the job of an upload, unless it has ended. */
  async function findOpenJob(
    account: number,
    { job: id }: StoredUpload,
    tx?: UnitOfWork['tx'],
  ): Promise<Job | undefined> {
    const job = id === undefined ? undefined : await jobs.find(account, id, tx);
    return job?.state === 'queued' || job?.state === 'running' ? job : undefined;
  }

  /** Writes a chunk. Two instances that receive the same one write the same bytes. */
  async function write(id: number, bytes: Buffer, offset: number): Promise<void> {
    const path = files.getPath(getUploadPath(id));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await using file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
    // On a full disk, bytes that were written stay: the upload resumes at the end of the file.
    for (let done = 0; done < bytes.length;)
      done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
  }

  /** Queues the job that converts an upload to a song. */
  const queueUpload = (account: number, upload: StoredUpload): Promise<number> =>
    database.transaction(async (work) => {
      await lockAccount(database, work.tx, account);
      if ((await jobs.countOpen(account, work.tx)) >= MAX_OPEN_JOBS)
        throw new Refusal(
          'music.too_many_downloads',
          `You have the maximum of ${MAX_OPEN_JOBS.toLocaleString('en')} downloads. Wait for some to finish, or cancel them`,
        );
      const { id, name, digest, playlist } = upload;
      const input: UploadInput = { upload: id, name, digest, playlist };
      const newJob = { account, kind: UPLOAD, input, title: name, key: digest };
      const [job] = await jobs.add(work, [newJob]);
      if (!job) throw new Error('nothing was queued');
      await store.setJob(work.tx, account, id, job.id);
      return job.id;
    });

  async function assertSpace(account: number, { size, digest }: Pick<StoredUpload, 'size' | 'digest'>): Promise<void> {
    if (!disk.canStoreFiles()) throw new Refusal('disk.low', LOW_DISK_SPACE_MESSAGE);
    if ((await store.countOtherIncomplete(account, digest)) >= MAX_OPEN_UPLOADS)
      throw new Refusal(
        'music.too_many_uploads',
        `You have the maximum of ${MAX_OPEN_UPLOADS} unfinished uploads. Finish or cancel some first`,
      );
    await services.checkQuota(account, size, { digest });
  }

  /** Refuses an upload before its bytes are sent, if it can't become a song. @throws Refusal */
  async function assertAcceptable(account: number, file: Pick<StoredUpload, 'size' | 'digest'>): Promise<void> {
    if (await isInLibrary(account, file.digest)) return;
    const setupProblem = await programs.getSetupProblem('convert', account);
    if (setupProblem !== '') throw new Refusal('music.programs_missing', setupProblem);
    await assertSpace(account, file);
  }

  async function removeFiles(ids: readonly number[]): Promise<void> {
    for (const id of ids) await files.remove(getUploadPath(id));
  }

  const calls: readonly Handler[] = [
    handle(startupload, async ({ name: fileName, size, digest, playlist: requestedPlaylist }, { account }) => {
      const playlist = getTargetPlaylist(requestedPlaylist);
      if (playlist !== undefined && !(await services.store.playlists.find(account, playlist)))
        throw new Refusal('music.playlist_not_found', 'There is no such playlist. It may have been deleted');
      const name =
        Array.from(replaceUnstorable(toOneLine(fileName)))
          .slice(0, 250)
          .join('') || 'Upload';
      const reason = findUploadProblem(name);
      if (reason !== undefined) throw new Refusal('music.unsupported_file', reason);
      await assertAcceptable(account, { size, digest });
      const time = now().epochMilliseconds;
      const upload = await database.transaction(async ({ tx }) => {
        const announced = await store.announce(tx, account, { name, size, digest, playlist }, time);
        await store.setJob(tx, account, announced.id, (await findOpenJob(account, announced, tx))?.id);
        return announced;
      });
      return { upload: upload.id, offset: await getReceivedBytes(account, upload) };
    }),

    handle(uploadpart, async ({ upload: id, offset, data }, { account }) =>
      runInOrder(id, async () => {
        const upload = await store.find(account, id);
        if (!upload) throw createUnknownUploadRefusal();
        const openJob = await findOpenJob(account, upload);
        if (openJob) return { offset: upload.size, downloadid: openJob.id };
        const bytes = decodeChunk(data);
        const received = await getReceivedBytes(account, upload);
        // A chunk was sent twice or by two pages: continue at the end of the file.
        if (offset !== received) return { offset: received };
        if (received + bytes.length > upload.size)
          throw new Refusal('music.upload_size_mismatch', 'The upload is larger than announced. Choose the file again');
        if (bytes.length > 0) {
          if (!disk.canStoreFiles()) throw new Refusal('disk.low', LOW_DISK_SPACE_MESSAGE);
          await write(upload.id, bytes, received);
        }
        const end = received + bytes.length;
        return end < upload.size ? { offset: end } : { offset: end, downloadid: await queueUpload(account, upload) };
      }),
    ),

    handle(dropupload, async ({ upload: id }, { account }) =>
      runInOrder(id, async () => {
        const upload = await store.find(account, id);
        if (!upload) return;
        const openJob = await findOpenJob(account, upload);
        if (openJob) await jobs.cancel(account, openJob.id);
        await store.remove(database.db, account, id);
        await removeFiles([id]);
      }),
    ),
  ];

  return {
    calls,
    /** Removes the uploads of a job that was cancelled or closed. */
    removeByJob: async (account: number, job: number): Promise<void> =>
      removeFiles(await store.removeByJob(account, job)),
    /** Removes files without a row, which a killed server can leave. Ends early when `signal` is aborted. */
    removeOrphans: async (signal: AbortSignal): Promise<void> => {
      const paths = await files.list(UPLOADS_FOLDER);
      if (signal.aborted) return;
      const expectedPaths = new Set((await store.listIds()).map(getUploadPath));
      for (const path of paths) if (!expectedPaths.has(path) && !signal.aborted) await files.remove(path);
    },
    /** Removes uploads that were abandoned. */
    nightly: async (): Promise<void> => removeFiles(await store.purge(now().epochMilliseconds - UPLOAD_TTL_MS)),
    forget: async (account: number): Promise<void> => removeFiles(await store.listIdsByAccount(account)),
  };
}
export type Uploads = ReturnType<typeof createUploads>;
