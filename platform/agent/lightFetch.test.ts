import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { call as declareCall } from '#platform/contract/call.ts';
import { createClient, type Client } from '#platform/contract/client.ts';
import { lightFetch } from './lightFetch.ts';

const greet = declareCall({
  route: 'POST /api/greet',
  summary: 'For this test.',
  access: 'device',
  request: z.object({ name: z.string() }),
  answer: z.object({ greeting: z.string() }),
});

async function createTestClient(answer: RequestListener, signal?: () => AbortSignal): Promise<Client> {
  const server = createServer(answer);
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createClient({ origin, token: () => 'pgd_test', fetch: lightFetch, ...(signal ? { signal } : {}) });
}

test('a call is sent completely with its token, and its answer is returned', async () => {
  const name = 'Jürgen 👋'.repeat(10_000);
  const call = await createTestClient((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.once('end', () => {
      const received = JSON.parse(Buffer.concat(chunks).toString()) as { readonly name: string };
      response.setHeader('content-type', 'application/json');
      const { authorization, 'content-length': length } = request.headers;
      response.end(JSON.stringify({ message: 'ok', greeting: `${authorization} ${length} ${received.name}` }));
    });
  });
  const length = Buffer.byteLength(JSON.stringify({ name }));
  expect((await call(greet, { name })).greeting).toBe(`Bearer pgd_test ${length} ${name}`);
});

test('a server that is unreachable, breaks off or does not answer in time has not answered', async () => {
  const callBroken = await createTestClient((request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"mess', () => request.destroy());
  });
  await expect(callBroken(greet, { name: 'x' })).rejects.toMatchObject({ name: 'CallError', status: 0 });
  const callSilent = await createTestClient(
    () => undefined,
    () => AbortSignal.timeout(50),
  );
  await expect(callSilent(greet, { name: 'x' })).rejects.toMatchObject({ name: 'CallError', status: 0 });
  const callBadGateway = await createTestClient((_, response) => response.writeHead(502).end('<html>'));
  await expect(callBadGateway(greet, { name: 'x' })).rejects.toMatchObject({ name: 'CallError', status: 502 });
  const callUnreachable = createClient({ origin: 'http://127.0.0.1:1', fetch: lightFetch });
  await expect(callUnreachable(greet, { name: 'x' })).rejects.toMatchObject({ name: 'CallError', status: 0 });
});
