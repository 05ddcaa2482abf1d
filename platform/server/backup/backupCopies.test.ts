import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { startS3Server, TEST_BUCKET } from '#testing/kits/server/s3Server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { openDatabase } from '../database/openDatabase.ts';
import { createBytesSource, createFolderStore, type ObjectStore } from '../storage/objectStore.ts';
import { createS3Store } from '../storage/s3Store.ts';
import { checkCopy, copyBackup, fetchCopy, listCopies, openCopyPlace } from './backupCopies.ts';
import { type Backup, checkBackup } from './backups.ts';
import { writeBackup } from './writeBackup.ts';

const NOW = Temporal.Instant.from('2026-11-30T03:00:00Z');
const PASSPHRASE = 'correct horse battery';
const ALL = { daily: 9, weekly: 0, monthly: 0 };
const LAST = { daily: 1, weekly: 0, monthly: 0 };

async function writeData(dataDir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true });
    await writeFile(join(dataDir, path), text);
  }
}

const back = (dataDir: string, now = NOW): Promise<Backup> =>
  writeBackup({ dataDir, changingFolders: [], version: '1.2.3' }, { reason: 'schedule', now });

/** Creates a data folder with a database and some files. Two have the same content. */
async function createData(): Promise<string> {
  const dataDir = await createTempFolder();
  await (await openDatabase({ dataDir, log: pino({ level: 'silent' }) }))[Symbol.asyncDispose]();
  await writeData(dataDir, {
    'secret.key': 'key',
    'music/1.mp3': 'a song',
    'music/2.mp3': 'a song',
    'gallery/3.png': '',
  });
  return dataDir;
}

const LATER = NOW.add({ hours: 24 * 30 });
const SERVER = 'this server';
const copy = (
  backup: Backup,
  store: ObjectStore,
  passphrase?: string,
  { retention = ALL, server = SERVER } = {},
): Promise<number> =>
  copyBackup(backup, store, { server, passphrase, hashCost: 'test', retention, zone: 'UTC', now: LATER });

async function fetchNewest(store: ObjectStore, passphrase?: string): Promise<Backup> {
  const place = await openCopyPlace(store, passphrase);
  const [newest] = await listCopies(place);
  if (!newest) throw new Error('there is no copy');
  return fetchCopy(place, newest, await createTempFolder());
}

async function listNames(store: ObjectStore): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of store.list()) names.push(name);
  return names.toSorted();
}

const createFolder = async (): Promise<ObjectStore> => createFolderStore(await createTempFolder());
async function createS3(): Promise<ObjectStore> {
  const server = await startS3Server(await createTempFolder());
  onTestFinished(() => server[Symbol.asyncDispose]());
  return createS3Store({ ...server.access, bucket: TEST_BUCKET, prefix: 'home', retryDelayMs: 1 });
}

test.each([
  ['a folder', createFolder, undefined],
  ['an encrypted bucket of S3', createS3, PASSPHRASE],
] as const)(
  'copies in %s are fetched as the same backup, and each content is stored once',
  async (_, createStore, passphrase) => {
    const dataDir = await createData();
    const store = await createStore();
    const first = await back(dataDir);
    await copy(first, store, passphrase);
    const firstNames = await listNames(store);
    await writeData(dataDir, { 'music/4.mp3': 'another song' });
    const second = await back(dataDir, NOW.add({ hours: 24 }));
    await copy(second, store, passphrase);
    // The list, the manifest, the new song, and the database if it is not the same.
    expect((await listNames(store)).length - firstNames.length).toBeLessThanOrEqual(4);

    const fetched = await fetchNewest(store, passphrase);
    expect(fetched).toEqual({ ...second, path: fetched.path });
    await checkBackup(fetched);
    await checkCopy(await openCopyPlace(store, passphrase), first, dataDir);
    expect(await readFile(join(fetched.path, 'files/music/2.mp3'), 'utf8')).toBe('a song');
    if (passphrase === undefined) return;
    for (const name of firstNames) expect(name).toMatch(/\.age$|^server\.txt$/);
    await expect(openCopyPlace(store, undefined)).rejects.toThrow('are encrypted. Set BACKUP_PASSPHRASE');
    await expect(copy(second, store, 'another one')).rejects.toThrow('does not open these copies');
  },
);

test('copies expire like backups, with the files that no other copy has', async () => {
  const dataDir = await createData();
  const store = await createFolder();
  await copy(await back(dataDir), store);
  await rm(join(dataDir, 'music/1.mp3'));
  await rm(join(dataDir, 'secret.key'));
  const second = await back(dataDir, NOW.add({ hours: 24 }));
  const before = await listNames(store);
  expect(await copy(second, store, undefined, { retention: LAST })).toBe(1);
  const after = await listNames(store);
  expect(before.filter((name) => name.startsWith('files/')).length).toBe(4);
  expect(after.filter((name) => name.startsWith('files/')).length).toBe(3);
  expect((await fetchNewest(store)).id).toBe(second.id);
});

test('a copy that is interrupted at any object looks incomplete, and the next attempt completes it', async () => {
  const dataDir = await createData();
  const backup = await back(dataDir);
  const store = await createFolder();
  for (let limit = 0; ; limit += 1) {
    let count = 0;
    const failing: ObjectStore = {
      ...store,
      put: async (name, source) => {
        count += 1;
        if (count > limit) throw new Error('the connection is gone');
        await store.put(name, source);
      },
    };
    try {
      await copy(backup, failing);
      break;
    } catch {
      expect(await listCopies(await openCopyPlace(store, undefined))).toEqual([]);
    }
  }
  await checkBackup(await fetchNewest(store));
});

