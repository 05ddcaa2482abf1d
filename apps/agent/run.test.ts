import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { computeDigest, installUpdate, computeOwnDigest } from './run.ts';

const NEWER_AGENT = 'process.stdout.write("newer")';

async function serveFile(content: string, status = 200): Promise<string> {
  const http = createServer((_, response) => response.writeHead(status).end(content));
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  onTestFinished(() => void http.close());
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}
function createInstalledAgent(): { readonly folder: string; readonly file: string } {
  const folder = createTempFolderSync();
  const file = join(folder, 'agent.mjs');
  writeFileSync(file, 'older');
  return { folder, file };
}

test('the newer agent replaces the older one', async () => {
  const { folder, file } = createInstalledAgent();
  await installUpdate(await serveFile(NEWER_AGENT), computeDigest(Buffer.from(NEWER_AGENT)), file);
  expect(readFileSync(file, 'utf8')).toBe(NEWER_AGENT);
  expect(computeOwnDigest(file)).toBe(computeDigest(Buffer.from(NEWER_AGENT)));
  expect(readdirSync(folder)).toEqual(['agent.mjs']);
});

test('a download that differs from the announced digest is not installed', async () => {
  const { file } = createInstalledAgent();
  await expect(
    installUpdate(await serveFile('tampered'), computeDigest(Buffer.from(NEWER_AGENT)), file),
  ).rejects.toThrow('was not installed');
  await expect(installUpdate(await serveFile('', 404), computeDigest(Buffer.from(NEWER_AGENT)), file)).rejects.toThrow(
    'status 404',
  );
  expect(readFileSync(file, 'utf8')).toBe('older');
});

test('an agent that runs from its sources has no digest', () => {
  expect(computeOwnDigest(import.meta.filename)).toBeUndefined();
});
