import { constants, type Dirent, watch } from 'node:fs';
import { access, lstat, mkdir, mkdtemp, readdir, rm, readFile, readlink, stat } from 'node:fs/promises';
import { extname, join, basename } from 'node:path';
import { getOrCreateList } from '#platform/contract/groupBy.ts';
import { createReplicatedMap } from '#platform/server/cluster/replicatedMap.ts';
import { JobFailure } from '#platform/server/jobs/jobQueue.ts';
import { NO_VIDEO_MESSAGE } from '#platform/server/media/media.ts';
import { hasErrorCode } from '#platform/server/storage/errorCode.ts';
import { linkFile } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import {
  markHandedOver,
  type InboxFileState,
  getNextStep,
  type FileFacts,
  type ProbeResult,
  updateFileState,
  type InboxStep,
  getStage,
  type InboxState,
} from '../domain/inboxReadiness.ts';
import { isRecordingName } from '../domain/recordingName.ts';
import { INBOX_FOLDER, PROBES_FOLDER } from './galleryFiles.ts';

const WRITE_FLAGS = 0o3;
/** Treats errors as undefined: a process may have ended, or may hide its files from this user. */
const orUndefined = async <T>(promise: Promise<T>): Promise<T | undefined> => promise.catch(() => undefined);

async function isWriting(process: string, descriptor: string): Promise<boolean> {
  const info = await orUndefined(readFile(`/proc/${process}/fdinfo/${descriptor}`, 'latin1'));
  const flags = /^flags:\s*([0-7]+)/m.exec(info ?? '')?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & WRITE_FLAGS) !== 0;
}

interface FileKey {
  readonly path: string;
  /** Identifies the file, whatever its name is. */
  readonly key: string;
}

const getFileKey = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string => `${dev}:${ino}`;

/** Groups files by base name: for most open files of other processes, comparing the names suffices. */
async function groupByName(paths: readonly string[]): Promise<ReadonlyMap<string, readonly FileKey[]>> {
  const filesByName = new Map<string, FileKey[]>();
  for (const path of paths) {
    const stats = await orUndefined(stat(path));
    if (stats) getOrCreateList(filesByName, basename(path)).push({ path, key: getFileKey(stats) });
  }
  return filesByName;
}

async function findMatch(
  link: string,
  filesByName: ReadonlyMap<string, readonly FileKey[]>,
): Promise<string | undefined> {
  const candidates = filesByName.get(basename((await orUndefined(readlink(link))) ?? ''));
  const stats = candidates && (await orUndefined(stat(link)));
  return stats && candidates.find(({ key }) => key === getFileKey(stats))?.path;
}

/**
 * Returns which of these files a process has open for writing, as far as Linux shows it to this user; empty on other
 * systems.
 */
export async function findOpenForWriting(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const openPaths = new Set<string>();
  const filesByName = await groupByName(paths);
  if (filesByName.size === 0) return openPaths;
  const processes = ((await orUndefined(readdir('/proc'))) ?? []).filter((name) => /^\d+$/.test(name));
  for (const process of processes)
    for (const descriptor of (await orUndefined(readdir(`/proc/${process}/fd`))) ?? []) {
      const path = await findMatch(`/proc/${process}/fd/${descriptor}`, filesByName);
      if (path !== undefined && (await isWriting(process, descriptor))) openPaths.add(path);
    }
  return openPaths;
}

const FOLDER_MODE = 0o700;
const HINT_DEBOUNCE_MS = 200;

/** A regular file in the inbox. */
export interface InboxFile {
  /** Below the inbox: `2026-11-20 21-04-05.mkv`, `account-3/device-7/….mkv`. */
  readonly path: string;
  readonly name: string;
  readonly account: number;
}

/** A file of the inbox that is complete, or that its writer has abandoned. */
export interface ReadyFile extends InboxFile {
  readonly modifiedMs: number;
  /** Whether it has no length, so that only a part can be salvaged. */
  readonly isCut: boolean;
}

export interface Inbox {
  /** Absolute path. */
  readonly folder: string;
  /** Scans once; only one scan runs at a time. */
  readonly scan: () => Promise<void>;
  /** Lists the files that no job has yet, each with a sentence about its state. */
  readonly listWaiting: (
    account: number,
  ) => readonly { readonly id: string; readonly name: string; readonly state: string }[];
  readonly stop: () => Promise<void>;
}

interface TrackedFile extends InboxFile {
  readonly absolutePath: string;
  fileState: InboxFileState;
}

