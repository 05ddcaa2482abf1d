import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { isMediaFailure } = await loadWithWindow(() => import('./songAddresses.ts'));

async function serve(status: number) {
  const server = createServer((_, answer) => answer.writeHead(status).end('x'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => server.close(resolve));
  onTestFinished(async () => void (await close()));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/song`, close };
}

test.each([
  ['aborted', 1, 206, false],
  ['the line', 2, 206, false],
  ['decoding', 3, 206, true],
  ['not supported, and it comes', 4, 206, true],
  ['not supported, and it comes whole', 4, 200, true],
  ['not supported, and the address has run out', 4, 403, false],
  ['not supported, and the song is gone', 4, 404, false],
  ['not supported, and the server has a fault', 4, 500, false],
  ['no reason', undefined, 206, false],
] as const)('a failure of the media is told from another one: %s', async (_, code, status, isMedia) => {
  const { address } = await serve(status);
  expect(await isMediaFailure(code, address)).toBe(isMedia);
});

test('an interrupted connection is not a media failure, whatever the browser reports', async () => {
  const { address, close } = await serve(200);
  await close();
  expect(await isMediaFailure(4, address)).toBe(false);
});
