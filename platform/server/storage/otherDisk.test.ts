import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findOtherDisk } from '#testing/temporary.ts';
import { createFileStorage, linkFile, moveFile } from './fileStorage.ts';

const otherDisk = findOtherDisk();

async function createFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'pegboard-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe.each([tmpdir(), ...(otherDisk === undefined ? [] : [otherDisk])])('to a folder in %s', (parent) => {
  async function createFiles() {
    const [sourceFolder, targetFolder] = [await createFolder(tmpdir()), await createFolder(parent)];
    const from = join(sourceFolder, 'song.mp3');
    await writeFile(from, 'a song');
    return { sourceFolder, targetFolder, from, to: join(targetFolder, '1.mp3') };
  }

  test('a file is moved completely, over the remains of an earlier attempt', async () => {
    const { sourceFolder, targetFolder, from, to } = await createFiles();
    await writeFile(to, 'older');
    await writeFile(join(targetFolder, '.1.mp3.part'), 'half');
    await moveFile(from, to);
    expect([await readFile(to, 'utf8'), await readdir(sourceFolder)]).toEqual(['a song', []]);
  });

  test('a linked file has a second name, and keeps its first', async () => {
    const { from, targetFolder, to } = await createFiles();
    await linkFile(from, to);
    expect([await readFile(from, 'utf8'), await readFile(to, 'utf8')]).toEqual(['a song', 'a song']);
    expect(await readdir(targetFolder)).toEqual(['1.mp3']);
  });

  test('a file that cannot be read is an error, and leaves nothing behind', async () => {
    const { from, targetFolder, to } = await createFiles();
    await expect(moveFile(`${from}x`, to)).rejects.toThrow('ENOENT');
    await expect(linkFile(from, join(targetFolder, 'none', '1.mp3'))).rejects.toThrow('ENOENT');
    expect(await readdir(targetFolder)).toEqual([]);
  });

  test('a finished file is imported into a linked folder', async () => {
    const [dataDir, targetFolder] = [await createFolder(tmpdir()), await createFolder(parent)];
    await symlink(targetFolder, join(dataDir, 'music'));
    const files = createFileStorage(dataDir);
    const work = await files.createJobFolder(1);
    await writeFile(join(work, 'final.mp3'), 'a song');
    await files.importFile(join(work, 'final.mp3'), 'music/12.mp3');
    expect([await readdir(targetFolder), await readdir(work)]).toEqual([['12.mp3'], []]);
    expect((await stat(join(targetFolder, '12.mp3'))).size).toBe(6);
  });
});

/** Runs work as another user of the system, which only root can do. */
async function runAsOtherUser<T>(work: () => Promise<T>): Promise<T> {
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test.runIf(process.getuid?.() === 0)(
  'a readable file of another user can be inspected, moved and imported',
  async () => {
    const dataDir = await createFolder(tmpdir());
    await chown(dataDir, 65_534, 65_534);
    const [from, linked, moved] = ['given.mkv', 'look.mkv', 'moved.mkv'].map((name) => join(dataDir, name));
    if (from === undefined || linked === undefined || moved === undefined) throw new Error('no names');
    await writeFile(from, 'a film', { mode: 0o644 });
    await runAsOtherUser(async () => {
      await linkFile(from, linked);
      expect([await readFile(from, 'utf8'), await readFile(linked, 'utf8')]).toEqual(['a film', 'a film']);
      await moveFile(from, moved);
      await createFileStorage(dataDir).importFile(moved, 'kept/1.mkv');
    });
    expect(await readFile(join(dataDir, 'kept', '1.mkv'), 'utf8')).toBe('a film');
  },
);

test.runIf(otherDisk !== undefined && process.getuid?.() === 0)(
  'a file that cannot be removed from another disk is not duplicated',
  async () => {
    const [sourceFolder, targetFolder] = [await createFolder(tmpdir()), await createFolder(otherDisk ?? '')];
    await chown(targetFolder, 65_534, 65_534);
    await chmod(sourceFolder, 0o755);
    const from = join(sourceFolder, 'song.mp3');
    await writeFile(from, 'a song', { mode: 0o644 });
    await runAsOtherUser(() => expect(moveFile(from, join(targetFolder, '1.mp3'))).rejects.toThrow('EACCES'));
    expect([await readdir(sourceFolder), await readdir(targetFolder)]).toEqual([['song.mp3'], []]);
  },
);

test.runIf(otherDisk !== undefined)('a link is not followed to another disk', async () => {
  const [sourceFolder, targetFolder] = [await createFolder(tmpdir()), await createFolder(otherDisk ?? '')];
  await writeFile(join(sourceFolder, 'secret'), 'x');
  await symlink(join(sourceFolder, 'secret'), join(sourceFolder, 'song.mp3'));
  await expect(moveFile(join(sourceFolder, 'song.mp3'), join(targetFolder, '1.mp3'))).rejects.toThrow('ELOOP');
  expect(await readdir(targetFolder)).toEqual([]);
});
