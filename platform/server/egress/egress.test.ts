import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startHttpServer, startTcpServer } from '#testing/kits/server/localServers.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { type EgressOptions, createEgress } from './createEgress.ts';
import { EgressRefusal, maskCredentials } from './egress.ts';

const MAX = { maxBytes: 10_000 };

const startHttpOrigin = async (...args: Parameters<typeof startHttpServer>): Promise<string> =>
  `http://${await startHttpServer(...args)}`;
const startTcpOrigin = async (...args: Parameters<typeof startTcpServer>): Promise<string> =>
  `http://${await startTcpServer(...args)}`;

const createTestEgress = (options: Partial<EgressOptions> = {}) => createEgress({ allow: ['127.0.0.0/8'], ...options });

const describeRefusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof EgressRefusal ? `${error.fault}: ${error.message}` : String(error)),
  );

const toText = ({ body }: { readonly body: Uint8Array }): string => Buffer.from(body).toString();

test.each([
  ['plain', undefined, (text: string) => Buffer.from(text)],
  ['gzip', 'gzip', gzipSync],
  ['Brotli', 'br', brotliCompressSync],
])('a response has its status, headers and decompressed body: %s', async (_name, encoding, compress) => {
  let received: IncomingMessage | undefined;
  const origin = await startHttpOrigin((request, response) => {
    received = request;
    response.writeHead(203, { etag: '"1"', ...(encoding === undefined ? {} : { 'content-encoding': encoding }) });
    response.end(compress('hé'.repeat(100)));
  });
  const response = await createTestEgress().fetch(`${origin}/a%20b?c=d#e`, {
    ...MAX,
    headers: { accept: 'text/calendar' },
  });
  expect([response.status, response.header('etag'), toText(response)]).toEqual([203, '"1"', 'hé'.repeat(100)]);
  expect([received?.url, received?.headers.host, received?.headers.accept]).toEqual([
    '/a%20b?c=d',
    new URL(origin).host,
    'text/calendar',
  ]);
});

test('a name is resolved once, and stays in the Host header of the request', async () => {
  const hosts: (string | undefined)[] = [];
  const origin = await startHttpOrigin((request, response) => response.end(String(hosts.push(request.headers.host))));
  const { port } = new URL(origin);
  const egress = createTestEgress({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
  await egress.fetch(`http://calendars.example:${port}/`, MAX);
  expect(hosts).toEqual([`calendars.example:${port}`]);
});

/** Sends until the reader disconnects. */
function sendEndlessly(response: ServerResponse) {
  function writeMore(): void {
    while (response.write(Buffer.alloc(4096)));
    response.once('drain', writeMore);
  }
  writeMore();
}

test('the size limit applies to the announced, the received and the decompressed length', async () => {
  const sentence = 'answer: The file at that address is larger than 10 KiB';
  const bodies: readonly RequestListener[] = [
    (_request, response) => response.writeHead(200, { 'content-length': '10000001' }).write('x'),
    (_request, response) => sendEndlessly(response),
    (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5e6))),
    (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(Buffer.alloc(5e6))),
  ];
  for (const listener of bodies) {
    const origin = await startHttpOrigin(listener);
    expect(await describeRefusal(createTestEgress().fetch(origin, MAX))).toBe(sentence);
  }
});

