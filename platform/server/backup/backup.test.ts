import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  appendFile,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import { testOnBothDatabases, testOnPostgres, testOnSqlite, type TestStorage } from '#testing/kits/server/database.ts';
import { BACKUPS_FOLDER, REPLACED_PREFIX, RESTORE_MARKER } from './backupFiles.ts';
import { type Backup, checkBackup, listBackups, readBackup, removeBackups } from './backups.ts';
import { assertNoUnfinishedRestore, restoreBackup } from './restoreBackup.ts';
import { writeBackup } from './writeBackup.ts';

const NOW = Temporal.Instant.from('2026-11-30T03:00:00Z');
const CHANGING = ['music/uploads'];

async function writeData(dataDir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true });
    await writeFile(join(dataDir, path), text);
  }
}

const FILES = {
  'secret.key': 'key',
  'music/1.mp3': 'song one',
  'music/2.mp3': 'song two',
  'music/uploads/3.part': 'half a so',
  'work/7/input': 'recording',
};

const createSource = ({ dataDir, databaseUrl }: Pick<TestStorage, 'dataDir' | 'databaseUrl'>) => ({
  dataDir,
  databaseUrl,
  changingFolders: CHANGING,
  version: '1.2.3',
});

const back = (storage: Pick<TestStorage, 'dataDir' | 'databaseUrl'>, now = NOW): Promise<Backup> =>
  writeBackup(createSource(storage), { reason: 'request', now });

async function createNotes(database: Database, texts: readonly string[]): Promise<void> {
  await sql`create table if not exists note (id integer, text text)`.execute(database.db);
  for (const [id, text] of texts.entries())
    await sql`insert into note (id, text) values (${id}, ${text})`.execute(database.db);
}
async function readNotes(database: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ text: string }>`select text from note order by id`.execute(database.db);
  return rows.map(({ text }) => text);
}

/** Reads all files of a data folder that belong in a backup. */
async function readData(dataDir: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataDir.length + 1));
  const own = paths.filter((path) => !/^(backups|before-restore-|data\.db|lock\.db)/.test(path)).toSorted();
  return Object.fromEntries(
    await Promise.all(own.map(async (path) => [path, await readFile(join(dataDir, path), 'utf8')] as const)),
  );
}

testOnBothDatabases(
  'a backup is restored with database and files, and what it replaced is still there',
  async (storage) => {
    const { dataDir } = storage;
    await writeData(dataDir, FILES);
    {
      await using database = await storage.open();
      await createNotes(database, ['one', 'two']);
    }
    const backup = await back(storage);
    expect(backup).toMatchObject({
      id: '2026-11-30T03-00-00Z',
      reason: 'request',
      version: '1.2.3',
      files: { count: 5 },
    });
    expect(backup.database.rows).toMatchObject({ note: 2 });
    {
      await using database = await storage.open();
      await sql`delete from note`.execute(database.db);
      await sql`create table later (id integer)`.execute(database.db);
    }
    await rm(join(dataDir, 'music'), { recursive: true });
    await writeData(dataDir, { 'secret.key': 'other key', 'pictures/9.png': 'new' });

    const replaced = await restoreBackup(backup, createSource(storage), { now: NOW });
    expect(await readData(dataDir)).toEqual(FILES);
    expect(replaced).toBe(join(dataDir, `${REPLACED_PREFIX}2026-11-30T03-00-00Z`));
    expect(await readFile(join(replaced ?? '', 'secret.key'), 'utf8')).toBe('other key');
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o077).toBe(0o044);
    await using database = await storage.open();
    expect(await readNotes(database)).toEqual(['one', 'two']);
    const tables = await database.db.introspection.getTables();
    expect(tables.map(({ name }) => name)).not.toContain('later');
  },
);

testOnBothDatabases('a backup is restored to an empty data folder', async (storage) => {
  await writeData(storage.dataDir, FILES);
  {
    await using database = await storage.open();
    await createNotes(database, ['one']);
  }
  const backup = await back(storage);
  const elsewhere = await mkdtemp(join(tmpdir(), 'pegboard-elsewhere-'));
  try {
    await cp(backup.path, join(elsewhere, 'backup'), { recursive: true });
    const copied = await readBackup(join(elsewhere, 'backup'));
    const dataDir = join(elsewhere, 'data');
    await mkdir(dataDir);
    if (storage.databaseUrl !== undefined) return;
    expect(await restoreBackup(copied, { dataDir, changingFolders: CHANGING }, { now: NOW })).toBeUndefined();
    expect(await readData(dataDir)).toEqual(FILES);
  } finally {
    await rm(elsewhere, { recursive: true });
  }
});

