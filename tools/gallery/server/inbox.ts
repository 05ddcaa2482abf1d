import { constants, type Dirent, watch } from 'node:fs';
import { access, lstat, mkdir, mkdtemp, readdir, rm, readFile, readlink, stat } from 'node:fs/promises';
import { extname, join, basename } from 'node:path';
import { JobFailure } from '#platform/server/jobs/jobQueue.ts';
import { NO_VIDEO_MESSAGE } from '#platform/server/media/media.ts';
import { hasErrorCode } from '#platform/server/storage/diskSpace.ts';
import { linkFile } from '#platform/server/storage/fileStorage.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import {
  given,
  type InboxFileState,
  next,
  type ProbeResult,
  seen,
  type Step,
  stageOf,
  type State,
} from '../domain/inboxReadiness.ts';
import { isRecordingName } from '../domain/recordingName.ts';
import { INBOX, LOOKS } from './galleryFiles.ts';

const WRITES = 0o3;
/** What a process no longer has, or does not let us see, is none of its open files. */
const orNothing = async <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);

const isWriting = async (process: string, descriptor: string): Promise<boolean> => {
  const info = await orNothing(readFile(`/proc/${process}/fdinfo/${descriptor}`, 'latin1'));
  const flags = /^flags:\s*([0-7]+)/m.exec(info ?? '')?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & WRITES) !== 0;
};

interface FileKey {
  readonly path: string;
  /** Which file it is, whatever it is called. */
  readonly key: string;
}

const keyOf = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string => `${dev}:${ino}`;

/** By their last names, which is all that has to be compared of most open files. */
const wantedOf = async (paths: readonly string[]): Promise<ReadonlyMap<string, readonly FileKey[]>> => {
  const wanted = new Map<string, readonly FileKey[]>();
  for (const path of paths) {
    const about = await orNothing(stat(path));
    const name = basename(path);
    if (about) wanted.set(name, [...(wanted.get(name) ?? []), { path, key: keyOf(about) }]);
  }
  return wanted;
};

const matchOf = async (own: string, wanted: ReadonlyMap<string, readonly FileKey[]>): Promise<string | undefined> => {
  const same = wanted.get(basename((await orNothing(readlink(own))) ?? ''));
  const about = same && (await orNothing(stat(own)));
  return about && same.find(({ key }) => key === keyOf(about))?.path;
};

/** Those of these files that some process has open for writing, as far as Linux lets this user see; on other systems none. */
export async function openForWriting(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const wanted = await wantedOf(paths);
  if (wanted.size === 0) return found;
  const processes = ((await orNothing(readdir('/proc'))) ?? []).filter((name) => /^\d+$/.test(name));
  for (const process of processes)
    for (const descriptor of (await orNothing(readdir(`/proc/${process}/fd`))) ?? []) {
      const path = await matchOf(`/proc/${process}/fd/${descriptor}`, wanted);
      if (path !== undefined && (await isWriting(process, descriptor))) found.add(path);
    }
  return found;
}

const FOLDER_MODE = 0o700;
const HINT_MS = 200;

/** A plain file in the inbox. */
export interface InboxFile {
  /** Below the inbox: `2026-11-20 21-04-05.mkv`, `account-3/device-7/….mkv`. */
  readonly path: string;
  readonly name: string;
  readonly account: number;
}

/** A file of the inbox that is whole, or that nobody will finish any more. */
export interface ReadyFile extends InboxFile {
  readonly modifiedMs: number;
  /** It has no length: what there is of it is to be saved. */
  readonly isCut: boolean;
}

export interface Inbox {
  /** Absolute. */
  readonly folder: string;
  /** Looks once; at most one look at a time. */
  readonly scan: () => Promise<void>;
  /** What lies there and is not taken yet, by what it waits for. */
  readonly waitingOf: (
    account: number,
  ) => readonly { readonly id: string; readonly name: string; readonly state: string }[];
  readonly stop: () => Promise<void>;
}

interface TrackedFile extends InboxFile {
  readonly absolute: string;
  lying: InboxFileState;
}

