import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { getCompileCache } from '../kits/server/serverProgram.ts';

/** A program of ours in its own process, as a user starts it. */
export interface TestProgram extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly getOutput: () => string;
  /** Resolves with the match of the pattern in the output, past or future. @throws if the program ends without it. */
  readonly waitForOutput: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Sends the signal and waits for the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

/** Starts a Node program (with the Node that runs the tests) with only this environment. */
export function startProgram(args: readonly string[], env: NodeJS.ProcessEnv): TestProgram {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const appendOutput = (piece: Buffer): void => void (output += piece.toString());
  child.stdout.on('data', appendOutput);
  child.stderr.on('data', appendOutput);
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (isOver()) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return {
    child,
    getOutput: () => output,
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        function look(): void {
          const found = pattern.exec(output);
          if (found) resolve(found);
          else if (isOver()) reject(new Error(`ended without saying ${pattern}:\n${output}`));
        }
        child.stdout.on('data', look);
        child.once('exit', look);
        look();
      }),
    end,
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}

/** Databases of `npm run test:cluster` by data folder. */
const databases = new Map<string, Promise<string>>();

/** Starts two instances behind a proxy at the port, for `npm run test:cluster`. */
async function startInstances(
  dataDir: string,
  port: number,
  start: (instancePort: number, settings: Readonly<Record<string, string>>) => Promise<TestProgram>,
): Promise<TestProgram> {
  const { createSharedDatabase } = await import('../kits/server/database.ts');
  const { prepareDatabase } = await import('../kits/server/postgres.ts');
  const { getSharedRedis } = await import('../kits/server/redis.ts');
  const { startRoundRobinProxy } = await import('../kits/server/roundRobinProxy.ts');
  databases.set(dataDir, databases.get(dataDir) ?? createSharedDatabase());
  const databaseUrl = await databases.get(dataDir);
  await prepareDatabase(databaseUrl);
  const settings = { DATABASE_URL: databaseUrl ?? '', REDIS_URL: (await getSharedRedis()).url };
  const ports = [await findFreePort(), await findFreePort()];
  const programs: TestProgram[] = [];
  for (const instancePort of ports) programs.push(await start(instancePort, settings));
  const [first] = programs;
  if (!first) throw new Error('there is no instance');
  const proxy = await startRoundRobinProxy(() => ports, port);
  async function end(signal: NodeJS.Signals): Promise<void> {
    await Promise.all(programs.map((program) => program.end(signal)));
    await proxy[Symbol.asyncDispose]();
  }
  return { ...first, end, [Symbol.asyncDispose]: () => end('SIGKILL') };
}

/**
 * Starts a server with cheap password hashing, and waits until it is ready.
 * @param program path from `getServerProgram`, for tests that start many.
 */
export async function startServerProgram(
  dataDir: string,
  port: number,
  {
    program = 'apps/server/main.ts',
    ...environment
  }: Readonly<Record<string, string>> & { readonly program?: string } = {},
): Promise<TestProgram> {
  async function start(ownPort: number, settings: Readonly<Record<string, string>> = {}): Promise<TestProgram> {
    const server = startProgram([program], {
      ...process.env,
      PORT: String(ownPort),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      PASSWORD_HASH: 'light',
      NODE_COMPILE_CACHE: getCompileCache(program),
      ...environment,
      ...settings,
    });
    await server.waitForOutput(/Pegboard is ready/);
    return server;
  }
  return process.env['TEST_CLUSTER'] === 'true' ? startInstances(dataDir, port, start) : start(port);
}

/** Below the ports that the system assigns itself, so that no other program gets one before our program listens. */
const PORTS = [20_000, 32_000] as const;

/** Returns a free port, for a program that must return to the same one. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
