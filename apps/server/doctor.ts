import { existsSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { freeBytesOf } from '#platform/server/disk.ts';
import { isBuilt } from './built.ts';
import type { Config } from './config.ts';
import { askRunning } from './control.ts';

export interface Finding {
  readonly isGood: boolean;
  /** One line: what was looked at, and what to do where it is not good. */
  readonly text: string;
}

const MIB = 1024 * 1024;
const LEAST_FREE_MIB = 2048;
const ROUNDS = 20;
/** Faster than any disk that waits for its write: it keeps it in memory and may lose it at a power cut. */
const TOO_FAST_MS = 0.02;
const SLOW_MS = 50;

const node = (): Finding => ({
  isGood: Number(process.versions.node.split('.')[0]) >= 26,
  text: `Node ${process.version} (26 or newer is needed)`,
});

const disk = async (dataDir: string): Promise<Finding> => {
  const free = Math.round((await freeBytesOf(dataDir)) / MIB);
  return {
    isGood: free >= LEAST_FREE_MIB,
    text: `disk: ${free} MiB free in ${dataDir} (under 2 GiB nothing is downloaded, under 500 MiB no file is kept)`,
  };
};

const fsyncTime = async (dataDir: string): Promise<Finding> => {
  const path = join(dataDir, 'doctor.tmp');
  const file = await open(path, 'w', 0o600);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await file.write('x'.repeat(4096), 0);
    const start = performance.now();
    await file.sync();
    times.push(performance.now() - start);
  }
  await file.close();
  await rm(path);
  const median = times.toSorted((one, other) => one - other)[ROUNDS / 2] ?? 0;
  const text = `fsync: ${median.toFixed(2)} ms`;
  if (median < TOO_FAST_MS)
    return { isGood: false, text: `${text}, too fast to be true: a power cut may lose what was answered ok` };
  if (median > SLOW_MS) return { isGood: false, text: `${text}, slow: writes will wait` };
  return { isGood: true, text };
};

/** The pragmas that SQLite takes in this folder, on a file of its own. */
const pragmas = async (dataDir: string): Promise<Finding> => {
  const path = join(dataDir, 'doctor.db');
  const file = new Sqlite(path);
  try {
    file.pragma('journal_mode = WAL');
    file.pragma('synchronous = FULL');
    file.exec('create table if not exists probe (id integer)');
    const found = [file.pragma('journal_mode', { simple: true }), file.pragma('synchronous', { simple: true })];
    return {
      isGood: found[0] === 'wal' && found[1] === 2,
      text: `SQLite here: journal ${String(found[0])}, synchronous ${String(found[1])} (wal and 2 are needed)`,
    };
  } finally {
    file.close();
    await Promise.all(['', '-wal', '-shm'].map((end) => rm(path + end, { force: true })));
  }
};

const clock = (): Finding => {
  const now = Temporal.Now.instant();
  const isGood = Temporal.Instant.compare(now, Temporal.Instant.from('2026-01-01T00:00:00Z')) > 0;
  return { isGood, text: `clock: ${now.toString({ smallestUnit: 'second' })}, zone ${Temporal.Now.timeZoneId()}` };
};

const running = async (dataDir: string): Promise<Finding> => {
  const answer = await askRunning(dataDir, { words: ['user', 'list'], owner: false, yes: false });
  return { isGood: true, text: answer ? 'a server is running on this folder' : 'no server is running on this folder' };
};

const web = (): Finding => ({
  isGood: isBuilt(),
  text: isBuilt() ? 'pages and agent are built' : 'pages and agent are not built from these sources: npm run build',
});

const proxy = ({ PUBLIC_ORIGIN, TRUST_PROXY }: Config): Finding => {
  const isGood = PUBLIC_ORIGIN.length === 0 || TRUST_PROXY.length > 0;
  return {
    isGood,
    text: isGood
      ? `proxy: ${TRUST_PROXY.length === 0 ? 'none trusted' : TRUST_PROXY.join(', ')}`
      : 'proxy: PUBLIC_ORIGIN is set and TRUST_PROXY is not: all visitors will count as one address',
  };
};

/** Looks at what the server stands on. */
export const examine = async (config: Config): Promise<readonly Finding[]> => {
  const { DATA_DIR: dataDir } = config;
  if (!existsSync(dataDir)) await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return [
    node(),
    await disk(dataDir),
    await pragmas(dataDir),
    await fsyncTime(dataDir),
    clock(),
    await running(dataDir),
    proxy(config),
    web(),
  ];
};
