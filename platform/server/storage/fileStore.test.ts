import { randomBytes } from 'node:crypto';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RangedFile } from '#platform/contract/call.ts';
import { listenLocally } from '#testing/kits/server/localServer.ts';
import { startS3Server, TEST_BUCKET } from '#testing/kits/server/s3Server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createLogger } from '../operations/logger.ts';
import { isDiskFullError } from './diskFullError.ts';
import { createFileStorage, type FileStorage } from './fileStorage.ts';
import { createStoredPart, FileNotFoundError, FileStoreError, openRangedFile, readStoredFile } from './fileStore.ts';
import { createS3FileStore } from './s3FileStore.ts';
import { createS3Store, type S3Access } from './s3Store.ts';

interface TestFiles {
  readonly files: FileStorage;
  readonly dataDir: string;
  /** Stores a file under a name. */
  readonly store: (name: string, content: Uint8Array | string) => Promise<void>;
}

async function createTestFiles(access?: S3Access): Promise<TestFiles> {
  const dataDir = await createTempFolder();
  const remote = access && {
    folders: ['music'],
    create: (createScratchFolder: FileStorage['createScratchFolder']) =>
      createS3FileStore({
        store: createS3Store({ ...access, bucket: TEST_BUCKET, prefix: 'home', retryDelayMs: 1 }),
        createScratchFolder,
        log: createLogger({ level: 'silent' }),
      }),
  };
  const files = createFileStorage(dataDir, { remote });
  async function store(name: string, content: Uint8Array | string): Promise<void> {
    const path = join(dataDir, 'finished');
    await writeFile(path, content);
    await files.importFile(path, name);
  }
  return { files, dataDir, store };
}

async function readRange(file: RangedFile | undefined, from: number, to: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file?.read({ from, to }) ?? []) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function startTestS3(): Promise<S3Access> {
  const server = await startS3Server(await createTempFolder());
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.access;
}

const kinds: readonly (readonly [kind: string, create: () => Promise<TestFiles>])[] = [
  ['a folder', () => createTestFiles()],
  ['a bucket', async () => createTestFiles(await startTestS3())],
];

describe.each(kinds)('in %s', (_, create) => {
  test('a finished file is imported, found, listed, renamed and removed', async () => {
    const { files, dataDir, store } = await create();
    expect([await files.list('music'), await files.find('music/1.mp3')]).toEqual([[], undefined]);
    await store('music/1.mp3', 'a song');
    await store('music/uploads/1', 'not finished');
    expect(await readdir(dataDir)).not.toContain('finished');
    const first = await files.find('music/1.mp3');
    expect(first).toEqual({ size: 6, version: expect.any(String) });
    expect([await files.list('music'), await files.list('music/uploads')]).toEqual([
      ['music/1.mp3'],
      ['music/uploads/1'],
    ]);
    await store('music/1-next.mp3', 'another song');
    await files.rename('music/1-next.mp3', 'music/1.mp3');
    const second = await files.find('music/1.mp3');
    expect([second?.size, second?.version === first?.version]).toEqual([12, false]);
    await expect(files.importFile(join(dataDir, 'music'), 'music/2.mp3')).rejects.toThrow('no plain file');
    await symlink('/etc/passwd', join(dataDir, 'link'));
    await expect(files.importFile(join(dataDir, 'link'), 'music/2.mp3')).rejects.toThrow('no plain file');
    expect(() => files.find('../outside')).toThrow('no name of ours');
    await files.remove('music/1.mp3');
    await files.remove('music/1.mp3');
    expect(await files.list('music')).toEqual([]);
  });

  test('any range is read, and a wrong size or a missing file is an error', async () => {
    const { files, store } = await create();
    const content = randomBytes(900_000);
    await store('music/1.mp3', content);
    const file = await openRangedFile(files, 'music/1.mp3');
    expect(file?.size).toBe(900_000);
    for (const [from, to] of [
      [0, 899_999],
      [400_000, 400_099],
      [899_999, 899_999],
      [300_000, 899_999],
    ] as const)
      expect((await readRange(file, from, to)).equals(content.subarray(from, to + 1))).toBe(true);
    expect(await openRangedFile(files, 'music/2.mp3')).toBeUndefined();
    const read = (name: string, size: number) => buffer(readStoredFile(files, [name], size));
    expect((await read('music/1.mp3', 900_000)).equals(content)).toBe(true);
    for (const [name, size] of [
      ['music/1.mp3', 899_999],
      ['music/1.mp3', 900_001],
      ['music/2.mp3', 3],
    ] as const)
      await expect(read(name, size)).rejects.toThrow(FileNotFoundError);
    await store('music/2.mp3', '');
    expect(await read('music/2.mp3', 0)).toHaveLength(0);
    // The file of the right size counts, such as the one with new tags.
    const part = createStoredPart(files, ['music/2.mp3', 'music/1.mp3'], 900_000);
    const reader = 'open' in part ? await part.open({ from: 5, to: 9 }) : undefined;
    const target = Buffer.alloc(5);
    expect(await reader?.read(target, 0, 5, 5)).toMatchObject({ bytesRead: 5 });
    await reader?.close();
    expect(target.equals(content.subarray(5, 10))).toBe(true);
  });

  test('a program gets a path, and a temporary copy is removed afterwards', async () => {
    const { files, dataDir, store } = await create();
    await store('music/1.mp3', 'a song');
    const paths: string[] = [];
    const content = await files.withLocalFile('music/1.mp3', (path) => {
      paths.push(path);
      return readFile(path, 'utf8');
    });
    expect([content, paths[0]?.endsWith('1.mp3')]).toEqual(['a song', true]);
    await expect(files.withLocalFile('music/2.mp3', readFile)).rejects.toThrow(FileNotFoundError);
    const copies = await readdir(join(dataDir, 'work', 'copies')).catch(() => []);
    expect([copies, await files.getSize('music/1.mp3')]).toEqual([[], 6]);
  });
});

