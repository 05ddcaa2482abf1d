import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ProcessResult, ProcessRequest } from '#platform/server/programs/childProcesses.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createTranscoder } from './transcoder.ts';

const END: ProcessResult = { exceededLimit: undefined, exitCode: 0, signal: undefined, output: '', errorOutput: '' };

interface Run {
  /** Ends ffmpeg after it has written this many bytes. */
  readonly end: (bytes: number) => Promise<void>;
  readonly fail: () => void;
}

/** Conversions that a test ends, in a real folder. */
async function openConversions(cacheLimits?: { readonly files: number; readonly bytes: number }) {
  const folder = await createTempFolder();
  const runs: Run[] = [];
  function run({ args, signal }: ProcessRequest): Promise<ProcessResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ProcessResult>();
    signal?.addEventListener('abort', () => reject(new Error('aborted', { cause: signal.reason })));
    runs.push({
      end: async (bytes) => {
        await writeFile(join(folder, args.at(-1) ?? ''), Buffer.alloc(bytes, 1));
        resolve(END);
      },
      fail: () => resolve({ ...END, exitCode: 1 }),
    });
    return promise;
  }
  const transcoder = createTranscoder({
    processRunner: { run },
    ffmpeg: async () => 'ffmpeg',
    files: { withLocalFile: (name, work) => work(name), createScratchFolder: async () => folder },
    disk: { canStoreFiles: () => true },
    ...(cacheLimits && { cacheLimits }),
  });
  const convertToFlac = (id: number) => transcoder.convertToFlac({ id, crc: 1 }, `/songs/${id}`);
  const started = (count: number) => expect.poll(() => runs.length).toBe(count);
  /** Converts a song to a file of this size. */
  async function convert(id: number, bytes: number) {
    const flac = convertToFlac(id);
    await started(runs.length + 1);
    await runs.at(-1)?.end(bytes);
    return flac;
  }
  return { transcoder, runs, convertToFlac, started, convert, listNames: () => readdir(folder) };
}

test('a conversion whose song is deleted lets the next one start, and the server continues', async () => {
  const { transcoder, runs, convertToFlac, started, listNames } = await openConversions();
  const one = convertToFlac(1);
  await started(1);
  const two = convertToFlac(2);
  await started(2);
  const three = convertToFlac(3);
  await nextTurn();
  expect(runs).toHaveLength(2);
  await transcoder.remove(1);
  await nextTurn();
  expect(await one).toBeUndefined();
  await started(3);
  await runs[1]?.end(10);
  await runs[2]?.end(20);
  expect((await two)?.size).toBe(10);
  expect((await three)?.size).toBe(20);
  expect(await listNames()).toHaveLength(2);
});

test('a conversion that fails lets the next one start', async () => {
  const { runs, convertToFlac, started } = await openConversions();
  const one = convertToFlac(1);
  await started(1);
  const two = convertToFlac(2);
  await started(2);
  const three = convertToFlac(3);
  runs[0]?.fail();
  expect(await one).toBeUndefined();
  await started(3);
  for (const run of runs.slice(1)) await run.end(5);
  expect([(await two)?.size, (await three)?.size]).toEqual([5, 5]);
});

test('a song that is requested again while its removed conversion ends gets a new file', async () => {
  const { transcoder, runs, convertToFlac, started, listNames } = await openConversions();
  const before = convertToFlac(1);
  await started(1);
  const removal = transcoder.remove(1);
  const after = convertToFlac(1);
  await removal;
  expect(await before).toBeUndefined();
  await started(2);
  await runs[1]?.end(7);
  expect((await after)?.size).toBe(7);
  expect(await listNames()).toHaveLength(1);
});

test('the cache stays within its limits and keeps the most recently used files', async () => {
  const { convert, convertToFlac, runs, listNames } = await openConversions({ files: 3, bytes: 100 });
  for (const id of [1, 2, 3]) await convert(id, 40);
  expect(await listNames()).toHaveLength(2);
  expect((await convertToFlac(3))?.size).toBe(40);
  expect((await convertToFlac(2))?.size).toBe(40);
  expect(runs).toHaveLength(3);
  // A file that exceeds the whole cache can still be sent.
  expect((await convert(4, 400))?.size).toBe(400);
  expect(await listNames()).toHaveLength(1);
  for (const id of [5, 6, 7, 8]) await convert(id, 1);
  expect((await listNames()).length).toBeLessThanOrEqual(3);
});
