import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../journeys/program.ts';
import { hasEnded } from '../kits/desktop/virtualDesktop.ts';

/** One figure of `docs/benchmarks.md`: of Pegboard, and of the simplest program that does the same work. */
export interface BenchFigure {
  readonly name: string;
  readonly target: string;
  readonly measured: string;
  /** Nothing to compare with by default. */
  readonly baseline?: string;
  readonly isTargetMet: boolean;
}

/** Measures one area; its figures are a section of the report. */
export interface Bench {
  readonly name: string;
  readonly run: () => Promise<readonly BenchFigure[]>;
}

/** Returns the value below which this share (0 to 1) of the samples are. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function formatMs(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}
export function formatP50P99(samples: readonly number[]): string {
  return `p50 ${formatMs(percentile(samples, 0.5))}, p99 ${formatMs(percentile(samples, 0.99))}`;
}

interface TimedRounds {
  readonly rounds: number;
  /** Rounds before these, which do not count. */
  readonly warmUp?: number;
  /** Runs before each round, and is not measured. */
  readonly prepare?: (round: number) => Promise<unknown>;
}

/** Returns milliseconds per run of `work`. */
export async function measureTimes(
  { rounds, warmUp = 0, prepare }: TimedRounds,
  work: (round: number) => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    await prepare?.(round);
    const startedAt = performance.now();
    await work(round);
    times.push(performance.now() - startedAt);
  }
  return times.slice(warmUp);
}

/** Creates a folder that is removed when the block ends. */
export async function createScratchFolder(parent = tmpdir()): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(parent, 'pegboard-bench-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export interface RunningServer extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly dataDir: string;
  /** Milliseconds from the start of the process to the first answer. */
  readonly firstAnswerMs: number;
}

/** Returns whether the address answers with success. */
const isAnswering = async (url: string): Promise<boolean> =>
  fetch(url).then(
    (response) => response.ok,
    () => false, // Not listening yet.
  );

interface Program {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Path that answers with 200 once the program is ready. */
  readonly ready: string;
  /** The one core that the program may use. */
  readonly core?: number | undefined;
}

/**
 * Starts a server program with our Node on a free port (`PORT`) with an empty `DATA_DIR`, and waits until it answers.
 */
export async function runServer({ args, env, ready, core }: Program): Promise<RunningServer> {
  const folder = await createScratchFolder();
  const dataDir = folder.path;
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const command = [...(core === undefined ? [] : ['taskset', '-c', String(core)]), process.execPath, ...args];
  const startedAt = performance.now();
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...env },
  });
  while (!(await isAnswering(origin + ready))) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return {
    child,
    origin,
    dataDir,
    firstAnswerMs: performance.now() - startedAt,
    [Symbol.asyncDispose]: async () => {
      if (!hasEnded(child)) {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Our server on a data folder that outlives it, to start repeatedly with `runServer`. */
export function createServerProgram(folder: string, databaseUrl?: string, env?: Program['env']): Program {
  return {
    args: ['apps/server/start.ts'],
    env: {
      DATA_DIR: folder,
      RATE_LIMITS: 'off',
      PASSWORD_HASH: 'light',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...env,
    },
    ready: '/readyz',
  };
}

/** Starts our server with cheap password hashing, which is not part of any measurement. */
export function runPegboard(env: Program['env'] = {}, core?: number): Promise<RunningServer> {
  return runServer({ args: ['apps/server/start.ts'], env: { PASSWORD_HASH: 'light', ...env }, ready: '/readyz', core });
}

/** Starts the simplest program for a bench, from `baselines`. */
export function runBaseline(name: string, env: Program['env'] = {}, core?: number): Promise<RunningServer> {
  return runServer({ args: [`testing/bench/baselines/${name}.ts`], env, ready: '/', core });
}

/** Returns the resident memory of a process in MiB. */
export function getResidentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Returns the resident memory of a process in MB. */
export function getResidentMb(pid: number): number {
  return getResidentMib(pid) * 1.048576;
}

/** Clock ticks of /proc; always this value on Linux. */
const TICKS_PER_SECOND = 100;

/** Returns the processor time of a process in seconds. */
export function getCoreSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

const LOOPS = 100_000_000;
const ROUNDS = 5;

function runLoop(): void {
  let sum = 0;
  for (let index = 0; index < LOOPS; index += 1) sum += index;
  if (sum < 0) throw new Error('the loop was removed');
}
const runEmptyProgram = (): void => void spawnSync('true');
const PAGE_BYTES = 4096;
const PAGES = 16_384;
function touchMemory(): void {
  const memory = new Uint8Array(PAGES * PAGE_BYTES);
  for (let index = 0; index < memory.length; index += PAGE_BYTES) memory[index] = 1;
}

/** Returns the best time in milliseconds. */
function measureBest(work: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

/**
 * Measures the same work on every machine, as machines of the same type can differ by a factor of three.
 * Returns the three times as a text.
 * Virtual machines without processor support need 15 µs per new memory page, others a fiftieth of that.
 */
function measureYardstick(): string {
  const page = `${((measureBest(touchMemory) * 1000) / PAGES).toFixed(2)} µs`;
  return `yardstick: loop ${formatMs(measureBest(runLoop))}, program started in ${formatMs(measureBest(runEmptyProgram))}, page of memory taken in ${page}`;
}

/** Load average of the last minute, from before the benches add to it. */
const loadAtStart = loadavg()[0] ?? 0;

/** Describes the machine of the figures in one line, and its load at the start. */
export function describeMachine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const kernel = `Linux ${release().split('.', 2).join('.')}`;
  const hardware = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${memory}`;
  return `${hardware}, ${kernel}, Node ${process.versions.node}; load ${loadAtStart.toFixed(1)}; ${measureYardstick()}`;
}
