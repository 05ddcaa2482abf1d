import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RangedFile } from '#platform/contract/call.ts';
import { createLogger } from '../operations/logger.ts';
import { registerEndpoints } from './endpoint.ts';
import { createHttpServer, closeHttpServer } from './httpServer.ts';
import { type BytePart, createRangedFile } from './rangedParts.ts';
import { createRateLimiter } from './rateLimiter.ts';

async function createScratchFolder() {
  const path = await mkdtemp(join(tmpdir(), 'pegboard-ranged-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const createBytes = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, index) => (index * 31 + (index >> 8)) % 251));

const createFilePart = (path: string, size: number): BytePart => ({ size, open: () => open(path, 'r') });

async function readAll(body: RangedFile, from = 0, to = body.size - 1): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body.read({ from, to })) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

test('any range of parts in files and memory is the same slice of their concatenation', async () => {
  await using folder = await createScratchFolder();
  const all = createBytes(700_000);
  const [first, second] = [join(folder.path, 'a'), join(folder.path, 'b')];
  await writeFile(first, all.subarray(10, 600_000));
  await writeFile(second, all.subarray(600_003, 600_004));
  const body = createRangedFile(
    [
      { bytes: all.subarray(0, 10) },
      createFilePart(first, 599_990),
      { bytes: new Uint8Array() },
      { bytes: all.subarray(600_000, 600_003) },
      createFilePart(second, 1),
      { bytes: all.subarray(600_004) },
    ],
    'tag',
  );
  expect([body.size, body.etag]).toEqual([700_000, '"tag"']);
  expect((await readAll(body)).equals(all)).toBe(true);
  const edge = fc.oneof(fc.nat({ max: 699_999 }), fc.integer({ min: 599_985, max: 600_010 }), fc.nat({ max: 20 }));
  await fc.assert(
    fc.asyncProperty(edge, edge, async (one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      expect((await readAll(body, from, to)).equals(all.subarray(from, to + 1))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

/** Starts a server with one file at `/file`. */
async function startFileServer(body: RangedFile) {
  const lines: string[] = [];
  const { http } = await createHttpServer({
    log: createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } }),
    rateLimiter: createRateLimiter({ isOn: true }),
    identity: { hasOwner: async () => true },
  });
  const headers = { 'content-type': 'audio/mpeg' };
  await registerEndpoints(http, [
    { methods: ['GET', 'HEAD'], path: '/file', run: async () => ({ status: 200, headers, body }) },
  ]);
  const origin = await http.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${origin}/file`, lines, [Symbol.asyncDispose]: () => closeHttpServer(http) };
}

test('a file is sent whole, by range, or as not modified', async () => {
  const all = createBytes(1000);
  await using server = await startFileServer(createRangedFile([{ bytes: all }], 'tag'));
  async function sendRequest(headers: Record<string, string> = {}, method = 'GET') {
    const response = await fetch(server.url, { method, headers });
    const read = Buffer.from(await response.arrayBuffer());
    const headerValues = ['content-range', 'content-length', 'etag'].map((name) => response.headers.get(name));
    return [response.status, read.toString('latin1'), ...headerValues];
  }
  const text = all.toString('latin1');
  expect(await sendRequest()).toEqual([200, text, null, '1000', '"tag"']);
  expect(await sendRequest({ range: 'bytes=990-' })).toEqual([
    206,
    text.slice(990),
    'bytes 990-999/1000',
    '10',
    '"tag"',
  ]);
  expect(await sendRequest({ range: 'bytes=990-', 'if-range': '"tag"' })).toEqual([
    206,
    text.slice(990),
    'bytes 990-999/1000',
    '10',
    '"tag"',
  ]);
  expect(await sendRequest({ range: 'bytes=990-', 'if-range': '"old"' })).toEqual([200, text, null, '1000', '"tag"']);
  expect((await sendRequest({ range: 'bytes=1000-' })).slice(0, 3)).toEqual([416, '', 'bytes */1000']);
  expect((await sendRequest({ 'if-none-match': '"tag"' })).slice(0, 2)).toEqual([304, '']);
  expect(await sendRequest({}, 'HEAD')).toEqual([200, '', null, '1000', '"tag"']);
  expect(server.lines.filter((line) => line.includes('"status":206'))).toHaveLength(2);
});

test('a file that became shorter cuts the connection, so that it does not look complete', async () => {
  await using folder = await createScratchFolder();
  const path = join(folder.path, 'song');
  await writeFile(path, createBytes(3_000_000));
  const body = createRangedFile([createFilePart(path, 3_000_000)], 'tag');
  await using server = await startFileServer(body);
  expect((await (await fetch(server.url)).arrayBuffer()).byteLength).toBe(3_000_000);
  await truncate(path, 1_000_000);
  const response = await fetch(server.url);
  expect(response.headers.get('content-length')).toBe('3000000');
  await expect(response.arrayBuffer()).rejects.toThrow();
  await expect.poll(() => server.lines.some((line) => line.includes('http.file.interrupted'))).toBe(true);
});

test('a reader that disconnects closes the file, and is not logged as a fault', async () => {
  await using folder = await createScratchFolder();
  const path = join(folder.path, 'song');
  await writeFile(path, createBytes(8_000_000));
  const closed = Promise.withResolvers<void>();
  const part: BytePart = {
    size: 8_000_000,
    open: async () => {
      const handle = await open(path, 'r');
      const close = handle.close.bind(handle);
      handle.close = async () => {
        await close();
        closed.resolve();
      };
      return handle;
    },
  };
  await using server = await startFileServer(createRangedFile([part], 'tag'));
  const controller = new AbortController();
  const response = await fetch(server.url, { signal: controller.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  controller.abort();
  await closed.promise;
  expect(server.lines.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
});
