import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { DAY_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import { lockAccount } from '#platform/server/identity/accountStore.ts';
import { defineJobKind, JobFailure, type Job, type JobKind } from '#platform/server/jobs/jobQueue.ts';
import { importAccount, type PartReport } from '#platform/server/storage/accountImport.ts';
import { withDeferrableWrites } from '#platform/server/storage/diskFullError.ts';
import { openExportArchive } from '#platform/server/storage/exportArchive.ts';
import { assertSpaceFor } from '#platform/server/storage/importSource.ts';
import { handle, type Handler, type ServerContext, type ServerSite } from '#platform/server/tool.ts';
import { accountimport, dropimport, importpart, IMPORT_PART_BYTES, importReport, startimport } from '../contract.ts';

export const settings = z.object({
  IMPORT_MAX_GB: z
    .string()
    .regex(/^\d{1,6}(\.\d+)?$/, 'must be a number of GiB such as 50')
    .prefault('50')
    .transform(Number)
    .describe('Maximum size of an export of an account that is imported, in GiB.'),
});

const IMPORT = 'account-import';
/** Below the data folder. */
export const IMPORTS_FOLDER = 'account-imports';
/** Uploads that are not continued are removed after this time. */
const UPLOAD_TTL_MS = 7 * DAY_MS;
const REPORT_FILE = 'report.json';
const GIB = 1024 ** 3;
const EPOCH = Temporal.Instant.fromEpochMilliseconds(0);

const importInput = z.object({ path: z.string() });
const reports = z.array(importReport);

/** An upload: the file that its bytes are appended to. Its name has the account, size and key of the zip. */
interface Upload {
  readonly path: string;
  readonly size: number;
}

const getPrefix = (account: number): string => `${IMPORTS_FOLDER}/${account}-`;

function toUpload(account: number, { size, key }: { readonly size: number; readonly key: string }): Upload {
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return { path: `${getPrefix(account)}${size}-${digest}.zip`, size };
}

function parseUpload(path: string): Upload {
  const [, size = '0'] = /-(\d+)-\w+\.zip$/.exec(path) ?? [];
  return { path, size: Number(size) };
}

function decodePart(data: string): Buffer {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw new Refusal('import.invalid_part', 'data: is not base64');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > IMPORT_PART_BYTES)
    throw new Refusal('import.invalid_part', `data: is larger than ${IMPORT_PART_BYTES / 1024 ** 2} MiB`);
  return bytes;
}

type ImportContext = Pick<ServerContext, 'database' | 'files' | 'disk' | 'jobs' | 'log' | 'now' | 'environment'>;

const isOpen = (job: Job | undefined): boolean => job?.state === 'queued' || job?.state === 'running';

/** Reads what an interrupted attempt has done already. */
async function readEarlierReports(folder: string): Promise<readonly PartReport[]> {
  const text = await readFile(join(folder, REPORT_FILE), 'utf8').catch(() => '[]');
  return reports.parse(JSON.parse(text));
}

/** Replaces the file as a whole, because a server that is killed while it writes must find it readable again. */
async function writeReports(folder: string, done: readonly PartReport[]): Promise<void> {
  const path = join(folder, REPORT_FILE);
  await writeFile(`${path}.new`, JSON.stringify(done), { flush: true });
  await rename(`${path}.new`, path);
}