const getInode = async ({ path }: Backup, name: string): Promise<number> =>
  (await lstat(join(path, 'files', name))).ino;

describe('files', () => {
  testOnSqlite('that are written once are linked, and others copied', async (storage) => {
    const { dataDir } = storage;
    await writeData(dataDir, FILES);
    await using _ = await storage.open();
    const { path } = await back(storage);
    const isLinked = async (name: string): Promise<boolean> =>
      (await stat(join(dataDir, name))).ino === (await stat(join(path, 'files', name))).ino;
    expect(await isLinked('music/1.mp3')).toBe(true);
    for (const name of ['secret.key', 'music/uploads/3.part', 'work/7/input']) expect(await isLinked(name)).toBe(false);
    await appendFile(join(dataDir, 'music/uploads/3.part'), 'ng');
    await checkBackup(await readBackup(path));
  });

  testOnSqlite('a restore does not link what may change, so that the backup stays as it is', async (storage) => {
    const { dataDir } = storage;
    await writeData(dataDir, FILES);
    {
      await using _ = await storage.open();
    }
    const backup = await back(storage);
    await restoreBackup(backup, createSource(storage), { now: NOW });
    for (const name of Object.keys(FILES))
      if (name !== 'music/1.mp3' && name !== 'music/2.mp3') await appendFile(join(dataDir, name), 'more');
    await checkBackup(backup);
  });

  testOnSqlite('behind links at the top of the data folder are in the backup', async (storage) => {
    const { dataDir } = storage;
    const disk = await mkdtemp(join(tmpdir(), 'pegboard-disk-'));
    try {
      await writeData(dataDir, FILES);
      await rename(join(dataDir, 'music'), join(disk, 'music'));
      await symlink(join(disk, 'music'), join(dataDir, 'music'));
      await rename(join(dataDir, 'secret.key'), join(disk, 'key'));
      await symlink(join(disk, 'key'), join(dataDir, 'secret.key'));
      await symlink(join(disk, 'nothing'), join(dataDir, 'broken'));
      await writeData(dataDir, { 'lost+found/1': 'not of Pegboard' });
      await symlink('/etc', join(disk, 'music', 'etc'));
      await using _ = await storage.open();
      const backup = await back(storage);
      expect(await readFile(join(backup.path, 'files/music/1.mp3'), 'utf8')).toBe('song one');
      expect(existsSync(join(backup.path, 'files/music/etc'))).toBe(false);
      expect(await readFile(join(backup.path, 'files/secret.key'), 'utf8')).toBe('key');
      expect(backup.files.count).toBe(5);
    } finally {
      await rm(disk, { recursive: true });
    }
  });

  testOnSqlite('of an earlier backup that did not change are not stored twice', async (storage) => {
    const { dataDir } = storage;
    await writeData(dataDir, FILES);
    await using _ = await storage.open();
    const first = await back(storage);
    await rm(join(dataDir, 'music/2.mp3'));
    await writeData(dataDir, { 'music/2.mp3': 'song TWO' });
    const second = await back(storage, NOW.add({ hours: 1 }));
    expect(await getInode(second, 'music/1.mp3')).toBe(await getInode(first, 'music/1.mp3'));
    expect(await readFile(join(first.path, 'files/music/2.mp3'), 'utf8')).toBe('song two');
    expect(await readFile(join(second.path, 'files/music/2.mp3'), 'utf8')).toBe('song TWO');
    await checkBackup(first);
    await checkBackup(second);
  });
});

