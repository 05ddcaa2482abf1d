import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openForWriting } from './inbox.ts';

const folderWith = async (...names: readonly string[]): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const paths = names.map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, 'x');
  return paths;
};

test.skipIf(process.platform !== 'linux')(
  'a file is being written while a program has it open for writing; readers and other files of its name do not count',
  async () => {
    const [written = '', read = '', elsewhere = ''] = await folderWith('a.mkv', 'b.mkv', 'c.mkv');
    const [namesake = ''] = await folderWith('b.mkv');
    const all = [written, read, elsewhere];
    for (const [path, flags] of [
      [written, 'r+'],
      [read, 'r'],
      [namesake, 'a'],
    ] as const) {
      const handle = await open(path, flags);
      onTestFinished(() => handle.close());
    }
    const handle = await open(elsewhere, 'a');
    const child = spawn('cat', { stdio: ['pipe', handle.fd, 'ignore'] });
    await once(child, 'spawn');
    await handle.close();
    expect([...(await openForWriting(all))].toSorted()).toEqual([written, elsewhere]);
    const gone = once(child, 'exit');
    child.stdin?.end();
    await gone;
    expect([...(await openForWriting(all))]).toEqual([written]);
  },
);
