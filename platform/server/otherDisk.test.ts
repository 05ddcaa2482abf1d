import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeFiles } from './files.ts';
import { linkFile, moveFile } from './otherDisk.ts';

/** Memory that the system shows as a disk. */
const OTHER_DISK = '/dev/shm';
const hasOther = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;

const folderIn = async (parent: string): Promise<string> => {
  const folder = await mkdtemp(join(parent, 'pegboard-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

describe.each(hasOther ? [tmpdir(), OTHER_DISK] : [tmpdir()])('to a folder in %s', (parent) => {
  const open = async () => {
    const [here, there] = [await folderIn(tmpdir()), await folderIn(parent)];
    const from = join(here, 'song.mp3');
    await writeFile(from, 'a song');
    return { here, there, from, to: join(there, '1.mp3') };
  };

  test('a file is moved whole, over what an earlier try left', async () => {
    const { here, there, from, to } = await open();
    await writeFile(to, 'older');
    await writeFile(join(there, '.1.mp3.part'), 'half');
    await moveFile(from, to);
    expect([await readFile(to, 'utf8'), await readdir(here)]).toEqual(['a song', []]);
  });

  test('a file has a second name, and keeps its first', async () => {
    const { from, there, to } = await open();
    await linkFile(from, to);
    expect([await readFile(from, 'utf8'), await readFile(to, 'utf8')]).toEqual(['a song', 'a song']);
    expect(await readdir(there)).toEqual(['1.mp3']);
  });

  test('what cannot be had is an error, and nothing is left of it', async () => {
    const { from, there, to } = await open();
    await expect(moveFile(`${from}x`, to)).rejects.toThrow('ENOENT');
    await expect(linkFile(from, join(there, 'none', '1.mp3'))).rejects.toThrow('ENOENT');
    expect(await readdir(there)).toEqual([]);
  });

  test('a finished file is placed in a folder that lies there', async () => {
    const [dataDir, there] = [await folderIn(tmpdir()), await folderIn(parent)];
    await symlink(there, join(dataDir, 'music'));
    const files = makeFiles(dataDir);
    const work = await files.workdir(1);
    await writeFile(join(work, 'final.mp3'), 'a song');
    await files.place(join(work, 'final.mp3'), 'music/12.mp3');
    expect([await readdir(there), await readdir(work)]).toEqual([['12.mp3'], []]);
    expect((await stat(join(there, '12.mp3'))).size).toBe(6);
  });
});

test.runIf(hasOther)('a link is not followed to another disk', async () => {
  const [here, there] = [await folderIn(tmpdir()), await folderIn(OTHER_DISK)];
  await writeFile(join(here, 'secret'), 'x');
  await symlink(join(here, 'secret'), join(here, 'song.mp3'));
  await expect(moveFile(join(here, 'song.mp3'), join(there, '1.mp3'))).rejects.toThrow('ELOOP');
  expect(await readdir(there)).toEqual([]);
});
