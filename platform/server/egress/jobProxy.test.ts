import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer, startTcpServer } from '#testing/kits/server/localServers.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { type EgressOptions, createEgress } from './createEgress.ts';
import type { ProxyLimits, ProxyFault } from './egress.ts';

async function openTestProxy(options: EgressOptions, limits: Partial<ProxyLimits> = {}) {
  const proxy = await createEgress(options).openJobProxy({ maxBytes: 1_000_000, ...limits });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

/** Sends a request like a program that uses a proxy. */
const sendThroughProxy = (proxy: string, address: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ status: number; headers: object; body: string }>((resolve, reject) => {
    const { port } = new URL(proxy);
    const request = httpRequest(
      { port, path: address, headers: { host: 'wrong.example', ...headers }, agent: false },
      (response) => {
        response.toArray().then(
          (chunks) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks as Buffer[]).toString(),
            }),
          reject,
        );
      },
    );
    request.on('error', reject).end();
  });

async function sendRaw(proxy: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(proxy).port), '127.0.0.1');
  socket.end(text);
  return Buffer.concat(await socket.toArray()).toString();
}

test('requests to allowed targets are forwarded unchanged, without headers for the proxy itself', async () => {
  let received: object = {};
  const host = await startHttpServer((request, response) => {
    received = { url: request.url, ...request.headers };
    response.writeHead(206, { 'content-range': 'bytes 2-4/9', 'set-cookie': ['a=1', 'b=2'] }).end('cde');
  });
  const proxy = await openTestProxy({ allow: [host] });
  const response = await sendThroughProxy(proxy.address, `http://${host}/a%20b?c=d`, {
    range: 'bytes=2-4',
    'proxy-authorization': 'Basic x',
    'proxy-connection': 'keep-alive',
  });
  expect(response).toMatchObject({
    status: 206,
    headers: { 'content-range': 'bytes 2-4/9', 'set-cookie': ['a=1', 'b=2'] },
    body: 'cde',
  });
  expect(received).toMatchObject({ url: '/a%20b?c=d', host, range: 'bytes=2-4' });
  expect(Object.keys(received).filter((name) => name.startsWith('proxy-'))).toEqual([]);
  expect(proxy.getReceivedBytes()).toBeGreaterThan(3);
  expect(proxy.getFaults()).toEqual([]);
});

