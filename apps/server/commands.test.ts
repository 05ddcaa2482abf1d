import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { log } from '#platform/contract/session.ts';
import { writeBackup } from '#platform/server/backup/writeBackup.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { testOnPostgres } from '#testing/kits/server/database.ts';
import { startServer, type TestServerOptions } from '#testing/kits/server/server.ts';
import { runCommand } from './commands.ts';
import { readConfig, toServerOptions } from './config.ts';
import { controlTool } from './controlSocket.ts';
import { listMigrationSets } from './migrationSets.ts';
import { serverTools } from './tools.ts';

interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/** Runs commands on a data folder, without a process for each. */
function createOperator(dataDir: string) {
  async function runWith(settings: Readonly<Record<string, string>>, ...args: string[]): Promise<CommandResult> {
    let output = '';
    const print = (text: string): void => void (output += `${text.trimEnd()}\n`);
    const environment = { DATA_DIR: dataDir, PASSWORD_HASH: 'light', ...settings };
    const code = await runCommand(args, { environment, print, printError: print });
    return { code, output };
  }
  return { dataDir, runWith, run: (...args: string[]) => runWith({}, ...args) };
}

async function createFolder() {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  return createOperator(dataDir);
}

/** Asking the programs for their versions takes longer than everything else. */
const QUICK_DOCTOR = { YTDLP_PATH: '/bin/true', FFMPEG_PATH: '/bin/true' };

/** Starts a server that commands can reach. */
const startReachableServer = (dataDir: string, options: TestServerOptions = {}) =>
  startServer({ dataDir, databaseUrl: undefined, tools: [...serverTools, controlTool], ...options });

test('the operator creates, lists, resets and deletes accounts, with and without a running server', async () => {
  const { dataDir, run } = await createFolder();
  expect(await run('user', 'list')).toEqual({ code: 0, output: 'There are no accounts\n' });
  const refused = await run('user', 'create', 'Ann');
  expect(refused).toEqual({ code: 1, output: 'The first account must be the owner. Add --owner\n' });
  const creation = await run('user', 'create', 'Ann', '--owner');
  const firstPassword = /^Created the account 'Ann' \(owner\)\. Password: (\S{20})$/m.exec(creation.output)?.[1] ?? '';

  await using server = await startReachableServer(dataDir);
  expect((await stat(join(dataDir, 'control.sock'))).mode & 0o077).toBe(0);
  const username = 'Ann';
  expect(await server.call(log, { username, password: firstPassword })).toMatchObject({ username });
  const reset = await run('user', 'reset-password', 'ann');
  expect(reset.output).toContain('Sessions ended: 1');
  const password = /'Ann': (\S+)/.exec(reset.output)?.[1] ?? '';
  expect(await server.call(log, { username, password })).toMatchObject({ username });
  expect((await run('user', 'list')).output).toMatch(/^Ann\towner\t\d{4}-\d\d-\d\d\t1 sessions$/m);
  expect((await run('session', 'end-all')).output).toContain('Sessions ended: 1');
  expect(await run('user', 'delete', 'Bob', '--yes')).toEqual({
    code: 1,
    output: "There is no account called 'Bob'\n",
  });
  expect((await run('user', 'delete', 'Ann')).output).toContain('Add --yes');
  expect((await run('user', 'delete', 'Ann', '--yes')).output).toBe("Deleted 'Ann'\n");
  expect(server.log.join('')).not.toContain(password);
});

test('a backup is made while the server runs, and restored from the command line while it is stopped', async () => {
  const { dataDir, run } = await createFolder();
  {
    await using server = await startReachableServer(dataDir);
    await server.createAccount('Ann');
    expect(await run('backup')).toMatchObject({ code: 0, output: expect.stringContaining('Created the backup 20') });
    await server.createAccount('Bob');
    expect(await run('restore', 'newest', '--yes')).toMatchObject({
      code: 1,
      output: expect.stringContaining('Another Pegboard is using the folder'),
    });
  }
  const { output: list } = await run('backup', 'list');
  const [id = ''] = list.split('\t');
  expect(list).toMatch(/^20\S+Z\trequest\t\d MB\tSQLite and \d+ files\tversion \d/);
  expect(await run('backup', 'check', id)).toEqual({ code: 0, output: `ok   the backup ${id} is complete\n` });
  expect((await run('restore', id)).output).toContain('Add --yes to confirm');
  expect((await run('restore', '--at', '2020-01-01', '--yes')).output).toContain('no backup from before');
  const { code, output } = await run('restore', '--at', '2999-01-01T12:00', '--yes', '--end-sessions');
  expect(output).toMatch(
    /^Restored the backup .*\nWhat was there before is in .*before-restore-[^]*\nSessions ended: 1/,
  );
  expect(code).toBe(0);
  expect((await run('user', 'list')).output).toMatch(/^Ann\towner\t[\d-]+\t0 sessions\n$/);
});

test('an encrypted copy of a backup is restored on a new computer', async () => {
  const lost = await createFolder();
  const bare = await createFolder();
  const { dataDir: disk } = await createFolder();
  const settings = { BACKUP_PASSPHRASE: 'correct horse battery' };
  await lost.run('user', 'create', 'Ann', '--owner');
  expect((await lost.runWith({ ...settings, BACKUP_COPY_TO: disk }, 'backup')).code).toBe(0);

  expect((await bare.runWith({ ...settings, BACKUP_COPY_TO: disk }, 'restore', 'newest')).output).toContain(
    `name it: npm run pegboard -- restore ${disk}`,
  );
  const { output: list } = await bare.runWith(settings, 'backup', 'list', disk);
  const [id = ''] = list.split('\t');
  expect((await bare.runWith(settings, 'restore', join(disk, id), '--yes')).output).toContain(
    `Restored the backup ${id}`,
  );
  expect((await bare.run('user', 'list')).output).toMatch(/^Ann\towner\t/);
});