const states: Readonly<Record<Exclude<State, 'taken'>, string>> = {
  writing: 'Being written',
  still: 'Taken as soon as nobody has written to it for ten seconds',
  cut: 'Without an end; what there is of it is saved after ten minutes',
  locked: 'The server may not read it: give its user leave to',
  left: 'It could not be fetched from the inbox, the log of the server says why; tried again every ten minutes',
};

export function inboxFolder({ files }: Pick<ServerContext, 'files'>): string {
  return files.getPath(INBOX);
}

const entriesOf = async (folder: string): Promise<readonly Dirent[]> => {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // went away just now, or may not be read
  }
};

type InboxDeps = Pick<ServerContext, 'files' | 'media' | 'identity' | 'log' | 'programs'>;

interface InboxOptions {
  readonly ground: InboxDeps;
  readonly now: () => number;
  /** Takes it on; false where that is done already. */
  readonly take: (found: ReadyFile) => Promise<boolean>;
  /** Whether it is taken on, and not over yet. */
  readonly isInHand: (file: InboxFile) => Promise<boolean>;
  /** What waits has changed. */
  readonly changed: (account: number) => void;
}

/** Watches the folder that recordings are put into, and hands on each that is whole. */
export function createInbox({ ground, now, take, isInHand, changed }: InboxOptions): Inbox {
  const { files, media, identity, log, programs } = ground;
  const folder = inboxFolder(ground);
  const kept = new Map<string, TrackedFile>();

  const filesIn = async (below: string, account: number): Promise<readonly InboxFile[]> => {
    const entries = await entriesOf(join(folder, below));
    return entries
      .filter((entry) => entry.isFile() && isRecordingName(entry.name))
      .map(({ name }) => ({ path: join(below, name), name, account }));
  };
  const foldersIn = async (below: string, pattern: RegExp): Promise<readonly (readonly [string, number])[]> => {
    const entries = await entriesOf(join(folder, below));
    return entries
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => {
        const id = pattern.exec(name)?.[1];
        return id === undefined ? [] : [[join(below, name), Number(id)] as const];
      });
  };
  /** The root is the server's owner's; each account has a folder, with one in it for each of its computers. */
  const allFiles = async (): Promise<readonly InboxFile[]> => {
    const found: InboxFile[] = [];
    const owner = await identity.findOwner();
    if (owner) found.push(...(await filesIn('', owner.id)));
    for (const [own, account] of await foldersIn('', /^account-([1-9]\d{0,8})$/)) {
      if (!(await identity.findAccount(account))) continue;
      found.push(...(await filesIn(own, account)));
      for (const [device] of await foldersIn(own, /^device-(\d+)$/)) found.push(...(await filesIn(device, account)));
    }
    return found;
  };
  const look = async (file: InboxFile): Promise<TrackedFile | undefined> => {
    const absolute = join(folder, file.path);
    const about = await lstat(absolute).catch(() => undefined);
    if (!about?.isFile()) return undefined;
    const { size, mtimeMs } = about;
    return { ...file, absolute, lying: seen(kept.get(file.path)?.lying, { size, mtimeMs }, now()) };
  };
  /** Under another name, in a folder of its own: a foreign name means nothing to the program that reads it, and it writes nowhere else. */
  const probe = async ({ absolute, name }: TrackedFile): Promise<ProbeResult> => {
    const looks = files.getPath(LOOKS);
    await mkdir(looks, { recursive: true, mode: FOLDER_MODE });
    const own = await mkdtemp(join(looks, 'look-'));
    try {
      await access(absolute, constants.R_OK);
      const plain = `media${extname(name).toLowerCase()}`;
      await linkFile(absolute, join(own, plain));
      const { seconds } = await media.probe('video', { folder: own, name: plain });
      return seconds === undefined ? 'endless' : 'whole';
    } catch (error) {
      // One that is whole and no video is nobody's to finish: its job says so.
      if (error instanceof JobFailure && error.message === NO_VIDEO_MESSAGE) return 'whole';
      if (error instanceof JobFailure && error.retry === 'final') return 'endless';
      if (hasErrorCode(error, 'EACCES')) return 'locked';
      log.warn({ err: error }, 'a file of the inbox could not be looked at');
      return 'unknown';
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  };
  const handOn = async ({ path, name, account, lying }: TrackedFile, isCut: boolean): Promise<boolean> => {
    try {
      return await take({ path, name, account, modifiedMs: lying.file.mtimeMs, isCut });
    } catch (error) {
      log.error({ err: error }, 'a file of the inbox could not be handed on');
      return false;
    }
  };
  const consider = async (one: TrackedFile, isOpen: boolean): Promise<void> => {
    const step = (more?: { readonly probed: ProbeResult } | { readonly isInHand: boolean }): Step['act'] => {
      const { lying, act } = next(one.lying, { isOpen, ...more }, now());
      one.lying = lying;
      return act;
    };
    let act = step();
    if (act === 'askHand') act = step({ isInHand: await isInHand(one) });
    if (act === 'probe') act = step({ probed: await probe(one) });
    if (act === 'take' || act === 'save') one.lying = given(one.lying, await handOn(one, act === 'save'), now());
  };
  /** What a job has fetched is known until that is over: it may give it back. */
  const forget = async (here: ReadonlySet<string>): Promise<void> => {
    for (const [path, one] of kept)
      if (!here.has(path) && !(one.lying.state === 'taken' && (await isInHand(one)))) kept.delete(path);
  };
  const told = (): ReadonlyMap<number, string> => {
    const all = new Map<number, string>();
    for (const { account, path, lying } of kept.values())
      all.set(account, `${all.get(account) ?? ''}${path} ${lying.state}\n`);
    return all;
  };
  const lookAround = async (): Promise<void> => {
    if ((await programs.getSetupProblem('convert')) !== '') return;
    const before = told();
    const there = await allFiles();
    await forget(new Set(there.map(({ path }) => path)));
    const looks: TrackedFile[] = [];
    for (const file of there) {
      const one = await look(file);
      if (one) looks.push(one);
      else kept.delete(file.path);
    }
    for (const one of looks) kept.set(one.path, one);
    const still = looks.filter(({ lying }) => stageOf(lying.file, now()) !== 'wait');
    const open = await openForWriting(still.map(({ absolute }) => absolute));
    for (const one of still) await consider(one, open.has(one.absolute));
    const after = told();
    for (const account of new Set([...before.keys(), ...after.keys()]))
      if (before.get(account) !== after.get(account)) changed(account);
  };

  let scanning: Promise<void> | undefined;
  const scan = async (): Promise<void> => {
    scanning ??= lookAround().finally(() => {
      scanning = undefined;
    });
    await scanning;
  };

  /** A look that is under way may have missed it. */
  const scanAgain = async (): Promise<void> => {
    await scanning?.catch(() => undefined);
    await scan();
  };

  // Only a hint: some file systems give none, and none says that a writer has ended.
  let hint: NodeJS.Timeout | undefined;
  const hinted = (kind: string): void => {
    // That somebody goes on writing says nothing new; that more and more comes does not put off the look.
    if (kind === 'change' || hint) return;
    hint = setTimeout(() => {
      hint = undefined;
      scanAgain().catch((error: unknown) => log.error({ err: error }, 'inbox not looked at'));
    }, HINT_MS).unref();
  };
  const opening = (async () => {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    await rm(files.getPath(LOOKS), { recursive: true, force: true });
    return watch(folder, { persistent: false }, hinted).on('error', () => undefined);
  })().catch((error: unknown) => {
    log.error({ err: error, folder }, 'the inbox of the gallery cannot be watched');
    return undefined;
  });

  return {
    folder,
    scan: async () => {
      await opening;
      await scan();
    },
    waitingOf: (account) =>
      [...kept.values()].flatMap(({ path, name, lying: { state }, account: whose }) =>
        whose === account && state !== 'taken' ? [{ id: path, name, state: states[state] }] : [],
      ),
    stop: async () => {
      (await opening)?.close();
      clearTimeout(hint);
      await scanning?.catch(() => undefined);
    },
  };
}
