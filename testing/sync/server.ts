import { startProgram, type TestProgram } from '../journeys/program.ts';
import { getCompileCache, getServerProgram } from '../kits/server/serverProgram.ts';

/** The real server in a process of its own, to be killed and started again. */
export interface KillableServer extends AsyncDisposable {
  /** Where it listens now, or listened last. */
  readonly getPort: () => number;
  /** SIGKILL, and a new one on what the old one left behind; settles when that one listens. */
  readonly killAndStart: () => Promise<void>;
}

export async function startKillableServer(dataDir: string, databaseUrl: string | undefined): Promise<KillableServer> {
  const main = await getServerProgram('main');
  let program: TestProgram | undefined;
  let port = 0;
  const start = async (): Promise<void> => {
    program = startProgram([main], {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: getCompileCache(main),
      HOST: '127.0.0.1',
      // Any other program may have taken the old one meanwhile: the clients' lines find the new one.
      PORT: '0',
      DATA_DIR: dataDir,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      RATE_LIMITS: 'off',
      PASSWORD_HASH: 'light',
      LOG_LEVEL: 'error',
    });
    const [, said] = await program.waitForOutput(/http:\/\/localhost:(\d+)\n/);
    port = Number(said);
  };
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
