import { constants, type Dirent, watch } from 'node:fs';
import { access, lstat, mkdir, mkdtemp, readdir, rm, readFile, readlink, stat } from 'node:fs/promises';
import { extname, join, basename } from 'node:path';
import { JobFailure } from '#platform/server/jobs/jobQueue.ts';
import { NO_VIDEO_MESSAGE } from '#platform/server/media/media.ts';
import { hasErrorCode } from '#platform/server/storage/errorCode.ts';
import { linkFile } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import {
  markGiven,
  type InboxFileState,
  getNextStep,
  type ProbeResult,
  updateFileState,
  type Step,
  getStage,
  type State,
} from '../domain/inboxReadiness.ts';
import { isRecordingName } from '../domain/recordingName.ts';
import { INBOX, LOOKS } from './galleryFiles.ts';

const WRITES = 0o3;
/** Treats errors as undefined: a process may have ended, or may not let us see its files. */
const orUndefined = async <T>(promise: Promise<T>): Promise<T | undefined> => promise.catch(() => undefined);

const isWriting = async (process: string, descriptor: string): Promise<boolean> => {
  const info = await orUndefined(readFile(`/proc/${process}/fdinfo/${descriptor}`, 'latin1'));
  const flags = /^flags:\s*([0-7]+)/m.exec(info ?? '')?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & WRITES) !== 0;
};

interface FileKey {
  readonly path: string;
  /** Identifies the file, whatever its name is. */
  readonly key: string;
}

const getFileKey = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string => `${dev}:${ino}`;

/** Groups files by base name: for most open files of other processes, comparing the names suffices. */
const groupByName = async (paths: readonly string[]): Promise<ReadonlyMap<string, readonly FileKey[]>> => {
  const filesByName = new Map<string, readonly FileKey[]>();
  for (const path of paths) {
    const about = await orUndefined(stat(path));
    const name = basename(path);
    if (about) filesByName.set(name, [...(filesByName.get(name) ?? []), { path, key: getFileKey(about) }]);
  }
  return filesByName;
};

const findMatch = async (
  own: string,
  filesByName: ReadonlyMap<string, readonly FileKey[]>,
): Promise<string | undefined> => {
  const same = filesByName.get(basename((await orUndefined(readlink(own))) ?? ''));
  const about = same && (await orUndefined(stat(own)));
  return about && same.find(({ key }) => key === getFileKey(about))?.path;
};

/**
 * Returns which of these files a process has open for writing, as far as Linux shows it to this user; empty on other
 * systems.
 */
export async function openForWriting(paths: readonly string[]): Promise<ReadonlySet<string>> {
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
const HINT_MS = 200;

/** A regular file in the inbox. */
export interface InboxFile {
  /** Below the inbox: `2026-11-20 21-04-05.mkv`, `account-3/device-7/….mkv`. */
  readonly path: string;
  readonly name: string;
  readonly account: number;
}

/** A file of the inbox that is complete, or that will not be finished any more. */
export interface ReadyFile extends InboxFile {
  readonly modifiedMs: number;
  /** It has no length: what there is must be salvaged. */
  readonly isCut: boolean;
}

export interface Inbox {
  /** Absolute path. */
  readonly folder: string;
  /** Scans once; only one scan runs at a time. */
  readonly scan: () => Promise<void>;
  /** Lists files that are not taken yet, with what they are waiting for. */
  readonly listWaiting: (
    account: number,
  ) => readonly { readonly id: string; readonly name: string; readonly state: string }[];
  readonly stop: () => Promise<void>;
}

interface TrackedFile extends InboxFile {
  readonly absolute: string;
  lying: InboxFileState;
}

const states: Readonly<Record<Exclude<State, 'taken'>, string>> = {
  writing: 'Still being written',
  still: 'Waiting until the file has not changed for ten seconds',
  cut: 'Incomplete. The part that can be read is saved after ten minutes',
  locked: "The server can't read this file. Give its user read permission",
  left: 'The server could not move this file from the inbox and tries again every ten minutes. Its log has the details',
};

export function inboxFolder({ files }: Pick<ServerContext, 'files'>): string {
  return files.getPath(INBOX);
}

const listEntries = async (folder: string): Promise<readonly Dirent[]> => {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // went away just now, or may not be read
  }
};

