import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { type Client, createClient } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { type Backup, checkBackup, listBackups } from '#platform/server/backup/backups.ts';
import { makebackup, serverbackups } from '#tools/accounts/contract.ts';
import { paste } from '#tools/paste/contract.ts';
import { findFreePort, startServerProgram } from '../journeys/program.ts';
import { getServerProgram } from '../kits/server/serverProgram.ts';

const WRITES_PER_SECOND = 200;
const WRITERS = 20;
const FILE_BYTES = 5_000_000;
const POLL_MS = 20;

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
  let isStopped = false;
  async function write(writer: number): Promise<void> {
    const intervalMs = (1000 / WRITES_PER_SECOND) * WRITERS;
    let due = performance.now() + (intervalMs * writer) / WRITERS;
    for (let count = 1; !isStopped; count += 1) {
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
      isStopped = true;
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
    const writers = startWriters(call);
    const failures: string[] = [];
    const waitUntilOver = async (): Promise<void> => {
      while ((await call(serverbackups, {})).isRunning) await sleep(POLL_MS);
    };

    await sleep(1000); // the first calls compile code
    const quietStart = performance.now();
    await sleep(quietMs);
    const backupStart = performance.now();
    const requestTimes: number[] = [];
    for (let count = 0; count < backupCount; count += 1) {
      requestTimes.push(performance.now());
      await call(makebackup, {});
      await waitUntilOver();
    }
    const backupEnd = performance.now();

    let kills = 0;
    for (let count = 0; count < killCount; count += 1) {
      await call(makebackup, {});
      let children: readonly number[] = [];
      while ((children = await listChildren(server.child.pid ?? 0)).length === 0) await sleep(1);
      await sleep(Math.random() * ((backupEnd - backupStart) / backupCount));
      for (const child of children) {
        try {
          process.kill(child, 'SIGKILL');
          kills += 1;
        } catch {
          // It has just ended.
        }
      }
      await waitUntilOver();
    }
    await writers.stop();

    const backups = await listBackups(dataDir);
    for (const backup of backups)
      await checkBackup(backup).catch((error: unknown) => void failures.push(`looks complete: ${String(error)}`));
    const oldestFirst = backups.toReversed().slice(0, backupCount);
    for (const [index, backup] of oldestFirst.entries()) {
      const why = await explainInconsistent(backup, writers.writes, requestTimes[index] ?? 0);
      if (why !== undefined) failures.push(why);
    }
    const names = (await readdir(join(dataDir, 'backups'))).filter((name) => !/\.(part|json)$/.test(name));
    if (names.length !== backups.length) failures.push(`${names.length - backups.length} folders look complete`);
    return {
      writes: writers.writes.length,
      backups: oldestFirst.length,
      kills,
      quietP99: computeP99(writers.writes, quietStart, backupStart),
      backupP99: computeP99(writers.writes, backupStart, backupEnd),
      failures,
    };
  } finally {
    await rm(dataDir, { recursive: true });
  }
}