/** Creates the import of accounts: the upload of a zip in parts, and the job that reads it. */
export function createAccountImports(context: ImportContext, site: Pick<ServerSite, 'listImports'>) {
  const { database, files, disk, jobs, log, now } = context;
  const { IMPORT_MAX_GB } = settings.parse(context.environment);
  const runInOrder = createKeyedQueue();

  async function listUploads(account: number): Promise<readonly Upload[]> {
    const paths = await files.list(IMPORTS_FOLDER);
    return paths.filter((path) => path.startsWith(getPrefix(account))).map(parseUpload);
  }
  /** Returns the last import, unless the user has hidden it. */
  async function findLastJob(account: number): Promise<Job | undefined> {
    const all = await jobs.list(account, { kinds: [IMPORT], endedAfter: EPOCH });
    return all.filter(({ isDismissed }) => !isDismissed).at(-1);
  }

  async function assertNoneRunning(account: number): Promise<void> {
    if (isOpen(await findLastJob(account)))
      throw new Refusal('import.running', 'An import is running already. Wait until it has finished');
  }

  /** Writes to a place, so that a part which arrives at two instances at once is there once. */
  async function writePart(path: string, bytes: Buffer, offset: number): Promise<void> {
    const absolutePath = files.getPath(path);
    await mkdir(dirname(absolutePath), { recursive: true, mode: 0o700 });
    // Without O_APPEND, which ignores the offset, and without truncating.
    await using file = await open(absolutePath, constants.O_WRONLY | constants.O_CREAT, 0o600);
    for (let count = 0; count < bytes.length;)
      count += (await file.write(bytes, count, bytes.length - count, offset + count)).bytesWritten;
  }

  /** Only one at a time, also on several instances, because two would import the same part twice. */
  const queueImport = (account: number, { path }: Upload): Promise<void> =>
    database.transaction(async (work) => {
      await lockAccount(database, work.tx, account);
      if ((await jobs.listOpenByKey(account, IMPORT, IMPORT, work.tx)).length > 0) return;
      await jobs.add(work, [{ account, kind: IMPORT, input: { path }, title: 'Import', key: IMPORT }]);
    });

  async function dropUploads(account: number): Promise<void> {
    for (const { path } of await listUploads(account)) await files.remove(path);
  }

  async function getState(account: number) {
    const job = await findLastJob(account);
    if (job && isOpen(job)) {
      const { percent } = job;
      return { state: 'running' as const, ...(percent === undefined ? {} : { percent: Math.floor(percent) }) };
    }
    const [upload] = await listUploads(account);
    if (upload) {
      const offset = (await files.getSize(upload.path)) ?? 0;
      return { state: 'uploading' as const, percent: Math.floor((offset / upload.size) * 100) };
    }
    if (!job || job.state === 'cancelled') return { state: 'none' as const };
    if (job.state === 'done') return { state: 'done' as const, parts: reports.parse(job.result) };
    return { state: 'failed' as const, error: job.error };
  }

  const calls: readonly Handler[] = [
    handle(accountimport, async (_request, { account }) => getState(account)),

    handle(startimport, async (request, { account }) =>
      runInOrder(account, async () => {
        await assertNoneRunning(account);
        if (request.size > IMPORT_MAX_GB * GIB)
          throw new Refusal('import.too_large', `This server imports files of at most ${IMPORT_MAX_GB} GiB`);
        assertSpaceFor(disk, request.size);
        const upload = toUpload(account, request);
        for (const { path } of await listUploads(account)) if (path !== upload.path) await files.remove(path);
        const offset = (await files.getSize(upload.path)) ?? 0;
        if (offset === 0) await writePart(upload.path, Buffer.alloc(0), 0);
        if (offset === upload.size) await queueImport(account, upload);
        return { offset };
      }),
    ),

    handle(importpart, async ({ offset, data }, { account }) =>
      runInOrder(account, async () => {
        const [upload] = await listUploads(account);
        if (!upload) throw new Refusal('import.upload_not_found', 'There is no such upload. Choose the file again');
        const received = (await files.getSize(upload.path)) ?? 0;
        // A part was sent twice: continue at the end of the file.
        if (offset !== received) return { offset: received };
        const bytes = decodePart(data);
        if (received + bytes.length > upload.size)
          throw new Refusal('import.size_mismatch', 'The upload is larger than announced. Choose the file again');
        assertSpaceFor(disk, bytes.length);
        await writePart(upload.path, bytes, received);
        const end = received + bytes.length;
        if (end === upload.size) await queueImport(account, upload);
        return { offset: end };
      }),
    ),

    handle(dropimport, async (_request, { account }) =>
      runInOrder(account, async () => {
        const job = await findLastJob(account);
        if (job && isOpen(job)) await jobs.cancel(account, job.id);
        else if (job) await jobs.dismiss(account, job.id);
        await dropUploads(account);
      }),
    ),
  ];

  const jobKind: JobKind = defineJobKind<z.output<typeof importInput>>({
    name: IMPORT,
    input: importInput,
    maxConcurrent: 1,
    run: async ({ job, input, folder, signal, reportProgress }) => {
      const imports = site.listImports();
      try {
        await using archive = await openExportArchive(files.getPath(input.path));
        const earlier = await readEarlierReports(folder);
        const result = await withDeferrableWrites(() =>
          importAccount(
            { imports, log },
            {
              account: job.account,
              archive,
              earlier,
              signal,
              onReport: async (done) => {
                await writeReports(folder, done);
                reportProgress({ percent: (done.length / archive.tools.length) * 100 });
              },
            },
          ),
        );
        return {
          save: async ({ afterCommit }) => {
            afterCommit(
              () =>
                void files
                  .remove(input.path)
                  .catch((error: unknown) => log.warn({ err: error }, 'account.import.cleanup_failed')),
            );
            return result;
          },
        };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        await files.remove(input.path);
        throw new JobFailure('final', error.message, { cause: error });
      }
    },
  });

  return {
    calls,
    jobKind,
    deleteAccountData: dropUploads,
    /** Removes uploads that were abandoned, and those of failed imports. */
    nightly: async (): Promise<void> => {
      const before = now().epochMilliseconds - UPLOAD_TTL_MS;
      for (const path of await files.list(IMPORTS_FOLDER)) {
        const stats = await stat(files.getPath(path)).catch(() => undefined);
        if (stats && stats.mtimeMs < before) await files.remove(path);
      }
    },
  };
}
