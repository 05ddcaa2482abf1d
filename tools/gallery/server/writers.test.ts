import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { findOpenForWriting } from './inbox.ts';

async function createFiles(...names: readonly string[]): Promise<readonly string[]> {
  const folder = await createTempFolder();
  const paths = names.map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, 'x');
  return paths;
}

test.skipIf(process.platform !== 'linux')(
  'a file counts as open for writing while a program can write to it; readers and namesakes do not count',
  async () => {
    const [written = '', read = '', elsewhere = ''] = await createFiles('a.mkv', 'b.mkv', 'c.mkv');
    const [namesake = ''] = await createFiles('b.mkv');
    const paths = [written, read, elsewhere];
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
    expect([...(await findOpenForWriting(paths))].toSorted()).toEqual([written, elsewhere]);
    const exited = once(child, 'exit');
    child.stdin?.end();
    await exited;
    expect([...(await findOpenForWriting(paths))]).toEqual([written]);
  },
);