test('a tunnel transfers both directions to the checked address', async () => {
  const host = await startTcpServer((socket) => socket.on('data', (chunk) => socket.end(`heard ${chunk.toString()}`)));
  const { port } = new URL(`http://${host}`);
  const proxy = await openTestProxy({
    allow: [host],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const socket = connect(Number(new URL(proxy.address).port), '127.0.0.1');
  socket.write(`CONNECT songs.example:${port} HTTP/1.1\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write('hello');
  expect(Buffer.concat(await socket.toArray()).toString()).toBe('heard hello');
});

test('forbidden ports and unknown names are recorded as faults', async () => {
  const host = await startHttpServer((_request, response) => response.end());
  const proxy = await openTestProxy({
    allow: [host],
    resolve: async (name) => (name === 'odd.example' ? [{ address: '93.184.216.34', family: 4 }] : []),
  });
  expect((await sendThroughProxy(proxy.address, 'http://127.0.0.1:1/')).status).toBe(403);
  expect((await sendThroughProxy(proxy.address, 'http://odd.example:22/')).status).toBe(403);
  expect((await sendThroughProxy(proxy.address, 'http://nowhere.example/')).status).toBe(403);
  expect(proxy.getFaults()).toEqual([
    { fault: 'inner', host: '127.0.0.1' },
    { fault: 'port', host: 'odd.example' },
    { fault: 'unreached', host: 'nowhere.example' },
  ]);
});

test('a name that the operator allows with a port works at any address, but at no other port', async () => {
  const host = await startHttpServer((_request, response) => response.end('at home'));
  const { port } = new URL(`http://${host}`);
  const proxy = await openTestProxy({
    allow: [`nas.home:${port}`],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  expect((await sendThroughProxy(proxy.address, `http://NAS.home:${port}/`)).body).toBe('at home');
  const refused = [
    `http://nas.home:80/`,
    `http://other.home:${port}/`,
    `http://127.0.0.1:${port}/`,
    `http://x.nas.home:${port}/`,
  ];
  for (const address of refused) expect((await sendThroughProxy(proxy.address, address)).status).toBe(403);
  expect(proxy.getFaults().map(({ fault }) => fault)).toEqual(refused.map(() => 'inner'));
});

test('a name with public and private addresses is refused', async () => {
  const host = await startHttpServer((_request, response) => response.end('inside'));
  const { port } = new URL(`http://${host}`);
  const addresses: Record<string, readonly string[]> = {
    'mixed.example': ['93.184.216.34', '10.0.0.1'],
    'inner-first.example': ['::1', '2606:2800:220:1::1'],
    'allowed.example': ['127.0.0.1', '127.0.0.1'],
  };
  const proxy = await openTestProxy({
    allow: [host],
    resolve: async (name) =>
      (addresses[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });
  for (const name of ['mixed.example', 'inner-first.example'])
    expect((await sendThroughProxy(proxy.address, `http://${name}/`)).status).toBe(403);
  expect(proxy.getFaults().map(({ fault }) => fault)).toEqual(['inner', 'inner']);
  expect((await sendThroughProxy(proxy.address, `http://allowed.example:${port}/`)).body).toBe('inside');
});

test('a name that changes its address is connected to the checked one', async () => {
  const host = await startHttpServer((_request, response) => response.end('there'));
  const { port } = new URL(`http://${host}`);
  let lookupCount = 0;
  const proxy = await openTestProxy({
    allow: [host],
    resolve: async () => [{ address: (lookupCount += 1) === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }],
  });
  expect((await sendThroughProxy(proxy.address, `http://rebinding.example:${port}/`)).body).toBe('there');
  expect((await sendThroughProxy(proxy.address, `http://rebinding.example:${port}/`)).status).toBe(403);
  expect(lookupCount).toBe(2);
});

test.each([
  'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET https://a.example/ HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET file:///etc/passwd HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET ftp://a.example/ HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT a.example HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT a.example:99999 HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT user@a.example:80 HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT /:80 HTTP/1.1\r\nhost: x\r\n\r\n',
  'nonsense\r\n\r\n',
])('an invalid proxy request is refused: %j', async (text) => {
  const proxy = await openTestProxy({});
  expect(await sendRaw(proxy.address, text)).toMatch(/^HTTP\/1\.1 40[03] /);
  expect(proxy.getReceivedBytes()).toBe(0);
});

test('half a response is cut, and an unreachable server becomes a 502', async () => {
  const cut = await startTcpServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
  );
  const closing = await startTcpServer((socket) => socket.destroy());
  const proxy = await openTestProxy({ allow: ['127.0.0.1'] });
  await expect(sendThroughProxy(proxy.address, `http://${cut}/`)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  expect((await sendThroughProxy(proxy.address, `http://${closing}/`)).status).toBe(502);
  expect((await sendThroughProxy(proxy.address, 'http://127.0.0.1:9/')).status).toBe(502);
  expect(await sendRaw(proxy.address, 'CONNECT 127.0.0.1:9 HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 502/);
});

test('more bytes than allowed in all responses together close every connection', async () => {
  const host = await startHttpServer((request, response) => {
    if (request.url === '/some') response.end(Buffer.alloc(60_000));
    else {
      const writeMore = (): void => {
        while (response.write(Buffer.alloc(4096)));
        response.once('drain', writeMore);
      };
      writeMore();
    }
  });
  const faults: ProxyFault[] = [];
  const proxy = await openTestProxy(
    { allow: [host] },
    { maxBytes: 100_000, onLimitExceeded: (problem) => faults.push(problem) },
  );
  expect((await sendThroughProxy(proxy.address, `http://${host}/some`)).body).toHaveLength(60_000);
  await expect(sendThroughProxy(proxy.address, `http://${host}/endless`)).rejects.toThrow();
  expect(faults).toEqual([{ fault: 'bytes', host: '' }]);
});

test('silence during a response closes every connection; silence without requests does not', async () => {
  const timers = createManualTimers();
  const requested = Promise.withResolvers<void>();
  const host = await startTcpServer((socket) => socket.once('data', () => requested.resolve()));
  const faults: ProxyFault[] = [];
  const proxy = await openTestProxy(
    { allow: [host], timers },
    { maxIdleMs: 60_000, onLimitExceeded: (problem) => faults.push(problem) },
  );
  timers.advance(100_000);
  expect(faults).toEqual([]);
  const pendingRequest = sendThroughProxy(proxy.address, `http://${host}/`);
  const ended = expect(pendingRequest).rejects.toThrow();
  await requested.promise;
  timers.advance(60_000);
  await ended;
  expect(faults).toEqual([{ fault: 'silent', host: '' }]);
});

test('closing the proxy closes its port and its connections', async () => {
  const host = await startTcpServer(() => undefined);
  const proxy = await openTestProxy({ allow: [host] });
  const pendingRequest = sendThroughProxy(proxy.address, `http://${host}/`);
  const ended = expect(pendingRequest).rejects.toThrow();
  await new Promise((resolve) => setImmediate(resolve));
  await proxy[Symbol.asyncDispose]();
  await ended;
  await expect(sendThroughProxy(proxy.address, `http://${host}/`)).rejects.toThrow('ECONNREFUSED');
});