const STATE_TEXTS: Readonly<Record<Exclude<InboxState, 'taken'>, string>> = {
  writing: 'Still being written',
  still: 'Waiting until the file has not changed for ten seconds',
  cut: 'Incomplete. The part that can be read is saved after ten minutes',
  locked: "The server can't read this file. Give its user read permission",
  left: 'The server could not move this file from the inbox and tries again every ten minutes. Its log has the details',
};

export function getInboxPath({ files }: Pick<ServerContext, 'files'>): string {
  return files.getPath(INBOX_FOLDER);
}

async function listEntries(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // deleted just now, or not readable
  }
}

type InboxDeps = Pick<ServerContext, 'files' | 'media' | 'identity' | 'log' | 'programs' | 'cluster' | 'database'>;

interface InboxOptions {
  readonly context: InboxDeps;
  readonly now: () => number;
  /** Queues a job for the file. Returns false if one is queued already. */
  readonly queueOnce: (file: ReadyFile) => Promise<boolean>;
  /** Returns whether a job for the file is queued or running. */
  readonly hasOpenJob: (file: InboxFile) => Promise<boolean>;
  /** Called when the waiting files have changed. */
  readonly onChange: (account: number) => void;
}

/** Watches the inbox folder, and queues a job for each complete recording. */
export function createInbox({ context, now, queueOnce, hasOpenJob, onChange }: InboxOptions): Inbox {
  const { files, media, identity, log, programs } = context;
  const folder = getInboxPath(context);
  /** The leader scans; the others only list. */
  const trackedByPath = createReplicatedMap<TrackedFile, string>(context.cluster, 'gallery inbox');

  async function listFiles(subfolder: string, account: number): Promise<readonly InboxFile[]> {
    const entries = await listEntries(join(folder, subfolder));
    return entries
      .filter((entry) => entry.isFile() && isRecordingName(entry.name))
      .map(({ name }) => ({ path: join(subfolder, name), name, account }));
  }
  async function listFolders(subfolder: string, pattern: RegExp): Promise<readonly (readonly [string, number])[]> {
    const entries = await listEntries(join(folder, subfolder));
    return entries
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => {
        const id = pattern.exec(name)?.[1];
        return id === undefined ? [] : [[join(subfolder, name), Number(id)] as const];
      });
  }
  /** The root belongs to the server's owner. Each account has a folder, with a subfolder for each of its computers. */
  async function listAllFiles(): Promise<readonly InboxFile[]> {
    const inboxFiles: InboxFile[] = [];
    const owner = await identity.findOwner();
    if (owner) inboxFiles.push(...(await listFiles('', owner.id)));
    for (const [accountPath, account] of await listFolders('', /^account-([1-9]\d{0,8})$/)) {
      if (!(await identity.findAccount(account))) continue;
      inboxFiles.push(...(await listFiles(accountPath, account)));
      for (const [device] of await listFolders(accountPath, /^device-(\d+)$/))
        inboxFiles.push(...(await listFiles(device, account)));
    }
    return inboxFiles;
  }
  async function trackFile(file: InboxFile): Promise<TrackedFile | undefined> {
    const absolutePath = join(folder, file.path);
    const stats = await lstat(absolutePath).catch(() => undefined);
    if (!stats?.isFile()) return undefined;
    const { size, mtimeMs } = stats;
    return {
      ...file,
      absolutePath,
      fileState: updateFileState(trackedByPath.get(file.path)?.fileState, { size, mtimeMs }, now()),
    };
  }
  /**
   * Probes a link with a safe name in its own folder: the program must neither interpret a foreign name nor write
   * elsewhere.
   */
  async function probe({ absolutePath, name }: TrackedFile): Promise<ProbeResult> {
    const probesFolder = files.getPath(PROBES_FOLDER);
    await mkdir(probesFolder, { recursive: true, mode: FOLDER_MODE });
    const probeFolder = await mkdtemp(join(probesFolder, 'look-'));
    try {
      await access(absolutePath, constants.R_OK);
      const safeName = `media${extname(name).toLowerCase()}`;
      await linkFile(absolutePath, join(probeFolder, safeName));
      const { seconds } = await media.probe('video', { folder: probeFolder, name: safeName });
      return seconds === undefined ? 'endless' : 'whole';
    } catch (error) {
      // A complete file without a video never becomes one, so its job reports the problem.
      if (error instanceof JobFailure && error.message === NO_VIDEO_MESSAGE) return 'whole';
      if (error instanceof JobFailure && error.retry === 'final') return 'endless';
      if (hasErrorCode(error, 'EACCES')) return 'locked';
      log.warn({ err: error }, 'gallery.inbox.probe_failed');
      return 'unknown';
    } finally {
      await rm(probeFolder, { recursive: true, force: true });
    }
  }
  async function handToJob({ path, name, account, fileState }: TrackedFile, isCut: boolean): Promise<boolean> {
    try {
      return await queueOnce({ path, name, account, modifiedMs: fileState.file.mtimeMs, isCut });
    } catch (error) {
      log.error({ err: error }, 'gallery.inbox.file_failed');
      return false;
    }
  }
  async function processFile(tracked: TrackedFile, isOpen: boolean): Promise<void> {
    function step(facts?: Partial<FileFacts>): InboxStep['action'] {
      const { fileState, action } = getNextStep(tracked.fileState, { isOpen, ...facts }, now());
      tracked.fileState = fileState;
      return action;
    }
    let action = step();
    if (action === 'checkJob') action = step({ hasOpenJob: await hasOpenJob(tracked) });
    if (action === 'probe') action = step({ probeResult: await probe(tracked) });
    if (action === 'take' || action === 'save')
      tracked.fileState = markHandedOver(tracked.fileState, await handToJob(tracked, action === 'save'), now());
  }
  /** Keeps a file that a job has fetched until the job has finished, because it may be returned. */
  async function removeMissing(existingPaths: ReadonlySet<string>): Promise<void> {
    for (const [path, tracked] of trackedByPath)
      if (!existingPaths.has(path) && !(tracked.fileState.state === 'taken' && (await hasOpenJob(tracked))))
        trackedByPath.delete(path);
  }
  function describeStates(): ReadonlyMap<number, string> {
    const descriptionByAccount = new Map<number, string>();
    for (const { account, path, fileState } of trackedByPath.values())
      descriptionByAccount.set(account, `${descriptionByAccount.get(account) ?? ''}${path} ${fileState.state}\n`);
    return descriptionByAccount;
  }
  async function runScan(): Promise<void> {
    if ((await programs.getSetupProblem('convert')) !== '') return;
    const before = describeStates();
    const inboxFiles = await listAllFiles();
    await removeMissing(new Set(inboxFiles.map(({ path }) => path)));
    const trackedFiles: TrackedFile[] = [];
    for (const file of inboxFiles) {
      const tracked = await trackFile(file);
      if (tracked) trackedFiles.push(tracked);
      else trackedByPath.delete(file.path);
    }
    for (const tracked of trackedFiles) trackedByPath.set(tracked.path, tracked);
    const unchangedFiles = trackedFiles.filter(({ fileState }) => getStage(fileState.file, now()) !== 'wait');
    const openPaths = await findOpenForWriting(unchangedFiles.map(({ absolutePath }) => absolutePath));
    for (const tracked of unchangedFiles) await processFile(tracked, openPaths.has(tracked.absolutePath));
    const after = describeStates();
    for (const account of new Set([...before.keys(), ...after.keys()]))
      if (before.get(account) !== after.get(account)) onChange(account);
  }

  let scanning: Promise<void> | undefined;
  async function scan(): Promise<void> {
    scanning ??= runScan().finally(() => {
      scanning = undefined;
    });
    await scanning;
  }

  /** Scans again after a running scan, which may have missed the file. */
  async function scanAgain(): Promise<void> {
    await scanning?.catch(() => undefined);
    await scan();
  }

  // Events only trigger an early scan: some file systems send none, and none reports that a writer has finished.
  let hintTimer: NodeJS.Timeout | undefined;
  function handleHint(kind: string): void {
    // Further writes to a file don't matter, and further files must not delay the scan.
    if (kind === 'change' || hintTimer || !context.database.coordination.isLeader()) return;
    hintTimer = setTimeout(() => {
      hintTimer = undefined;
      scanAgain().catch((error: unknown) => log.error({ err: error }, 'gallery.inbox.scan_failed'));
    }, HINT_DEBOUNCE_MS).unref();
  }
  const opening = (async () => {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    await rm(files.getPath(PROBES_FOLDER), { recursive: true, force: true });
    return watch(folder, { persistent: false }, handleHint).on('error', () => undefined);
  })().catch((error: unknown) => {
    log.error({ err: error, folder }, 'gallery.inbox.watch_failed');
    return undefined;
  });

  return {
    folder,
    scan: async () => {
      await opening;
      await scan();
    },
    listWaiting: (account) =>
      [...trackedByPath.values()].flatMap(({ path, name, fileState: { state }, account: owner }) =>
        owner === account && state !== 'taken' ? [{ id: path, name, state: STATE_TEXTS[state] }] : [],
      ),
    stop: async () => {
      (await opening)?.close();
      clearTimeout(hintTimer);
      await scanning?.catch(() => undefined);
    },
  };
}
