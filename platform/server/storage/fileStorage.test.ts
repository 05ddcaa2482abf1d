import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { computeChecksum, createFileStorage } from './fileStorage.ts';

async function openStorage() {
  const dataDir = await createTempFolder();
  return { dataDir, files: createFileStorage(dataDir) };
}

test('a finished file is imported completely, into a private folder', async () => {
  const { dataDir, files } = await openStorage();
  const work = await files.createJobFolder(7);
  await writeFile(join(work, 'final.mp3'), 'a song');
  await files.importFile(join(work, 'final.mp3'), 'music/12.mp3');
  expect(await readFile(join(dataDir, 'music', '12.mp3'), 'utf8')).toBe('a song');
  expect((await stat(join(dataDir, 'music'))).mode & 0o777).toBe(0o700);
  expect(await readdir(work)).toEqual([]);
  expect(await files.getSize('music/12.mp3')).toBe(6);
  expect(await files.withLocalFile('music/12.mp3', computeChecksum)).toEqual({ bytes: 6, crc32: 0xa10263e5 });
  expect(await files.list('music')).toEqual(['music/12.mp3']);
  await files.remove('music/12.mp3');
  await files.remove('music/12.mp3');
  expect([await files.getSize('music/12.mp3'), await files.list('music'), await files.list('none')]).toEqual([
    undefined,
    [],
    [],
  ]);
});

test.each([
  '../outside',
  'music/../../x',
  '/etc/passwd',
  'music//x',
  '.hidden',
  'music/-x.mp3',
  'music/x.mp3/',
  'a\0b',
  '',
])('an invalid name is refused: %j', async (name) => {
  const { files } = await openStorage();
  expect(() => files.getPath(name)).toThrow('no name of ours');
});

test('links and folders are neither imported nor listed', async () => {
  const { dataDir, files } = await openStorage();
  const work = await files.createJobFolder(1);
  await symlink('/etc/passwd', join(work, 'link.mp3'));
  await expect(files.importFile(join(work, 'link.mp3'), 'music/1.mp3')).rejects.toThrow('no plain file');
  await expect(files.importFile(work, 'music/1.mp3')).rejects.toThrow('no plain file');
  await files.createJobFolder(2);
  await symlink('/etc/passwd', join(dataDir, 'work', '2', 'x.mp3'));
  expect([await files.getSize('work/2/x.mp3'), await files.list('work/2')]).toEqual([undefined, []]);
});

test('only folders of ended jobs are removed', async () => {
  const { dataDir, files } = await openStorage();
  await files.removeStaleJobFolders(async () => new Set());
  for (const job of [1, 2, 3]) await files.createJobFolder(job);
  await files.removeStaleJobFolders(async (jobs) => new Set(jobs.filter((job) => job === 2)));
  expect(await readdir(join(dataDir, 'work'))).toEqual(['2']);
  await files.removeJobFolder(2);
  await files.removeJobFolder(2);
  expect(await readdir(join(dataDir, 'work'))).toEqual([]);
});

test('scratch folders survive the removal of job folders, and are empty after the next start', async () => {
  const { dataDir, files } = await openStorage();
  const folder = await files.createScratchFolder('tags');
  await writeFile(join(folder, 'half.mp3'), 'a song');
  await files.createJobFolder(1);
  await files.removeStaleJobFolders(async () => new Set());
  expect(await readdir(join(dataDir, 'work'))).toEqual(['tags']);
  expect(await readdir(await files.createScratchFolder('tags'))).toEqual(['half.mp3']);
  expect(await readdir(await createFileStorage(dataDir).createScratchFolder('tags'))).toEqual([]);
});