type InboxDeps = Pick<ServerContext, 'files' | 'media' | 'identity' | 'log' | 'programs'>;

interface InboxOptions {
  readonly context: InboxDeps;
  readonly now: () => number;
  /** Adds a job; returns false if that has been done already. */
  readonly take: (found: ReadyFile) => Promise<boolean>;
  /** Whether a job for the file exists and is not finished. */
  readonly isInHand: (file: InboxFile) => Promise<boolean>;
  /** Called when the waiting files have changed. */
  readonly changed: (account: number) => void;
}

/** Watches the inbox folder, and hands each complete recording to a job. */
export function createInbox({ context, now, take, isInHand, changed }: InboxOptions): Inbox {
  const { files, media, identity, log, programs } = context;
  const folder = inboxFolder(context);
  const trackedByPath = new Map<string, TrackedFile>();

  const listFiles = async (below: string, account: number): Promise<readonly InboxFile[]> => {
    const entries = await listEntries(join(folder, below));
    return entries
      .filter((entry) => entry.isFile() && isRecordingName(entry.name))
      .map(({ name }) => ({ path: join(below, name), name, account }));
  };
  const listFolders = async (below: string, pattern: RegExp): Promise<readonly (readonly [string, number])[]> => {
    const entries = await listEntries(join(folder, below));
    return entries
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => {
        const id = pattern.exec(name)?.[1];
        return id === undefined ? [] : [[join(below, name), Number(id)] as const];
      });
  };
  /** The root belongs to the server's owner. Each account has a folder, with a subfolder for each of its computers. */
  const listAllFiles = async (): Promise<readonly InboxFile[]> => {
    const allFound: InboxFile[] = [];
    const owner = await identity.findOwner();
    if (owner) allFound.push(...(await listFiles('', owner.id)));
    for (const [accountPath, account] of await listFolders('', /^account-([1-9]\d{0,8})$/)) {
      if (!(await identity.findAccount(account))) continue;
      allFound.push(...(await listFiles(accountPath, account)));
      for (const [device] of await listFolders(accountPath, /^device-(\d+)$/))
        allFound.push(...(await listFiles(device, account)));
    }
    return allFound;
  };
  const trackFile = async (file: InboxFile): Promise<TrackedFile | undefined> => {
    const absolute = join(folder, file.path);
    const about = await lstat(absolute).catch(() => undefined);
    if (!about?.isFile()) return undefined;
    const { size, mtimeMs } = about;
    return { ...file, absolute, lying: updateFileState(trackedByPath.get(file.path)?.lying, { size, mtimeMs }, now()) };
  };
  /**
   * Probes a link with a safe name in its own folder: the program must not interpret a foreign name, nor write
   * elsewhere.
   */
  const probe = async ({ absolute, name }: TrackedFile): Promise<ProbeResult> => {
    const looks = files.getPath(LOOKS);
    await mkdir(looks, { recursive: true, mode: FOLDER_MODE });
    const probeFolder = await mkdtemp(join(looks, 'look-'));
    try {
      await access(absolute, constants.R_OK);
      const plain = `media${extname(name).toLowerCase()}`;
      await linkFile(absolute, join(probeFolder, plain));
      const { seconds } = await media.probe('video', { folder: probeFolder, name: plain });
      return seconds === undefined ? 'endless' : 'whole';
    } catch (error) {
      // A complete file that is no video will not be finished by anyone: its job reports that.
      if (error instanceof JobFailure && error.message === NO_VIDEO_MESSAGE) return 'whole';
      if (error instanceof JobFailure && error.retry === 'final') return 'endless';
      if (hasErrorCode(error, 'EACCES')) return 'locked';
      log.warn({ err: error }, 'gallery.inbox.probe_failed');
      return 'unknown';
    } finally {
      await rm(probeFolder, { recursive: true, force: true });
    }
  };
  const handToJob = async ({ path, name, account, lying }: TrackedFile, isCut: boolean): Promise<boolean> => {
    try {
      return await take({ path, name, account, modifiedMs: lying.file.mtimeMs, isCut });
    } catch (error) {
      log.error({ err: error }, 'gallery.inbox.file_failed');
      return false;
    }
  };
  const processFile = async (one: TrackedFile, isOpen: boolean): Promise<void> => {
    const step = (more?: { readonly probed: ProbeResult } | { readonly isInHand: boolean }): Step['act'] => {
      const { lying, act } = getNextStep(one.lying, { isOpen, ...more }, now());
      one.lying = lying;
      return act;
    };
    let act = step();
    if (act === 'askHand') act = step({ isInHand: await isInHand(one) });
    if (act === 'probe') act = step({ probed: await probe(one) });
    if (act === 'take' || act === 'save') one.lying = markGiven(one.lying, await handToJob(one, act === 'save'), now());
  };
  /** A file that a job has fetched stays known until the job is finished, as it may be returned. */
  const removeMissing = async (here: ReadonlySet<string>): Promise<void> => {
    for (const [path, one] of trackedByPath)
      if (!here.has(path) && !(one.lying.state === 'taken' && (await isInHand(one)))) trackedByPath.delete(path);
  };
  const describeStates = (): ReadonlyMap<number, string> => {
    const all = new Map<number, string>();
    for (const { account, path, lying } of trackedByPath.values())
      all.set(account, `${all.get(account) ?? ''}${path} ${lying.state}\n`);
    return all;
  };
  const runScan = async (): Promise<void> => {
    if ((await programs.getSetupProblem('convert')) !== '') return;
    const before = describeStates();
    const foundFiles = await listAllFiles();
    await removeMissing(new Set(foundFiles.map(({ path }) => path)));
    const looks: TrackedFile[] = [];
    for (const file of foundFiles) {
      const one = await trackFile(file);
      if (one) looks.push(one);
      else trackedByPath.delete(file.path);
    }
    for (const one of looks) trackedByPath.set(one.path, one);
    const still = looks.filter(({ lying }) => getStage(lying.file, now()) !== 'wait');
    const open = await openForWriting(still.map(({ absolute }) => absolute));
    for (const one of still) await processFile(one, open.has(one.absolute));
    const after = describeStates();
    for (const account of new Set([...before.keys(), ...after.keys()]))
      if (before.get(account) !== after.get(account)) changed(account);
  };

  let scanning: Promise<void> | undefined;
  const scan = async (): Promise<void> => {
    scanning ??= runScan().finally(() => {
      scanning = undefined;
    });
    await scanning;
  };

  /** A running scan may have missed the file. */
  const scanAgain = async (): Promise<void> => {
    await scanning?.catch(() => undefined);
    await scan();
  };

  // Only a hint: some file systems send no events, and none reports that a writer has finished.
  let hint: NodeJS.Timeout | undefined;
  const handleHint = (kind: string): void => {
    // More writes to a file say nothing new, and further files must not delay the scan.
    if (kind === 'change' || hint) return;
    hint = setTimeout(() => {
      hint = undefined;
      scanAgain().catch((error: unknown) => log.error({ err: error }, 'gallery.inbox.scan_failed'));
    }, HINT_MS).unref();
  };
  const opening = (async () => {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    await rm(files.getPath(LOOKS), { recursive: true, force: true });
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
      [...trackedByPath.values()].flatMap(({ path, name, lying: { state }, account: owner }) =>
        owner === account && state !== 'taken' ? [{ id: path, name, state: states[state] }] : [],
      ),
    stop: async () => {
      (await opening)?.close();
      clearTimeout(hint);
      await scanning?.catch(() => undefined);
    },
  };
}