describe('a damaged backup', () => {
  test.each([
    ['a file is changed', 'files/music/1.mp3', 'song 0ne', 'files/music/1.mp3 in the backup .* is damaged'],
    ['the list of checksums is changed', 'checksums.sha256', '', 'list of checksums .* was changed'],
    ['the manifest is cut', 'manifest.json', '{"format":', 'no complete backup'],
  ])('is not restored, and nothing changes: %s', async (_, name, text, message) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-damaged-'));
    try {
      await writeData(dataDir, FILES);
      const { openDatabase } = await import('#platform/server/database/openDatabase.ts');
      const { pino } = await import('pino');
      await (await openDatabase({ dataDir, log: pino({ level: 'silent' }) }))[Symbol.asyncDispose]();
      const { path } = await back({ dataDir, databaseUrl: undefined });
      await rm(join(path, name));
      await writeFile(join(path, name), text);
      const before = await readData(dataDir);
      await expect(
        (async () =>
          restoreBackup(await readBackup(path), createSource({ dataDir, databaseUrl: undefined }), { now: NOW }))(),
      ).rejects.toThrow(new RegExp(message));
      expect(await readData(dataDir)).toEqual(before);
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });
});

testOnSqlite('a backup whose list leads out of its folder is not restored', async (storage) => {
  await (await storage.open())[Symbol.asyncDispose]();
  await writeData(storage.dataDir, FILES);
  const { path, checksums } = await back(storage);
  const list = (await readFile(join(path, 'checksums.sha256'), 'utf8')).replace(
    'files/secret.key',
    'files/../../escaped',
  );
  await writeFile(join(path, 'checksums.sha256'), list);
  const manifest = await readFile(join(path, 'manifest.json'), 'utf8');
  await writeFile(join(path, 'manifest.json'), manifest.replace(checksums, hash('sha256', list)));
  await cp(join(path, 'files/secret.key'), join(path, '../escaped'));
  await expect(restoreBackup(await readBackup(path), createSource(storage), { now: NOW })).rejects.toThrow(
    'has a file with the path files/../../escaped',
  );
});

testOnPostgres('a restore does not begin while another program uses the tables', async (storage) => {
  {
    await using database = await storage.open();
    await createNotes(database, ['one']);
  }
  const backup = await back(storage);
  const other = new Client(storage.databaseUrl);
  await other.connect();
  try {
    await other.query('begin');
    await other.query('select * from note');
    await expect(restoreBackup(backup, createSource(storage), { now: NOW })).rejects.toThrow('End its connections');
    assertNoUnfinishedRestore(storage.dataDir);
  } finally {
    await other.end();
  }
  await restoreBackup(backup, createSource(storage), { now: NOW });
});

testOnSqlite('a backup of SQLite is not restored to PostgreSQL', async (storage) => {
  {
    await using _ = await storage.open();
  }
  const backup = await back(storage);
  const target = { ...createSource(storage), databaseUrl: 'postgres://localhost/none' };
  await expect(restoreBackup(backup, target, { now: NOW })).rejects.toThrow('This backup is of SQLite');
});

testOnSqlite(
  'a restore that was interrupted keeps the server from starting, and continues when it runs again',
  async (storage) => {
    const { dataDir } = storage;
    await writeData(dataDir, FILES);
    {
      await using database = await storage.open();
      await createNotes(database, ['one']);
    }
    const backup = await back(storage);
    await writeData(dataDir, { 'secret.key': 'newer key', 'music/9.mp3': 'newer song' });
    const replaced = join(dataDir, `${REPLACED_PREFIX}2026-11-30T03-00-00Z`);
    // As if it was killed between two renames: the new key is in place, and the music was moved away.
    await mkdir(replaced);
    await rename(join(dataDir, 'secret.key'), join(replaced, 'secret.key'));
    await writeData(dataDir, { 'secret.key': 'key' });
    await rename(join(dataDir, 'music'), join(replaced, 'music'));
    await writeFile(join(dataDir, RESTORE_MARKER), basename(replaced));
    // Of another restore, when the clock was wrong.
    await writeData(join(dataDir, `${REPLACED_PREFIX}2036-01-01T00-00-00Z`), FILES);
    expect(() => assertNoUnfinishedRestore(dataDir)).toThrow('was interrupted. Run the same command again');

    await restoreBackup(backup, createSource(storage), { now: NOW.add({ hours: 1 }) });
    assertNoUnfinishedRestore(dataDir);
    expect(await readData(dataDir)).toEqual(FILES);
    expect(await readFile(join(replaced, 'secret.key'), 'utf8')).toBe('newer key');
    expect(await readFile(join(replaced, 'music/9.mp3'), 'utf8')).toBe('newer song');
  },
);

