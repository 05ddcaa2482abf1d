import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
    expect((await program.runCliWith({ HTTPS_PORT }, 'doctor')).output).toContain(
      'https: the next start creates the certificate authority',
    );
    const server = await program.startServer({ HTTPS_PORT });
    expect(server.startupMessage).toContain(`\n  https://localhost:${HTTPS_PORT}\n`);
    const fingerprint = /fingerprint\n {2}(\S+)/.exec(server.startupMessage)?.[1] ?? '';
    expect(fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    const { output } = await program.runCliWith({ HTTPS_PORT }, 'doctor');
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
    expect((await program.runCliWith({ HTTPS_PORT }, 'doctor')).output).toContain('LOOK https: ');
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

test(
  'the operator creates, lists, resets and deletes accounts, with and without a running server',
  PROGRAMS,
  async () => {
    await using program = await startFolder();
    expect(await program.runCli('user', 'list')).toEqual({ code: 0, output: 'There are no accounts\n' });
    const refused = await program.runCli('user', 'create', 'Ann');
    expect(refused).toEqual({ code: 1, output: 'The first account must be the owner. Add --owner\n' });
    const creation = await program.runCli('user', 'create', 'Ann', '--owner');
    const firstPassword =
      /^Created the account 'Ann' \(owner\)\. Password: (\S{20})$/m.exec(creation.output)?.[1] ?? '';

    const server = await program.startServer();
    const call = createPatientClient({ origin: server.origin });
    const username = 'Ann';
    expect(await call(log, { username, password: firstPassword })).toMatchObject({ username });
    const reset = await program.runCli('user', 'reset-password', 'ann');
    expect(reset.output).toContain('Sessions ended: 1');
    const password = /'Ann': (\S+)/.exec(reset.output)?.[1] ?? '';
    expect(await call(log, { username, password })).toMatchObject({ username });
    expect((await program.runCli('user', 'list')).output).toMatch(/^Ann\towner\t\d{4}-\d\d-\d\d\t1 sessions$/m);
    expect((await program.runCli('session', 'end-all')).output).toContain('Sessions ended: 1');
    expect(await program.runCli('user', 'delete', 'Bob', '--yes')).toEqual({
      code: 1,
      output: "There is no account called 'Bob'\n",
    });
    expect((await program.runCli('user', 'delete', 'Ann')).output).toContain('Add --yes');
    expect((await program.runCli('user', 'delete', 'Ann', '--yes')).output).toBe("Deleted 'Ann'\n");
    server.child.kill('SIGTERM');
    const { code, output } = await server.ended;
    expect(code).toBe(0);
    expect(output).not.toContain(password);
  },
);

test(
  'a backup is made while the server runs, and restored from the command line while it is stopped',
  PROGRAMS,
  async () => {
    await using program = await startFolder();
    const server = await program.startServer();
    const call = createPatientClient({ origin: server.origin });
    await call(signup, credentials);
    expect(await program.runCli('backup')).toMatchObject({
      code: 0,
      output: expect.stringContaining('Created the backup 20'),
    });
    await call(signup, { username: 'Bob', password: 'another horse staple' });
    expect(await program.runCli('restore', 'newest', '--yes')).toMatchObject({
      code: 1,
      output: expect.stringContaining('Another Pegboard is using the folder'),
    });
    server.child.kill('SIGTERM');
    await server.ended;

    const { output: list } = await program.runCli('backup', 'list');
    const [id = ''] = list.split('\t');
    expect(list).toMatch(/^20\S+Z\trequest\t\d MB\tSQLite and \d+ files\tversion \d/);
    expect(await program.runCli('backup', 'check', id)).toEqual({
      code: 0,
      output: `ok   the backup ${id} is complete\n`,
    });
    expect((await program.runCli('restore', id)).output).toContain('Add --yes to confirm');
    expect((await program.runCli('restore', '--at', '2020-01-01', '--yes')).output).toContain('no backup from before');
    const { code, output } = await program.runCli('restore', '--at', '2999-01-01T12:00', '--yes', '--end-sessions');
    expect(output).toMatch(
      /^Restored the backup .*\nWhat was there before is in .*before-restore-[^]*\nSessions ended: 1/,
    );
    expect(code).toBe(0);
    expect((await program.runCli('user', 'list')).output).toMatch(/^Ann\towner\t[\d-]+\t0 sessions\n$/);
  },
);

test('an encrypted copy of a backup is restored on a new computer', PROGRAMS, async () => {
  await using lost = await startFolder();
  await using bare = await startFolder();
  const disk = join(bare.folder, 'disk');
  const settings = { BACKUP_PASSPHRASE: 'correct horse battery' };
  await lost.runCli('user', 'create', 'Ann', '--owner');
  await mkdir(disk);
  expect((await lost.runCliWith({ ...settings, BACKUP_COPY_TO: disk }, 'backup')).code).toBe(0);

  expect((await bare.runCliWith({ ...settings, BACKUP_COPY_TO: disk }, 'restore', 'newest')).output).toContain(
    `name it: npm run pegboard -- restore ${disk}`,
  );
  const { output: list } = await bare.runCliWith(settings, 'backup', 'list', disk);
  const [id = ''] = list.split('\t');
  expect((await bare.runCliWith(settings, 'restore', join(disk, id), '--yes')).output).toContain(
    `Restored the backup ${id}`,
  );
  expect((await bare.runCli('user', 'list')).output).toMatch(/^Ann\towner\t/);
});

test('before an upgrade of the database a backup is made, and without one nothing is upgraded', PROGRAMS, async () => {
  await using program = await startFolder();
  const server = await program.startServer();
  await createPatientClient({ origin: server.origin })(signup, credentials);
  server.child.kill('SIGTERM');
  await server.ended;
  // As an earlier version left it.
  const database = new Sqlite(join(program.folder, 'data.db'));
  const [last] = database.prepare('select name from push_migration order by name desc').pluck().all();
  database.exec('drop table push_subscription');
  database.prepare('delete from push_migration').run();
  database.close();
  expect(last).toBeDefined();

  const check = await program.runCli('upgrade-check');
  expect(check.output).toContain(`NEW  push\tnone, then ${String(last)}\n`);
  expect(check.output).toMatch(/^ok   identity\t0/m);
  expect(check.output).toMatch(/^ok   a backup is made before; it needs up to \d+ MB, and \d+ MB are free$/m);
  expect(check.code).toBe(3);
  const { output: withoutBackup } = await program.runCliWith({ BACKUP_EVERY: 'off' }, 'upgrade-check');
  expect(withoutBackup).toContain('no backup is made before, because of BACKUP_EVERY=off');

  await writeFile(join(program.folder, 'backups'), 'in the way');
  const { code, output } = await program.runMain({});
  expect(output).toContain('before that a backup is made. The backup failed: ');
  expect(output).toContain('start once with BACKUP_EVERY=off');
  expect(code).toBe(1);

  await rm(join(program.folder, 'backups'));
  const upgraded = await program.startServer();
  upgraded.child.kill('SIGTERM');
  await upgraded.ended;
  expect((await program.runCli('backup', 'list')).output).toMatch(/^20\S+Z\tupgrade\t/);
  expect(await program.runCli('upgrade-check')).toMatchObject({
    code: 0,
    output: expect.stringContaining('Nothing would be changed'),
  });
});

test('data of a newer version is refused by every command, which ends', PROGRAMS, async () => {
  await using program = await startFolder();
  expect(await program.runCli('upgrade-check')).toMatchObject({ code: 0, output: expect.stringContaining('no data') });
  await program.runCli('user', 'list');
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

test('the database moves to another folder from the command line, while the server is stopped', PROGRAMS, async () => {
  await using program = await startFolder();
  const target = join(program.folder, 'moved');
  const server = await program.startServer();
  await createPatientClient({ origin: server.origin })(signup, credentials);
  expect(await program.runCli('move', '--to', target)).toMatchObject({
    code: 1,
    output: expect.stringContaining('Another Pegboard is using the folder'),
  });
  server.child.kill('SIGTERM');
  await server.ended;
  expect(await program.runCli('move')).toMatchObject({ code: 1, output: expect.stringContaining('Name the new') });
  expect(await program.runCli('move', '--to', 'mysql')).toMatchObject({
    code: 1,
    output: expect.stringContaining('no database'),
  });
  const { code, output } = await program.runCli('move', '--to', `sqlite:${target}`);
  expect(output).toMatch(/^ok   account\t1 rows\t[0-9a-f]{32}$/m);
  expect(output).toMatch(
    /^Moved \d+ rows\. Both databases have the same rows and checksums in all \d+ tables\.\nCopy /m,
  );
  expect(code).toBe(0);
  expect((await program.runCliWith({ DATA_DIR: target }, 'user', 'list')).output).toMatch(/^Ann\towner\t/);
});
