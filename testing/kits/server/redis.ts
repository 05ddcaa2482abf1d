import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram } from '#testing/machine.ts';
import { GUARD } from './postgres.ts';

/** A Redis only for tests, without persistence. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string;
  /** Stops it, as a crash would. */
  readonly kill: () => Promise<void>;
  /** Starts it again after `kill`. */
  readonly restart: () => Promise<void>;
  /** Sends a signal, such as SIGSTOP. */
  readonly signal: (name: NodeJS.Signals) => void;
}

async function waitUntilReady(server: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const lines: string[] = [];
  if (!server.stdout) throw new Error('Redis has no log');
  createInterface(server.stdout).on('line', (line) => {
    lines.push(line);
    const pid = /pid=(\d+)/.exec(lines.join('\n'))?.[1];
    if (/ready to accept connections/i.test(line)) resolve(Number(pid));
  });
  server.once('exit', () => reject(new Error(`Redis did not start:\n${lines.slice(-10).join('\n')}`)));
  return promise;
}

/** Starts Redis on a Unix socket. It ends with this process. */
export async function startRedis(): Promise<TestRedis> {
  const program = findProgram('redis-server');
  if (program === undefined) throw new Error('redis-server is not installed');
  const folder = await mkdtemp(join(tmpdir(), `pegboard-redis-${process.pid}-`));
  const socket = join(folder, 'redis.sock');
  async function start() {
    const args = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no', '--dir', folder];
    const server = spawn('sh', ['-c', GUARD.replace('; rm -rf "$0"', ''), folder, program ?? '', ...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return { server, pid: await waitUntilReady(server) };
  }
  let running = await start();
  async function stop(): Promise<void> {
    const exit = once(running.server, 'exit');
    process.kill(running.pid, 'SIGCONT');
    running.server.stdin.end();
    await exit;
  }
  return {
    url: `unix:${socket}`,
    kill: async () => {
      process.kill(running.pid, 'SIGKILL');
      await stop().catch(() => undefined);
    },
    restart: async () => {
      running = await start();
    },
    signal: (name) => void process.kill(running.pid, name),
    [Symbol.asyncDispose]: stop,
  };
}

let shared: Promise<TestRedis> | undefined;

/** Returns the Redis of this process, which the first test that needs it starts. */
export function getSharedRedis(): Promise<TestRedis> {
  shared ??= startRedis();
  return shared;
}