test('a backup of a newer version is not restored', async () => {
  const { dataDir, run } = await createFolder();
  await run('user', 'create', 'Ann', '--owner');
  const database = new Sqlite(join(dataDir, 'data.db'));
  database.exec("insert into push_migration (name, timestamp) values ('999-future', '')");
  await writeBackup(
    { dataDir, changingFolders: [], version: '99.0.0' },
    { reason: 'request', now: Temporal.Now.instant() },
  );
  database.exec("delete from push_migration where name = '999-future'");
  database.close();
  expect(await run('restore', 'newest', '--yes')).toMatchObject({
    code: 1,
    output: expect.stringContaining('is of version 99.0.0, which is newer than this one'),
  });
  expect((await run('user', 'list')).output).toMatch(/^Ann\towner/);
});

testOnPostgres('the upgrade check of PostgreSQL says what the backup before needs', async (storage) => {
  const { dataDir, databaseUrl = '' } = storage;
  const old = listMigrationSets()
    .slice(0, 1)
    .map(({ name, migrations }) => ({ name, migrations: migrations.slice(0, 1) }));
  {
    await using opened = await storage.open();
    await migrate(opened, old);
  }
  const { code, output } = await createOperator(dataDir).runWith({ DATABASE_URL: databaseUrl }, 'upgrade-check');
  expect(output).toMatch(/^NEW  identity\t001.*, then 002/m);
  const [, megabytes] =
    /^ok   a backup is made before; it needs up to (\d+) MB, and \d+ MB are free$/m.exec(output) ?? [];
  // An empty database of PostgreSQL has about 8 MB.
  expect(Number(megabytes)).toBeGreaterThan(5);
  expect(code).toBe(3);
});

test('before an upgrade of the database a backup is made, and without one nothing is upgraded', async () => {
  const { dataDir, run, runWith } = await createFolder();
  expect(await run('upgrade-check')).toMatchObject({ code: 0, output: expect.stringContaining('no data') });
  await (await startReachableServer(dataDir))[Symbol.asyncDispose]();
  // As an earlier version left it.
  const database = new Sqlite(join(dataDir, 'data.db'));
  const [last] = database.prepare('select name from push_migration order by name desc').pluck().all();
  database.exec('drop table push_subscription');
  database.prepare('delete from push_migration').run();
  database.close();
  expect(last).toBeDefined();

  const check = await run('upgrade-check');
  expect(check.output).toContain(`NEW  push\tnone, then ${String(last)}\n`);
  expect(check.output).toMatch(/^ok   identity\t0/m);
  expect(check.output).toMatch(/^ok   a backup is made before; it needs up to \d+ MB, and \d+ MB are free$/m);
  expect(check.code).toBe(3);
  const { output: withoutBackup } = await runWith({ BACKUP_EVERY: 'off' }, 'upgrade-check');
  expect(withoutBackup).toContain('no backup is made before, because of BACKUP_EVERY=off');

  await writeFile(join(dataDir, 'backups'), 'in the way');
  const settings = toServerOptions(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }));
  await expect(startReachableServer(dataDir, settings)).rejects.toThrow(
    /before that a backup is made\. The backup failed: .*start once with BACKUP_EVERY=off/,
  );
  expect(await run('upgrade-check')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/The command failed: ENOTDIR: not a directory, .*backups/),
  });
  expect((await runWith(QUICK_DOCTOR, 'doctor')).output).toMatch(
    /^LOOK backups: can't be checked \(ENOTDIR: .*backups'\)$/m,
  );

  await rm(join(dataDir, 'backups'));
  await (await startReachableServer(dataDir, settings))[Symbol.asyncDispose]();
  expect((await run('backup', 'list')).output).toMatch(/^20\S+Z\tupgrade\t/);
  expect(await run('upgrade-check')).toMatchObject({
    code: 0,
    output: expect.stringContaining('Nothing would be changed'),
  });
});

test('the database moves to another folder from the command line, while the server is stopped', async () => {
  const { dataDir, run, runWith } = await createFolder();
  const target = join(dataDir, 'moved');
  {
    await using server = await startReachableServer(dataDir);
    await server.createAccount('Ann');
    expect(await run('move', '--to', target)).toMatchObject({
      code: 1,
      output: expect.stringContaining('Another Pegboard is using the folder'),
    });
  }
  expect(await run('move')).toMatchObject({ code: 1, output: expect.stringContaining('Name the new') });
  expect(await run('move', '--to', 'mysql')).toMatchObject({
    code: 1,
    output: expect.stringContaining('no database'),
  });
  const { code, output } = await run('move', '--to', `sqlite:${target}`);
  expect(output).toMatch(/^ok   account\t1 rows\t[0-9a-f]{32}$/m);
  expect(output).toMatch(
    /^Moved \d+ rows\. Both databases have the same rows and checksums in all \d+ tables\.\nCopy /m,
  );
  expect(code).toBe(0);
  expect((await runWith({ DATA_DIR: target }, 'user', 'list')).output).toMatch(/^Ann\towner\t/);
});
