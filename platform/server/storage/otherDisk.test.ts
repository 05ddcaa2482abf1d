import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findOtherDisk } from '#testing/temporary.ts';
import { createFileStorage, linkFile, moveFile } from './fileStorage.ts';

const otherDisk = findOtherDisk();

const createFolder = async (parent: string): Promise<string> => {
  const folder = await mkdtemp(join(parent, 'pegboard-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

describe.each([tmpdir(), ...(otherDisk === undefined ? [] : [otherDisk])])('to a folder in %s', (parent) => {
  const open = async () => {
    const [here, there] = [await createFolder(tmpdir()), await createFolder(parent)];
    const from = join(here, 'song.mp3');
    await writeFile(from, 'a song');
    return { here, there, from, to: join(there, '1.mp3') };
  };

  test('a file is moved completely, over the remains of an earlier attempt', async () => {
    const { here, there, from, to } = await open();
    await writeFile(to, 'older');
    await writeFile(join(there, '.1.mp3.part'), 'half');
    await moveFile(from, to);
    expect([await readFile(to, 'utf8'), await readdir(here)]).toEqual(['a song', []]);
  });

  test('a linked file has a second name, and keeps its first', async () => {
    const { from, there, to } = await open();
    await linkFile(from, to);
    expect([await readFile(from, 'utf8'), await readFile(to, 'utf8')]).toEqual(['a song', 'a song']);
    expect(await readdir(there)).toEqual(['1.mp3']);
  });

  test('a file that cannot be read is an error, and leaves nothing behind', async () => {
    const { from, there, to } = await open();
    await expect(moveFile(`${from}x`, to)).rejects.toThrow('ENOENT');
    await expect(linkFile(from, join(there, 'none', '1.mp3'))).rejects.toThrow('ENOENT');
    expect(await readdir(there)).toEqual([]);
  });

  test('a finished file is imported into a folder there', async () => {
    const [dataDir, there] = [await createFolder(tmpdir()), await createFolder(parent)];
    await symlink(there, join(dataDir, 'music'));
    const files = createFileStorage(dataDir);
    const work = await files.createJobFolder(1);
    await writeFile(join(work, 'final.mp3'), 'a song');
    await files.importFile(join(work, 'final.mp3'), 'music/12.mp3');
    expect([await readdir(there), await readdir(work)]).toEqual([['12.mp3'], []]);
    expect((await stat(join(there, '12.mp3'))).size).toBe(6);
  });
});

/** Runs as a user of the system who owns nothing here, which only root can do. */
const asNobody = async <T>(work: () => Promise<T>): Promise<T> => {
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
};

test.runIf(process.getuid?.() === 0)(
  'a readable file of another user can be inspected, moved and imported',
  async () => {
    const dataDir = await createFolder(tmpdir());
    await chown(dataDir, 65_534, 65_534);
    const [from, look, moved] = ['given.mkv', 'look.mkv', 'moved.mkv'].map((name) => join(dataDir, name));
    if (from === undefined || look === undefined || moved === undefined) throw new Error('no names');
    await writeFile(from, 'a film', { mode: 0o644 });
    await asNobody(async () => {
      await linkFile(from, look);
      expect([await readFile(from, 'utf8'), await readFile(look, 'utf8')]).toEqual(['a film', 'a film']);
      await moveFile(from, moved);
      await createFileStorage(dataDir).importFile(moved, 'kept/1.mkv');
    });
    expect(await readFile(join(dataDir, 'kept', '1.mkv'), 'utf8')).toBe('a film');
  },
);

test.runIf(otherDisk !== undefined && process.getuid?.() === 0)(
  'a file that cannot be removed from another disk is not duplicated',
  async () => {
    const [here, there] = [await createFolder(tmpdir()), await createFolder(otherDisk ?? '')];
    await chown(there, 65_534, 65_534);
    await chmod(here, 0o755);
    const from = join(here, 'song.mp3');
    await writeFile(from, 'a song', { mode: 0o644 });
    await asNobody(() => expect(moveFile(from, join(there, '1.mp3'))).rejects.toThrow('EACCES'));
    expect([await readdir(here), await readdir(there)]).toEqual([['song.mp3'], []]);
  },
);

test.runIf(otherDisk !== undefined)('a link is not followed to another disk', async () => {
  const [here, there] = [await createFolder(tmpdir()), await createFolder(otherDisk ?? '')];
  await writeFile(join(here, 'secret'), 'x');
  await symlink(join(here, 'secret'), join(here, 'song.mp3'));
  await expect(moveFile(join(here, 'song.mp3'), join(there, '1.mp3'))).rejects.toThrow('ELOOP');
  expect(await readdir(there)).toEqual([]);
});
