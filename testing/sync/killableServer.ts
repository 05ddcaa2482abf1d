import { startProgram, type TestProgram } from '../journeys/program.ts';
import { getCompileCache, getServerProgram } from '../kits/server/serverProgram.ts';

/** The real server in its own process, which can be killed and restarted. */
export interface KillableServer extends AsyncDisposable {
  /** Its current or last port. */
  readonly getPort: () => number;
  /** Sends SIGKILL and starts a new server on the same data; resolves when it listens. */
  readonly killAndStart: () => Promise<void>;
}

export async function startKillableServer(
  dataDir: string,
  databaseUrl: string | undefined,
  /** With it, several can share the data. */
  redisUrl?: string,
): Promise<KillableServer> {
  const main = await getServerProgram('main');
  let program: TestProgram | undefined;
  let port = 0;
  async function start(): Promise<void> {
    program = startProgram([main], {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: getCompileCache(main),
      HOST: '127.0.0.1',
      // Another program may have taken the old port; the clients' connections find the new one.
      PORT: '0',
      DATA_DIR: dataDir,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      RATE_LIMITS: 'off',
      PASSWORD_HASH: 'light',
      LOG_LEVEL: 'error',
    });
    const [, portText] = await program.waitForOutput(/http:\/\/localhost:(\d+)\n/);
    port = Number(portText);
  }
  await start();
  return {
    getPort: () => port,
    killAndStart: async () => {
      await program?.end('SIGKILL');
      await start();
    },
    [Symbol.asyncDispose]: async () => program?.end('SIGKILL'),
  };
}