test.each([
  ['gzip', Buffer.from('no gzip at all'), 'corrupt compressed data'],
  ['gzip', gzipSync('x'.repeat(500)).subarray(0, 20), 'corrupt compressed data'],
  ['br', Buffer.from('no brotli at all'), 'corrupt compressed data'],
  ['zstd', Buffer.from('x'), 'an unsupported compression format'],
  ['constructor', Buffer.from('x'), 'an unsupported compression format'],
])('a body that is not encoded as %s, although it says so, is refused', async (encoding, body, problem) => {
  const origin = await startHttpOrigin((_request, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(body),
  );
  expect(await describeRefusal(createTestEgress().fetch(origin, MAX))).toBe(`answer: That server sent ${problem}`);
});

test('a 304 with headers of a body is a valid response', async () => {
  const origin = await startHttpOrigin((request, response) =>
    response.writeHead(request.headers['if-none-match'] === '"1"' ? 304 : 200, { 'content-encoding': 'gzip' }).end(),
  );
  const response = await createTestEgress().fetch(origin, { ...MAX, headers: { 'if-none-match': '"1"' } });
  expect([response.status, response.body.length]).toEqual([304, 0]);
});

test('five redirects are followed, a sixth is not, and a POST follows none', async () => {
  const origin = await startHttpOrigin(({ url = '/' }, response) => {
    const remaining = Number(url.slice(1));
    if (remaining === 0) response.end('there');
    else response.writeHead(302, { location: `/${remaining - 1}` }).end('body of a redirect');
  });
  expect(toText(await createTestEgress().fetch(`${origin}/5`, MAX))).toBe('there');
  expect(await describeRefusal(createTestEgress().fetch(`${origin}/6`, MAX))).toBe(
    'answer: That address redirects too many times',
  );
  const posted = await createTestEgress().fetch(`${origin}/1`, { ...MAX, method: 'POST', body: Buffer.from('x') });
  expect(posted.status).toBe(302);
});

test('credentials in an address are only sent to its own origin', async () => {
  const requests: [string, string | undefined][] = [];
  const other = await startHttpOrigin(({ headers, url = '' }, response) => {
    requests.push([`other${url}`, headers.authorization]);
    response.end();
  }, '127.0.0.2');
  const origin = await startHttpOrigin(({ headers, url = '' }, response) => {
    requests.push([`own${url}`, headers.authorization]);
    if (url === '/out') response.writeHead(307, { location: `http://x:y@${new URL(other).host}/` }).end();
    else if (url === '/in') response.writeHead(307, { location: '/' }).end();
    else response.end();
  });
  const addressWithPassword = origin.replace('://', '://ann%40home:p%C3%A4ss@');
  await createTestEgress().fetch(`${addressWithPassword}/in`, MAX);
  await createTestEgress().fetch(`${addressWithPassword}/out`, MAX);
  const basic = `Basic ${Buffer.from('ann@home:päss').toString('base64')}`;
  expect(requests).toEqual([
    ['own/in', basic],
    ['own/', basic],
    ['own/out', basic],
    ['other/', undefined],
  ]);
});

test.each(['silent from the start', 'silent after the head', 'silent in the body'])(
  'a server that is %s for 10 seconds is aborted',
  async (phase) => {
    const timers = createManualTimers();
    const requested = Promise.withResolvers<void>();
    const origin = await startTcpOrigin((socket) => {
      socket.once('data', () => {
        if (phase !== 'silent from the start') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n');
        if (phase === 'silent in the body') socket.write('something');
        requested.resolve();
      });
    });
    const refusal = describeRefusal(createTestEgress({ timers }).fetch(origin, MAX));
    await requested.promise;
    // Data of the server may still be on its way, so advance until nothing arrives.
    for (let waits = 0; waits < 2; waits += 1) {
      await new Promise(setImmediate);
      timers.advance(10_000);
    }
    expect(await refusal).toMatch(/^unreached: That server (sent nothing for 10 seconds|took too long to respond)$/);
  },
);

test('a server that sends slowly is aborted after the total timeout', async () => {
  const timers = createManualTimers();
  const connected = Promise.withResolvers<Socket>();
  const origin = await startTcpOrigin((socket) => {
    socket.once('data', () => connected.resolve(socket));
  });
  const refusal = describeRefusal(createTestEgress({ timers }).fetch(origin, { ...MAX, timeoutMs: 9000 }));
  const socket = await connected.promise;
  socket.write('HTTP/1.1 200 OK\r\n');
  for (let second = 0; second < 9; second += 1) {
    socket.write('x-more: x\r\n');
    timers.advance(1000);
  }
  expect(await refusal).toBe('unreached: That server took too long to respond');
});

test('name resolution counts towards the total timeout', async () => {
  const timers = createManualTimers();
  const refusal = describeRefusal(
    createTestEgress({ timers, resolve: () => new Promise(() => undefined) }).fetch('http://slow.example', MAX),
  );
  timers.advance(20_000);
  expect(await refusal).toMatch(/^unreached: That server/);
});

test.each([
  ['did not send a valid web response', 'hello\r\n\r\n', 'answer: That server did not send a valid web response'],
  [
    'headers without an end',
    `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
    'answer: That server did not send a valid web response',
  ],
  [
    'half an answer',
    'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf',
    'answer: The connection to that site was lost',
  ],
  ['nothing', '', 'answer: The connection to that site was lost'],
])('%s becomes a readable refusal', async (_name, answer, sentence) => {
  const origin = await startTcpOrigin((socket) => {
    socket.once('data', () => socket.end(answer));
  });
  expect(await describeRefusal(createTestEgress().fetch(origin, MAX))).toBe(sentence);
});

test('with only web ports allowed, other ports are refused unless the operator allows them', async () => {
  const origin = await startHttpOrigin((_request, response) => response.end('there'));
  const web = { ...MAX, allowsOnlyWebPorts: true };
  const publicEgress = createTestEgress({ resolve: async () => [{ address: '93.184.216.34', family: 4 }] });
  expect(await describeRefusal(publicEgress.fetch('http://odd.example:22/list.m3u', web))).toBe(
    'port: Downloads from the port in this address are blocked',
  );
  expect(toText(await createTestEgress().fetch(origin, web))).toBe('there');
});

test('unreachable addresses become readable refusals', async () => {
  const origin = await startHttpOrigin((_request, response) => response.end());
  expect(await describeRefusal(createTestEgress().fetch(origin.replace('http', 'https'), MAX))).toBe(
    'unreached: That server has no valid https certificate',
  );
  const closed = await startTcpOrigin((socket) => socket.destroy());
  expect(await describeRefusal(createTestEgress().fetch(closed, MAX))).toBe(
    'answer: The connection to that site was lost',
  );
  // Nothing listens on port 9 of 127.0.0.3.
  expect(await describeRefusal(createTestEgress().fetch('http://127.0.0.3:9/', MAX))).toBe(
    'unreached: No server responds at that address',
  );
  const failingEgress = createTestEgress({ resolve: async () => Promise.reject(new Error('not found')) });
  expect(await describeRefusal(failingEgress.fetch('http://nowhere.example/', MAX))).toBe(
    'unreached: No server was found at that address. Check it for typos',
  );
});

test('credentials in an address are masked', () => {
  expect(maskCredentials('https://ann:pw@x.example/a@b')).toBe('https://***@x.example/a@b');
  expect(maskCredentials('webcal://ann@x.example/')).toBe('webcal://***@x.example/');
  expect(maskCredentials('https://x.example/a?b=c@d')).toBe('https://x.example/a?b=c@d');
});