testOnSqlite('two restores in the same second lose nothing of what they replace', async (storage) => {
  const { dataDir } = storage;
  await (await storage.open())[Symbol.asyncDispose]();
  await writeData(dataDir, FILES);
  const backup = await back(storage);
  for (const key of ['first key', 'second key']) {
    await writeData(dataDir, { 'secret.key': key });
    const replaced = await restoreBackup(backup, createSource(storage), { now: NOW });
    expect(await readFile(join(replaced ?? '', 'secret.key'), 'utf8')).toBe(key);
  }
});

testOnSqlite('a restore that is killed while it replaces files loses nothing, and continues', async (storage) => {
  const { dataDir } = storage;
  await (await storage.open())[Symbol.asyncDispose]();
  await writeData(dataDir, FILES);
  const { path } = await back(storage);
  const program = `
    import { readBackup } from ${JSON.stringify(new URL('./backups.ts', import.meta.url).href)};
    import { restoreBackup } from ${JSON.stringify(new URL('./restoreBackup.ts', import.meta.url).href)};
    const backup = await readBackup(${JSON.stringify(path)});
    await restoreBackup(backup, ${JSON.stringify(createSource(storage))}, { now: Temporal.Now.instant() });`;
  const marker = join(dataDir, RESTORE_MARKER);
  for (const delayMs of [0, 1, 4]) {
    const key = `key ${delayMs}`;
    await writeData(dataDir, { 'secret.key': key });
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
    const closed = once(child, 'close');
    while (!existsSync(marker) && child.exitCode === null) await setImmediate();
    await sleep(delayMs);
    child.kill('SIGKILL');
    await closed;
    if (existsSync(marker)) await restoreBackup(await readBackup(path), createSource(storage), { now: NOW });
    expect(await readData(dataDir)).toEqual(FILES);
    const folders = (await readdir(dataDir)).filter((name) => name.startsWith(REPLACED_PREFIX));
    const keys = await Promise.all(folders.map((name) => readFile(join(dataDir, name, 'secret.key'), 'utf8')));
    expect(keys).toContain(key);
  }
});

testOnSqlite(
  'two backups in the same second have different names, and removing one leaves the other',
  async (storage) => {
    await using _ = await storage.open();
    await writeData(storage.dataDir, FILES);
    const [one, other] = [await back(storage), await back(storage)];
    expect([one.id, other.id]).toEqual(['2026-11-30T03-00-00Z', '2026-11-30T03-00-00Z-2']);
    await removeBackups([one]);
    expect((await listBackups(storage.dataDir)).map(({ id }) => id)).toEqual([other.id]);
    await checkBackup(other);
  },
);

testOnSqlite('a backup that would fill the disk is refused before anything is written', async (storage) => {
  const { dataDir } = storage;
  await using _ = await storage.open();
  await writeData(dataDir, FILES);
  const write = (freeMb: number): Promise<Backup> =>
    writeBackup(createSource(storage), { reason: 'request', now: NOW, readFree: async () => freeMb * 1e6 });
  await expect(write(90)).rejects.toThrow(/^A backup needs 1 MB, and only 90 MB of disk space are free/);
  expect(await readdir(join(dataDir, BACKUPS_FOLDER))).toEqual(['write.lock']);
  await expect(write(110)).resolves.toBeDefined();
});

testOnSqlite('a backup that is killed leaves nothing that looks complete', async (storage) => {
  const { dataDir } = storage;
  {
    await using database = await storage.open();
    await createNotes(database, ['one']);
  }
  await writeData(
    dataDir,
    Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`music/${index}.mp3`, 'x'.repeat(50_000)])),
  );
  const program = `
    import { writeBackup } from ${JSON.stringify(new URL('./writeBackup.ts', import.meta.url).href)};
    console.log('started');
    await writeBackup(${JSON.stringify(createSource(storage))}, { reason: 'request', now: Temporal.Now.instant() });`;
  for (const moment of [1, 20, 60, 120, 200]) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await sleep(moment);
    child.kill('SIGKILL');
    await once(child, 'close');
    for (const backup of await listBackups(dataDir)) await checkBackup(backup);
  }
  expect((await readdir(join(dataDir, BACKUPS_FOLDER))).some((name) => name.endsWith('.part'))).toBe(true);
});
