import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '#platform/contract/duration.ts';
import { testOnBothDatabases, testOnSqlite, type TestStorage } from '#testing/kits/server/database.ts';
import type { CopyTarget } from './backupCopies.ts';
import { lockBackups } from './backupLock.ts';
import { checkBackup } from './backups.ts';
import { type BackupService, createBackupService } from './backupService.ts';

const START = Temporal.Instant.from('2026-06-01T10:00:00Z');

/** A service with a clock of the test. */
interface TestService extends BackupService {
  readonly clock: { now: Temporal.Instant };
  readonly notified: readonly string[];
  readonly events: readonly string[];
  /** Runs what the server runs every minute. */
  readonly runTasks: () => Promise<void>;
}

function createService(
  { dataDir, databaseUrl }: Pick<TestStorage, 'dataDir' | 'databaseUrl'>,
  intervalMs: number | undefined,
  copyTo?: CopyTarget,
): TestService {
  const clock = { now: START };
  const notified: string[] = [];
  const events: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void events.push(JSON.parse(line).msg as string) });
  const service = createBackupService({
    source: { dataDir, databaseUrl, changingFolders: [], version: '1.2.3' },
    intervalMs,
    retention: { daily: 2, weekly: 0, monthly: 0 },
    copyTo,
    log,
    now: () => clock.now,
    onFailure: (message) => void notified.push(message),
  });
  onTestFinished(service.stop);
  const runTasks = async (): Promise<void> => {
    for (const task of service.tasks) await task.run();
  };
  return { ...service, clock, notified, events, runTasks };
}

testOnBothDatabases(
  'a backup of a database in use is complete, and all of each transaction is in it or nothing',
  async (storage) => {
    await using database = await storage.open();
    await sql`create table pair (id integer)`.execute(database.db);
    const service = createService(storage, DAY_MS);
    const state = { isDone: false };
    const writing = (async () => {
      while (!state.isDone)
        await database.transaction(async ({ tx }) => {
          await sql`insert into pair (id) values (1)`.execute(tx);
          await sql`insert into pair (id) values (2)`.execute(tx);
        });
    })();
    const backup = await service.backUp('request').finally(() => {
      state.isDone = true;
    });
    await writing;
    expect(backup.database.rows['pair']).toBeGreaterThan(0);
    expect((backup.database.rows['pair'] ?? 1) % 2).toBe(0);
    await checkBackup(backup);
  },
);

testOnSqlite('backups are made at night, expire, and a night that was missed is made up for', async (storage) => {
  await using _ = await storage.open();
  const service = createService(storage, DAY_MS);
  await service.start();
  const listDays = async (): Promise<readonly string[]> =>
    (await service.getState()).backups.map(({ id }) => id.slice(0, 10));
  await service.runTasks();
  expect(await listDays()).toEqual([]);
  for (let night = 0; night < 3; night += 1) {
    service.clock.now = (await service.getState()).next ?? service.clock.now;
    await service.runTasks();
    // Nothing is due a minute later.
    service.clock.now = service.clock.now.add({ minutes: 1 });
    await service.runTasks();
  }
  const days = await listDays();
  expect(days).toHaveLength(2);
  service.clock.now = service.clock.now.add({ hours: 24 * 5 });
  expect(await service.getState()).toMatchObject({ isOverdue: true });
  await service.runTasks();
  expect(await service.getState()).toMatchObject({ isOverdue: false, failure: undefined, isRunning: false });
  expect(service.events.filter((event) => event === 'backup.finished')).toHaveLength(4);
});

testOnSqlite('two requests at the same time make one backup', async (storage) => {
  await using _ = await storage.open();
  const service = createService(storage, DAY_MS);
  const [one, other] = await Promise.all([service.backUp('request'), service.backUp('request')]);
  expect(one.id).toBe(other.id);
  expect((await service.getState()).backups).toHaveLength(1);
});

testOnSqlite(
  'a backup that fails is reported to the owner, also after a restart, and tried again an hour later',
  async (storage) => {
    const service = createService(storage, DAY_MS);
    await mkdir(join(storage.dataDir, 'backups'));
    service.clock.now = (await service.getState()).next ?? START;
    await service.runTasks();
    // There is no database.
    expect(service.notified).toEqual([expect.stringContaining('The backup failed: ')]);
    expect(service.events).toContain('backup.failed');
    const restarted = createService(storage, DAY_MS);
    restarted.clock.now = service.clock.now;
    await restarted.start();
    const { failure, next } = await restarted.getState();
    expect(failure?.message).toContain('open');
    expect(String(next)).toBe(String(failure?.time.add({ hours: 1 })));
    await using _ = await storage.open();
    restarted.clock.now = next ?? START;
    await restarted.runTasks();
    expect(await restarted.getState()).toMatchObject({ failure: undefined, backups: [{ reason: 'schedule' }] });
  },
);

