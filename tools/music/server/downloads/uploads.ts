import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { keepable } from '#platform/contract/keepable.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Programs } from '#platform/server/children/programs.ts';
import type { Work } from '#platform/server/database/database.ts';
import { type Disk, isDiskFull, NO_ROOM } from '#platform/server/disk.ts';
import type { Files } from '#platform/server/files.ts';
import { holdAccount } from '#platform/server/identity/holdAccount.ts';
import { makeInTurn } from '#platform/server/inTurn.ts';
import type { Job, Jobs } from '#platform/server/jobs/jobs.ts';
import { handle, type Ground, type Handler } from '#platform/server/tool.ts';
import { dropupload, startupload, uploadpart } from '../../contract.ts';
import { OPEN_JOBS_LIMIT, UPLOAD_PART } from '../../contract/limits.ts';
import { whyNotUploaded } from '../../domain/uploadName.ts';
import { oneLine } from '../../domain/words.ts';
import type { Base } from '../base.ts';
import type { Upload } from '../store/uploads.ts';
import { intoPlaylist } from './calls.ts';
import { UPLOAD, UPLOADED, type UploadInput } from './input.ts';

const KEPT_MS = 7 * 86_400_000;
/** That are not whole yet. */
const MOST_OPEN = 100;

const FOLDER = 'music/uploads';
export const uploadFile = (id: number): string => `${FOLDER}/${id}.part`;

interface Parts {
  readonly base: Base;
  readonly files: Files;
  readonly jobs: Jobs;
  readonly disk: Disk;
  readonly programs: Programs;
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
export const makeUploads = ({ database, now }: Pick<Ground, 'database' | 'now'>, parts: Parts) => {
  const { base, files, jobs, disk, programs } = parts;
  const { uploads: store } = base.store;
  const inTurn = makeInTurn();

  /** Whether there is a song of it already: then nothing needs to be sent. */
  const isThere = async (account: number, digest: string): Promise<boolean> =>
    (await base.store.songs.from(account, { source: '', site: UPLOADED, siteId: digest })) !== undefined;

  const lengthOf = async (account: number, { id, size, digest }: Upload): Promise<number> =>
    (await isThere(account, digest)) ? size : Math.min(size, (await files.size(uploadFile(id))) ?? 0);

  /** The job that works on an upload, where there is one that has not failed. */
  const jobOf = async (account: number, { job: id }: Upload, tx?: Work['tx']): Promise<Job | undefined> => {
    const job = id === undefined ? undefined : await jobs.find(account, id, tx);
    return job?.state === 'queued' || job?.state === 'running' ? job : undefined;
  };

  const append = async (id: number, bytes: Buffer): Promise<void> => {
    const path = files.path(uploadFile(id));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await using file = await open(path, 'a', 0o600);
    try {
      await file.appendFile(bytes);
    } catch (error) {
      // What came until there is kept: it goes on where the file ends.
      if (isDiskFull(error)) throw new Refusal(NO_ROOM, { cause: error });
      throw error;
    }
  };

  /** Lets a song be made of it. */
  const queue = (account: number, upload: Upload): Promise<number> =>
    database.transaction(async (work) => {
      await holdAccount(database, work.tx, account);
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

  const checkRoom = async (account: number, { size, digest }: Pick<Upload, 'size' | 'digest'>): Promise<void> => {
    if (!disk.mayKeepFiles()) throw new Refusal(NO_ROOM);
    if ((await store.openBeside(account, digest)) >= MOST_OPEN)
      throw new Refusal(`${MOST_OPEN} uploads are not whole yet: end some of them first`);
    await base.checkRoom(account, size, { digest });
  };

  /** Nothing is sent for nothing. @throws Refusal */
  const checkTaken = async (account: number, wanted: Pick<Upload, 'size' | 'digest'>): Promise<void> => {
    if (await isThere(account, wanted.digest)) return;
    const hindrance = await programs.hindrance('convert', account);
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
        Array.from(keepable(oneLine(sent)))
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
          if (!disk.mayKeepFiles()) throw new Refusal(NO_ROOM);
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
    nightly: async (): Promise<void> => drop(await store.purge(now().epochMilliseconds - KEPT_MS)),
    forget: async (account: number): Promise<void> => drop(await store.idsOf(account)),
  };
};
export type Uploads = ReturnType<typeof makeUploads>;
