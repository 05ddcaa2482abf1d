import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { type Client, createClient } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { type Backup, checkBackup, listBackups, readBackup } from '#platform/server/backup/backups.ts';
import { makebackup, serverbackups } from '#tools/accounts/contract.ts';
import { paste } from '#tools/paste/contract.ts';
import { findFreePort, startServerProgram } from '../journeys/program.ts';
import { getServerProgram } from '../kits/server/serverProgram.ts';

export const WRITES_PER_SECOND = 200;
const WRITERS = 20;
const FILE_BYTES = 5_000_000;
const POLL_MS = 20;
/** The first calls compile code. */
const WARM_UP_MS = 1000;

/** How much is tried. */
export interface BackupLoad {
  readonly databaseUrl?: string | undefined;
  /** Time of the load without backups, for comparison. */
  readonly quietMs: number;
  readonly backupCount: number;
  /** Backups that are killed. */
  readonly killCount: number;
  /** Songs of 5 MB. */
  readonly fileCount: number;
}

export interface BackupLoadFigures {
  readonly writes: number;
  readonly backups: number;
  readonly kills: number;
  /** Latency of a write, in ms. */
  readonly quietP99: number;
  readonly backupP99: number;
  /** Acknowledged writes a second while backups were made. */
  readonly backupRate: number;
  /** Sentences about backups that are not of one moment, or look complete and are not. */
  readonly failures: readonly string[];
}

/** A write, with times of this process. `acknowledged` is infinite until then. */
interface Write {
  readonly text: string;
  readonly sent: number;
  acknowledged: number;
}