testOnSqlite(
  'a backup that was not copied is reported to the owner, also after a restart, and copied an hour later',
  async (storage) => {
    await using _ = await storage.open();
    const address = join(storage.dataDir, 'disk');
    const service = createService(storage, DAY_MS, { address });
    service.clock.now = (await service.getState()).next ?? START;
    await service.runTasks();
    expect(service.notified).toEqual([
      `The backup was not copied to ${address}: The folder ${address} does not exist. Mount its disk, or create it`,
    ]);
    expect(service.events).toContain('backup.copy.failed');
    const restarted = createService(storage, DAY_MS, { address });
    const { failure, backups, copies } = await restarted.getState();
    expect(failure).toBeUndefined();
    expect(backups).toHaveLength(1);
    expect(copies).toMatchObject({
      address,
      newest: undefined,
      failure: { message: expect.stringContaining('Mount') },
    });

    await mkdir(address);
    restarted.clock.now = service.clock.now.add({ minutes: 59 });
    await restarted.runTasks();
    expect(await readdir(address)).toEqual([]);
    restarted.clock.now = service.clock.now.add({ minutes: 60 });
    await restarted.runTasks();
    expect((await restarted.getState()).copies).toMatchObject({ newest: { id: backups[0]?.id }, failure: undefined });
    expect(await readdir(address)).toContain(backups[0]?.id);
    expect(restarted.events).toEqual(['backup.copied']);
  },
);

testOnSqlite('a backup before an upgrade is copied later, so that the start does not wait', async (storage) => {
  await using _ = await storage.open();
  const address = join(storage.dataDir, 'disk');
  await mkdir(address);
  const service = createService(storage, DAY_MS, { address });
  const { id } = await service.backUp('upgrade');
  expect(await readdir(address)).toEqual([]);
  await service.runTasks();
  expect(await readdir(address)).toContain(id);
});

testOnSqlite('a damaged earlier backup does not spoil the next one', async (storage) => {
  await using _ = await storage.open();
  await writeFile(join(storage.dataDir, 'secret.key'), 'key');
  await mkdir(join(storage.dataDir, 'music'));
  await writeFile(join(storage.dataDir, 'music', '1.mp3'), 'song');
  const service = createService(storage, DAY_MS);
  const { path } = await service.backUp('request');
  await writeFile(join(path, 'checksums.sha256'), 'damaged');
  const next = await service.backUp('request');
  expect(next.files.count).toBe(2);
  await checkBackup(next);
});

testOnSqlite('stopping the server ends a backup and leaves nothing of it', async (storage) => {
  await using database = await storage.open();
  await sql`create table note (text text)`.execute(database.db);
  for (let count = 0; count < 100; count += 1)
    await sql`insert into note (text) values (hex(randomblob(100000)))`.execute(database.db);
  const service = createService(storage, DAY_MS);
  const backup = service.backUp('request');
  backup.catch(() => undefined);
  await expect
    .poll(() => readdir(join(storage.dataDir, 'backups')).catch(() => []))
    .toContainEqual(expect.stringMatching(/part$/));
  await service.stop();
  await expect(backup).rejects.toThrow();
  const after = createService(storage, DAY_MS);
  await after.start();
  expect(await readdir(join(storage.dataDir, 'backups'))).toEqual(['write.lock']);
});

testOnSqlite('backups of a wrong clock stop neither the following ones nor their copies', async (storage) => {
  await using _ = await storage.open();
  const address = join(storage.dataDir, 'disk');
  await mkdir(address);
  const service = createService(storage, DAY_MS, { address });
  service.clock.now = START.add({ hours: 24 * 3650 });
  await service.runTasks();
  const [{ id: futureId } = { id: '' }] = (await service.getState()).backups;
  expect(await readdir(address)).toContain(futureId);

  service.clock.now = START.add({ hours: 24 });
  await service.runTasks();
  const { backups, copies, isOverdue } = await service.getState();
  expect(backups.map(({ id }) => id)).toEqual([futureId, '2026-06-02T10-00-00Z']);
  expect(copies?.newest?.id).toBe('2026-06-02T10-00-00Z');
  expect(isOverdue).toBe(false);
  service.clock.now = START.add({ hours: 24 * 4 });
  expect(await service.getState()).toMatchObject({ isOverdue: true });
});

testOnSqlite(
  'instances of one data folder leave the work of each other alone, and know its result',
  async (storage) => {
    await using _ = await storage.open();
    const address = join(storage.dataDir, 'disk');
    const [one, other] = [createService(storage, DAY_MS, { address }), createService(storage, DAY_MS, { address })];
    const part = join(storage.dataDir, 'backups', '2026-06-01T10-00-00Z.part');
    {
      using _lock = await lockBackups(storage.dataDir, 'write');
      await mkdir(part);
      await other.start();
      expect(await readdir(join(storage.dataDir, 'backups'))).toContain('2026-06-01T10-00-00Z.part');
    }
    await other.start();
    expect(await readdir(join(storage.dataDir, 'backups'))).toEqual(['write.lock']);

    expect(await other.getState()).toMatchObject({ copies: { newest: undefined } });
    await expect(one.backUp('request')).rejects.toThrow('Mount its disk');
    expect(await other.getState()).toMatchObject({
      copies: { failure: { message: expect.stringContaining('Mount') } },
    });
    await mkdir(address);
    const { id } = await one.backUp('request');
    expect(await other.getState()).toMatchObject({ copies: { newest: { id }, failure: undefined } });
  },
);

test('without a schedule nothing is made, and the state says so', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const service = createService({ dataDir, databaseUrl: undefined }, undefined);
  service.clock.now = START.add({ hours: 24 * 30 });
  await service.runTasks();
  expect(await service.getState()).toMatchObject({ backups: [], next: undefined, isOverdue: false });
});
