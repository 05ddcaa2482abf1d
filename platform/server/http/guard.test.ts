import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { loadOrCreateAuthority } from '../https/authority.ts';
import { issueLeafCertificate } from '../https/ownHttps.ts';
import { createLogger } from '../operations/logger.ts';
import { createConnectionLimiter } from './guard.ts';
import { createHttpServer, closeHttpServer } from './httpServer.ts';
import { createRateLimiter, RateLimitError } from './rateLimiter.ts';

// In milliseconds; far longer than a busy machine delays the first bytes of a client.
const SHORT_TIMEOUTS = { headersTimeout: 4000, requestTimeout: 5000, connectionsCheckingInterval: 20 };

async function startTestServer() {
  const { http } = await createHttpServer({
    log: createLogger({ level: 'silent' }),
    rateLimiter: createRateLimiter({ isOn: true }),
    identity: { hasOwner: async () => true },
    timeouts: SHORT_TIMEOUTS,
  });
  http.post('/take', async () => ({ taken: true }));
  await http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = http.server.address() as AddressInfo;
  return { http, port, [Symbol.asyncDispose]: () => closeHttpServer(http) };
}

test('a client that never completes its headers gets an error and is cut', async () => {
  await using server = await startTestServer();
  const slow = connect(server.port, '127.0.0.1');
  slow.write('POST /take HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 .*"message":"The request took too long"/s);
});

test('a client that never completes its body is cut', async () => {
  await using server = await startTestServer();
  const slow = connect(server.port, '127.0.0.1');
  slow.write('POST /take HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{');
  expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 /);
});

test('the timeouts for slow clients are as documented', async () => {
  const { http } = await createHttpServer({
    log: createLogger({ level: 'silent' }),
    rateLimiter: createRateLimiter({ isOn: true }),
    identity: { hasOwner: async () => true },
  });
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections } = http.server;
  expect({ headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections }).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 120_000,
    keepAliveTimeout: 65_000,
    timeout: 75_000,
    maxConnections: 2000,
  });
  await http.close();
});

test('connections per address are limited, and closing one frees a place', async () => {
  const server = createServer((_request, response) => response.end('welcome'));
  // This computer may have ten times as many.
  createConnectionLimiter({ isTrustedProxy: () => false, maxPerAddress: 1 })(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  async function open(): Promise<{ readonly client: Socket; readonly peer: Socket }> {
    const connected = once(server, 'connection');
    const client = connect(port, '127.0.0.1');
    const [peer] = (await connected) as [Socket];
    return { client, peer };
  }
  const pairs = [];
  for (let count = 0; count < 10; count += 1) pairs.push(await open());
  const rejected = await open();
  await once(rejected.client, 'close');

  const [first] = pairs;
  if (!first) throw new Error('no connection was opened');
  first.client.destroy();
  await once(first.peer, 'close');
  const next = await open();
  next.client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await text(next.client)).toContain('welcome');
  for (const { client } of pairs) client.destroy();
  server.close();
});

test('two listeners share the connection limits per address and in total', async () => {
  const firstServer = createServer();
  const secondServer = createServer();
  const limit = createConnectionLimiter({ isTrustedProxy: () => true, maxTotal: 2 });
  for (const server of [firstServer, secondServer]) {
    limit(server);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  }
  async function open(server: typeof firstServer): Promise<Socket> {
    const connected = once(server, 'connection');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await connected;
    return client;
  }
  const clients = [await open(firstServer), await open(secondServer)];
  const rejected = await open(secondServer);
  await once(rejected, 'close');
  for (const client of clients) client.destroy();
  firstServer.close();
  secondServer.close();
});

test('slow clients are cut over HTTPS too, during the handshake and after it', async () => {
  const dataDir = await createTempFolder();
  const now = Temporal.Now.instant();
  const { authority } = await loadOrCreateAuthority({ dataDir, now, hostname: 'raspi', publicHosts: [] });
  const { http, createHttpsServer } = await createHttpServer({
    log: createLogger({ level: 'silent' }),
    rateLimiter: createRateLimiter({ isOn: true }),
    identity: { hasOwner: async () => true },
    timeouts: SHORT_TIMEOUTS,
  });
  const secure = createHttpsServer(issueLeafCertificate(authority, ['localhost'], now));
  expect(secure).toMatchObject({ keepAliveTimeout: 65_000, timeout: 75_000, maxConnections: 2000 });
  await http.listen({ port: 0, host: '127.0.0.1' });
  await new Promise<void>((resolve) => void secure.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => closeHttpServer(http, { secure }));
  const { port } = secure.address() as AddressInfo;

  const plain = connect(port, '127.0.0.1').on('error', () => undefined);
  plain.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(plain.resume(), 'close');
  const silent = connect(port, '127.0.0.1');
  const slow = connectTls({ port, host: '127.0.0.1', ca: authority.certificate.toString(), servername: 'localhost' });
  slow.write('POST /take HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  const [response] = await Promise.all([text(slow), once(silent.resume(), 'close')]);
  expect(response).toMatch(/^HTTP\/1\.1 408 .*"message":"The request took too long"/s);
});

test('rates per minute are counted per half minute, so that callers wait for at most 30 s', async () => {
  const rateLimiter = createRateLimiter({ isOn: true });
  const rate = { times: 10, seconds: 60 };
  for (let count = 0; count < 5; count += 1) await rateLimiter.consume('calls', 'ann', rate);
  const refused: unknown = await rateLimiter.consume('calls', 'ann', rate).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RateLimitError);
  expect(refused instanceof RateLimitError && refused.retryAfterSeconds).toBeLessThanOrEqual(30);
  await rateLimiter.consume('calls', 'bob', rate);
  await rateLimiter.consume('other calls', 'ann', rate);
});

test('RATE_LIMITS=off disables all rates', async () => {
  const rateLimiter = createRateLimiter({ isOn: false });
  for (let count = 0; count < 100; count += 1) await rateLimiter.consume('calls', 'ann', { times: 1, seconds: 3600 });
});
