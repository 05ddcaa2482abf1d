import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { log, serverinfo, signup } from '#platform/contract/session.ts';
import { findFreePort } from '#testing/journeys/program.ts';
import { createPatientClient } from '#testing/kits/server/patientClient.ts';
import { getCompileCache, getServerProgram } from '#testing/kits/server/serverProgram.ts';

interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
}

async function collect(child: ChildProcess): Promise<ProgramResult> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => void (output += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

type ProgramName = Parameters<typeof getServerProgram>[0];

/**
 * A data folder with its programs, as an operator starts them. `sources` starts them like `npm start`, which takes
 * twice as long.
 */
async function startFolder({ sources = false } = {}) {
  const getPath = async (name: ProgramName): Promise<string> =>
    sources ? join(import.meta.dirname, `${name}.ts`) : getServerProgram(name);
  const paths = { main: await getPath('main'), cli: await getPath('cli') };
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-main-'));
  const children: ChildProcess[] = [];
  function run(name: ProgramName, words: readonly string[], settings: Readonly<Record<string, string>>): ChildProcess {
    const child = spawn(process.execPath, [paths[name], ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: getCompileCache(paths[name]),
        DATA_DIR: folder,
        PORT: '0',
        HOST: '127.0.0.1',
        PASSWORD_HASH: 'light',
        ...settings,
      },
    });
    children.push(child);
    return child;
  }
  return {
    folder,
    runCli: (...words: readonly string[]) => collect(run('cli', words, {})),
    runCliWith: (settings: Readonly<Record<string, string>>, ...words: readonly string[]) =>
      collect(run('cli', words, settings)),
    runMain: (settings: Readonly<Record<string, string>>) => collect(run('main', [], settings)),
    start: (settings: Readonly<Record<string, string>>) => run('main', [], settings),
    /** Starts the server, and waits for its startup message. */
    startServer: async (settings: Readonly<Record<string, string>> = {}) => {
      const child = run('main', [], settings);
      const ended = collect(child);
      let startupMessage = '';
      child.stdout?.on('data', (chunk: string) => void (startupMessage += chunk));
      // Written in one chunk, so it arrives in one.
      while (!startupMessage.includes('Pegboard is ready') && child.exitCode === null)
        await Promise.race([once(child.stdout ?? child, 'data'), ended]);
      const port = /localhost:(\d+)/.exec(startupMessage)?.[1] ?? '';
      return { child, ended, startupMessage, origin: `http://127.0.0.1:${port}` };
    },
    [Symbol.asyncDispose]: async () => {
      // A failed test leaves them running.
      for (const child of children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true });
    },
  };
}

const credentials = { username: 'Ann', password: 'correct horse staple' };

/** Each test starts several programs, which each load the whole server. */
const PROGRAMS = { timeout: 240_000 };