test('files of a bucket have no path in the data folder', async () => {
  const { files } = await createTestFiles(await startTestS3());
  expect(() => files.getPath('music/1.mp3')).toThrow('not in the data folder');
  expect(files.getPath('music/uploads')).toContain('uploads');
});

test('a file that is replaced or deleted while it is read never continues with other content', async () => {
  const access = await startTestS3();
  const { files, store } = await createTestFiles(access);
  const content = randomBytes(3_000_000);
  await store('music/1.mp3', content);
  const reader = await files.open('music/1.mp3', { from: 0, to: 2_999_999 });
  const target = Buffer.alloc(3_000_000);
  let filled = (await reader?.read(target, 0, 1000, 0))?.bytesRead ?? 0;
  await files.remove('music/1.mp3');
  await store('music/1.mp3', randomBytes(3_000_000));
  let error: unknown;
  try {
    for (let count = 1; count > 0 && filled < target.length; filled += count)
      count = (await reader?.read(target, filled, target.length - filled, filled))?.bytesRead ?? 0;
  } catch (caught) {
    error = caught;
  }
  await reader?.close();
  // The rest arrives if the server has opened the file; otherwise reading fails.
  expect(target.subarray(0, filled).equals(content.subarray(0, filled))).toBe(true);
  expect(filled === content.length || error instanceof FileStoreError).toBe(true);
});

/** Starts a server that answers every request with an error of S3. */
async function startRefusing(status: number, code: string): Promise<S3Access> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<Error><Code>${code}</Code><Message>no</Message></Error>`);
  });
  const local = await listenLocally(server);
  onTestFinished(() => local[Symbol.asyncDispose]());
  return { endpoint: local.origin, region: 'us-east-1', accessKey: 'key', secretKey: 'secret' };
}

test.each([
  [403, 'QuotaExceeded', true],
  [507, 'XMinioStorageFull', true],
  [403, 'AccessDenied', false],
  [404, 'NoSuchBucket', false],
])('a bucket that answers %i %s loses no file, and counts as a full disk: %s', async (status, code, isFull) => {
  const { files, store, dataDir } = await createTestFiles(await startRefusing(status, code));
  const error: unknown = await store('music/1.mp3', 'a song').catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(FileStoreError);
  expect(isDiskFullError(error)).toBe(isFull);
  expect(await readFile(join(dataDir, 'finished'), 'utf8')).toBe('a song');
  // Otherwise the songs would be marked as missing.
  await expect(files.find('music/1.mp3')).rejects.toThrow(FileStoreError);
  await expect(files.open('music/1.mp3', { from: 0, to: 5 })).rejects.toThrow(FileStoreError);
});