test('a damaged file is neither copied nor fetched', async () => {
  const dataDir = await createData();
  const root = await createTempFolder();
  const store = createFolderStore(root);
  const backup = await back(dataDir);
  const song = join(backup.path, 'files/music/1.mp3');
  await rm(song);
  await writeFile(song, 'a s0ng');
  await rm(join(backup.path, 'files/music/2.mp3'));
  await writeFile(join(backup.path, 'files/music/2.mp3'), 'a s0ng');
  await expect(copy(backup, store)).rejects.toThrow(/files\/music\/\d.mp3 in the backup is damaged/);
  await writeFile(song, 'a song');
  await writeFile(join(backup.path, 'files/music/2.mp3'), 'a song');
  await copy(backup, store);
  const names = await listNames(store);
  for (const name of names.filter((each) => each.startsWith('files/'))) {
    const text = await readFile(join(root, name), 'utf8');
    if (text === 'a song') await writeFile(join(root, name), 'a s0ng');
  }
  await expect(fetchNewest(store)).rejects.toThrow('is damaged. Use another backup');
});

test('two servers never store or remove copies in the same place', async () => {
  const store = await createFolder();
  await copy(await back(await createData()), store);
  const names = await listNames(store);
  const other = await back(await createData(), NOW.add({ hours: 24 }));
  await expect(copy(other, store, undefined, { server: 'other server', retention: LAST })).rejects.toThrow(
    'Another server stores its copies in',
  );
  expect(await listNames(store)).toEqual(names);

  // Both begin in an empty place at the same time.
  const raced = await createFolder();
  const late: ObjectStore = {
    ...raced,
    put: async (name, source) => {
      await raced.put(name, source);
      if (name.endsWith('manifest.json')) await raced.put('server.txt', createBytesSource(Buffer.from('other server')));
    },
  };
  await copy(await back(await createData()), late);
  await raced.put('server.txt', createBytesSource(Buffer.from(SERVER)));
  await expect(copy(other, late, undefined, { retention: LAST })).rejects.toThrow('Another server stores its copies');
  expect(await listCopies(await openCopyPlace(raced, undefined))).toHaveLength(2);
});

test.each([undefined, PASSPHRASE])(
  'a damaged copy hides no other one, and nothing is removed meanwhile (passphrase %s)',
  async (passphrase) => {
    const dataDir = await createData();
    const root = await createTempFolder();
    const store = createFolderStore(root);
    const first = await back(dataDir);
    const second = await back(dataDir, NOW.add({ hours: 24 }));
    for (const backup of [first, second]) await copy(backup, store, passphrase);
    const suffix = passphrase === undefined ? '' : '.age';
    const getPath = ({ id }: Backup, file: string): string => join(root, id, file + suffix);
    const manifest = await readFile(getPath(second, 'manifest.json'));
    for (const damaged of [manifest.subarray(0, 90), await readFile(getPath(first, 'manifest.json'))]) {
      await writeFile(getPath(second, 'manifest.json'), damaged);
      const place = await openCopyPlace(store, passphrase);
      expect((await listCopies(place)).map(({ id }) => id)).toEqual([first.id]);
      await checkBackup(await fetchNewest(store, passphrase));
      const third = await back(dataDir, NOW.add({ hours: 48 }));
      await expect(copy(third, store, passphrase, { retention: LAST })).rejects.toThrow('manifest.json');
      await rm(join(root, third.id), { recursive: true });
    }
    await writeFile(getPath(second, 'manifest.json'), manifest);
    await writeFile(getPath(second, 'checksums.sha256'), await readFile(getPath(first, 'checksums.sha256')));
    const [files] = [(await listNames(store)).filter((name) => name.startsWith('files/'))];
    await writeFile(join(root, files[0] ?? ''), 'cut');
    await expect(fetchNewest(store, passphrase)).rejects.toBeInstanceOf(Refusal);
  },
);

test('without their key, encrypted copies are never mistaken for an empty place', async () => {
  const root = await createTempFolder();
  const backup = await back(await createData());
  await copy(backup, createFolderStore(root), PASSPHRASE);
  await rm(join(root, 'key.age'));
  await expect(fetchNewest(createFolderStore(root), PASSPHRASE)).rejects.toThrow('key.age is missing');
  await expect(copy(backup, createFolderStore(root), PASSPHRASE)).rejects.toThrow('key.age is missing');
});

test('copies without encryption are not mixed with encrypted ones', async () => {
  const backup = await back(await createData());
  const store = await createFolder();
  await copy(backup, store);
  await expect(copy(backup, store, PASSPHRASE)).rejects.toThrow('are not encrypted. Set BACKUP_COPY_TO');
});

const skipReason = getSkipReason('age', 'script');

test.skipIf(skipReason !== undefined)(
  `encrypted copies are opened with the age command (${skipReason ?? 'in a terminal'})`,
  async () => {
    const root = await createTempFolder();
    const backup = await back(await createData());
    await copy(backup, createFolderStore(root), PASSPHRASE);
    const out = join(root, 'checksums.txt');
    // It asks for the passphrase in a terminal only.
    const command = `age -d -i key.age -o ${out} ${backup.id}/checksums.sha256.age`;
    execFileSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: root,
      input: `${PASSPHRASE}\n`,
    });
    expect(await readFile(out, 'utf8')).toBe(await readFile(join(backup.path, 'checksums.sha256'), 'utf8'));
  },
);