test('the server prints its address and the setup link, serves, and exits with 0 on a signal', PROGRAMS, async () => {
  await using program = await startFolder({ sources: true });
  const server = await program.startServer();
  expect(server.startupMessage).toMatch(/Open\n {2}http:\/\/localhost:\d+\n/);
  expect(server.startupMessage).toMatch(/\/signup#setup=\S+/);
  const call = createPatientClient({ origin: server.origin });
  expect(await call(serverinfo, {})).toMatchObject({ hasOwner: false });
  await call(signup, credentials);
  server.child.kill('SIGTERM');
  const { code, output } = await server.ended;
  expect(code).toBe(0);
  expect(output).not.toContain(credentials.password);

  const again = await program.startServer();
  expect(again.startupMessage).not.toContain('#setup=');
  expect(await createPatientClient({ origin: again.origin })(log, credentials)).toMatchObject({ username: 'Ann' });
  // npm repeats a Ctrl-C, which counts once.
  again.child.kill('SIGINT');
  again.child.kill('SIGINT');
  expect((await again.ended).code).toBe(0);
});

test('a server whose output is closed continues, and stops on a signal', PROGRAMS, async () => {
  await using program = await startFolder();
  const port = await findFreePort();
  const child = program.start({ PORT: String(port) });
  const ended = once(child, 'exit');
  child.stdout?.destroy();
  const call = createPatientClient({ origin: `http://127.0.0.1:${port}` });
  await expect.poll(() => call(serverinfo, {}).catch(() => undefined)).toBeDefined();
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('a server whose folder or port is in use says so in one sentence', PROGRAMS, async () => {
  await using program = await startFolder();
  await using otherProgram = await startFolder();
  const server = await program.startServer();
  const second = await program.runMain({});
  expect(second.code).toBe(1);
  expect(second.output).toContain('Another Pegboard is using the folder');
  const third = await otherProgram.runMain({ PORT: new URL(server.origin).port });
  expect(third.code).toBe(1);
  expect(third.output).toMatch(/^Port \d+ is already in use\. Stop the program that uses it, or set PORT$/m);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

test(
  'HTTPS is in the startup message and in the doctor, stops with the server, and never replaces its authority silently',
  PROGRAMS,
  async () => {
    await using program = await startFolder();
    const HTTPS_PORT = String(await findFreePort());
    // Asking the programs for their versions takes longer than everything else.
    const doctorSettings = { HTTPS_PORT, YTDLP_PATH: '/bin/true', FFMPEG_PATH: '/bin/true' };
    expect((await program.runCliWith(doctorSettings, 'doctor')).output).toContain(
      'https: the next start creates the certificate authority',
    );
    const server = await program.startServer({ HTTPS_PORT });
    expect(server.startupMessage).toContain(`\n  https://localhost:${HTTPS_PORT}\n`);
    const fingerprint = /fingerprint\n {2}(\S+)/.exec(server.startupMessage)?.[1] ?? '';
    expect(fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    const { output } = await program.runCliWith(doctorSettings, 'doctor');
    expect(output).toMatch(
      new RegExp(
        `^ok   https: certificate authority 'Pegboard on .*', valid until 20\\d\\d-\\d\\d-\\d\\d, ${fingerprint}$`,
        'm',
      ),
    );
    expect(output).toMatch(/^ok {3}https: certificate valid until 20\d\d-\d\d-\d\d for .*localhost, 127\.0\.0\.1/m);

    await using otherProgram = await startFolder();
    const takenPort = await otherProgram.runMain({ HTTPS_PORT });
    expect(takenPort.code).toBe(1);
    expect(takenPort.output).toContain(
      `Port ${HTTPS_PORT} is already in use. Stop the program that uses it, or set HTTPS_PORT`,
    );

    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    const path = join(program.folder, 'authority.json');
    await writeFile(path, 'damaged');
    const refused = await program.runMain({ HTTPS_PORT });
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('authority.json, the certificate authority of HTTPS_PORT, is damaged.');
    expect(await readFile(path, 'utf8')).toBe('damaged');
    expect((await program.runCliWith(doctorSettings, 'doctor')).output).toContain('LOOK https: ');
  },
);

test('an invalid setting prevents the start, with its name and reason', PROGRAMS, async () => {
  await using program = await startFolder();
  expect(await program.runMain({ PORT: 'eighty', TRUST_PROXY: 'true' })).toEqual({
    code: 1,
    output:
      "PORT: must be a number from 0 to 65535\nTRUST_PROXY: 'true' is not an address, a range such as 10.0.0.0/8, or 'loopback'\n",
  });
});

test('data of a newer version is refused by every command, which ends', PROGRAMS, async () => {
  await using program = await startFolder();
  expect(await program.runCli('user', 'list')).toEqual({ code: 0, output: 'There are no accounts\n' });
  const database = new Sqlite(join(program.folder, 'data.db'));
  database.exec("insert into push_migration (name, timestamp) values ('999-future', '')");
  database.close();
  const refusal = { code: 1, output: expect.stringContaining('written by a newer Pegboard (push: 999-future)') };
  expect(await program.runCli('user', 'list')).toMatchObject(refusal);
  expect(await program.runMain({})).toMatchObject(refusal);
  expect(await program.runCli('upgrade-check')).toMatchObject({
    code: 1,
    output: expect.stringContaining('LOOK push\t999-future: written by a newer Pegboard\n'),
  });
});