/** Sends writes at a steady rate. Writers take turns, so that each waits for its own answer only. */
function startWriters(call: Client) {
  const writes: Write[] = [];
  const state = { isStopped: false };
  async function write(writer: number): Promise<void> {
    const intervalMs = (1000 / WRITES_PER_SECOND) * WRITERS;
    let due = performance.now() + (intervalMs * writer) / WRITERS;
    for (let count = 1; !state.isStopped; count += 1) {
      await sleep(Math.max(0, due - performance.now()));
      due += intervalMs;
      const entry: Write = { text: `w${writer}n${count}e`, sent: performance.now(), acknowledged: Infinity };
      writes.push(entry);
      await call(paste, { inputValue: entry.text });
      entry.acknowledged = performance.now();
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  return {
    writes,
    stop: async () => {
      state.isStopped = true;
      await Promise.all(writers);
    },
  };
}

function computeP99(writes: readonly Write[], from: number, to: number): number {
  const latencies = writes
    .filter(({ sent }) => sent >= from && sent < to)
    .map(({ sent, acknowledged }) => acknowledged - sent)
    .toSorted((one, other) => one - other);
  return latencies[Math.floor(latencies.length * 0.99)] ?? NaN;
}

function computeRate(writes: readonly Write[], from: number, to: number): number {
  const count = writes.filter(({ acknowledged }) => acknowledged >= from && acknowledged < to).length;
  return count / ((to - from) / 1000);
}

/** Returns the texts of all pastes in a backup. */
async function readTexts({ path, database }: Backup): Promise<ReadonlySet<string>> {
  const file = join(path, database.file);
  if (database.kind === 'postgres') {
    const args = ['--data-only', '--table=paste_piece', '--file=-', file];
    const { stdout } = await promisify(execFile)('pg_restore', args, { maxBuffer: 2 ** 30 });
    return new Set(stdout.match(/w\d+n\d+e/g));
  }
  const copy = new Sqlite(file, { readonly: true });
  try {
    return new Set(copy.prepare('select text from paste_piece').pluck().all() as string[]);
  } finally {
    copy.close();
  }
}

/**
 * Returns why a backup is not of one moment; undefined if it is. If it has a write, it must have all that were
 * acknowledged before that write was sent, and all that were acknowledged before the backup began.
 */
async function explainInconsistent(backup: Backup, writes: readonly Write[], requested: number) {
  const texts = await readTexts(backup);
  const stored = writes.filter(({ text }) => texts.has(text));
  const lastSent = Math.max(requested, ...stored.map(({ sent }) => sent));
  const lost = writes.filter(({ text, acknowledged }) => acknowledged < lastSent && !texts.has(text));
  return lost.length === 0 ? undefined : `${backup.id} lacks ${lost.length} earlier writes, such as ${lost[0]?.text}`;
}

/** Returns the processes that a process started. */
async function listChildren(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Returns the processes that write a backup, as soon as there are some. */
async function waitForProcesses(serverPid: number): Promise<readonly number[]> {
  for (;;) {
    const children = await listChildren(serverPid);
    if (children.length > 0) return children;
    await sleep(1);
  }
}

/** Ends processes at once. Returns whether one still ran. */
function killAll(pids: readonly number[]): boolean {
  const killed = pids.filter((pid) => {
    try {
      return process.kill(pid, 'SIGKILL');
    } catch {
      return false; // it has just ended
    }
  });
  return killed.length > 0;
}

/** A backup that was set aside, because only the last one of a day is retained. */
interface SavedBackup {
  readonly path: string;
  readonly requested: number;
}

/** The owner of a server, who makes backups. */
function createOwner(call: Client, dataDir: string) {
  async function waitUntilOver(): Promise<void> {
    while ((await call(serverbackups, {})).isRunning) await sleep(POLL_MS);
  }
  return {
    /** Makes backups, and sets each aside as hard links. */
    backUpOften: async (count: number): Promise<readonly SavedBackup[]> => {
      const saved: SavedBackup[] = [];
      while (saved.length < count) {
        const requested = performance.now();
        await call(makebackup, {});
        await waitUntilOver();
        const [newest] = await listBackups(dataDir);
        if (!newest) throw new Error('there is no backup');
        // Hidden from the next backup.
        const path = join(dataDir, 'programs', `saved-${saved.length}`);
        await mkdir(dirname(path), { recursive: true });
        await promisify(execFile)('cp', ['-al', newest.path, path]);
        saved.push({ path, requested });
      }
      return saved;
    },
    /** Kills backups at random moments of the time that one takes, until so many were killed. */
    killBackups: async (count: number, serverPid: number, durationMs: number): Promise<number> => {
      let kills = 0;
      while (kills < count) {
        await call(makebackup, {});
        const children = await waitForProcesses(serverPid);
        await sleep(Math.random() * durationMs);
        if (killAll(children)) kills += 1;
        await waitUntilOver();
      }
      return kills;
    },
  };
}

/** Returns what is wrong with backups that were set aside, and with those that the data folder has. */
async function listFailures(dataDir: string, writes: readonly Write[], saved: readonly SavedBackup[]) {
  const failures: string[] = [];
  const addIfDamaged = (backup: Backup): Promise<void> =>
    checkBackup(backup).catch((error: unknown) => void failures.push(`looks complete: ${String(error)}`));
  for (const { path, requested } of saved) {
    const backup = await readBackup(path);
    await addIfDamaged(backup);
    const why = await explainInconsistent(backup, writes, requested);
    if (why !== undefined) failures.push(why);
  }
  const backups = await listBackups(dataDir);
  for (const backup of backups) await addIfDamaged(backup);
  const names = (await readdir(join(dataDir, 'backups'))).filter((name) => !/\.(part|json|lock)$/.test(name));
  if (names.length !== backups.length) failures.push(`${names.length - backups.length} folders look complete`);
  return failures;
}

/**
 * Makes backups of a server that stores 200 texts a second, compares each with what was acknowledged, and kills some
 * while they are written.
 */
export async function playBackupsUnderLoad(load: BackupLoad): Promise<BackupLoadFigures> {
  const { databaseUrl, quietMs, backupCount, killCount, fileCount } = load;
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  try {
    await mkdir(join(dataDir, 'music'));
    for (let index = 1; index <= fileCount; index += 1)
      await writeFile(join(dataDir, `music/${index}.mp3`), randomBytes(FILE_BYTES));
    const port = await findFreePort();
    await using server = await startServerProgram(dataDir, port, {
      program: await getServerProgram('main'),
      RATE_LIMITS: 'off',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    });
    const origin = `http://127.0.0.1:${port}`;
    const { token } = await createClient({ origin })(signup, { username: 'Ann', password: 'correct horse staple' });
    const call = createClient({ origin, token: () => token });
    const owner = createOwner(call, dataDir);
    const writers = startWriters(call);
    await sleep(WARM_UP_MS);
    const quietStart = performance.now();
    await sleep(quietMs);
    const backupStart = performance.now();
    const saved = await owner.backUpOften(backupCount);
    const backupEnd = performance.now();
    const durationMs = (backupEnd - backupStart) / backupCount;
    const kills = await owner.killBackups(killCount, server.child.pid ?? 0, durationMs);
    await writers.stop();
    return {
      writes: writers.writes.length,
      backups: saved.length,
      kills,
      quietP99: computeP99(writers.writes, quietStart, backupStart),
      backupP99: computeP99(writers.writes, backupStart, backupEnd),
      backupRate: computeRate(writers.writes, backupStart, backupEnd),
      failures: await listFailures(dataDir, writers.writes, saved),
    };
  } finally {
    await rm(dataDir, { recursive: true });
  }
}
