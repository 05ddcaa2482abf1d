import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { call, type RequestOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { LiveSession } from '../identity/identity.ts';
import { createLogger } from '../operations/logger.ts';
import { handle, type Handler, createRawJsonAnswer } from '../tool.ts';
import { registerHandlers } from './callRoutes.ts';
import { createHttpServer, closeHttpServer, type HttpServerOptions } from './httpServer.ts';
import { createRateLimiter } from './rateLimiter.ts';

const greet = call({
  route: 'POST /api/greet',
  summary: 'Greets.',
  access: 'anyone',
  request: z.object({ name: z.string().check(z.maxLength(10)), content: z.optional(z.unknown()) }),
  answer: z.object({ greeting: z.string(), inner: z.optional(z.object({ shown: z.string() })) }),
});
const greetLarge = { ...greet, path: '/api/greetlarge', isLarge: true } as const;
const ownAccount = call({
  route: 'POST /api/mine',
  summary: 'Says who calls.',
  access: 'account',
  done: 'yours',
  answer: z.object({ account: z.int() }),
});
const lookUp = call({
  route: 'GET /api/look',
  summary: 'Looks.',
  access: 'account',
  request: z.object({ at: z.string() }),
  answer: z.object({ at: z.string() }),
});
const report = call({
  route: 'POST /api/report',
  summary: 'A device reports.',
  access: 'device',
  answer: z.object({ device: z.int() }),
});
const failing = call({
  route: 'POST /api/fail',
  summary: 'Fails.',
  access: 'anyone',
  request: z.object({ how: z.enum(['refusal', 'error']) }),
});
const largeBody = call({
  route: 'POST /api/big',
  summary: 'Takes more.',
  access: 'anyone',
  bodyLimit: 200_000,
  request: z.object({ text: z.string() }),
  answer: z.object({ length: z.int() }),
});
const rareCall = call({
  route: 'POST /api/seldom',
  summary: 'May be called twice an hour.',
  access: 'account',
  rates: [{ times: 2, seconds: 3600 }],
});

/** Long enough to be compressed. */
const LONG_TEXT = 'grün '.repeat(20_000);

async function createGreeting({ name }: RequestOf<typeof greet>) {
  return { greeting: `Hello ${name}`, secret: 'not declared', inner: { shown: 'a', hidden: 'not declared' } };
}

const handlers: readonly Handler[] = [
  handle(greet, createGreeting),
  handle(greetLarge, createGreeting),
  handle(ownAccount, async (_request, { account }) => ({ account })),
  handle(lookUp, async ({ at }) => {
    if (at === 'written') return createRawJsonAnswer('{"at":', Buffer.from('"here “written”"'), '}');
    if (at === 'much written') return createRawJsonAnswer('{"at":', Buffer.from(JSON.stringify(LONG_TEXT)), '}');
    return { at: at === 'much' ? LONG_TEXT : at };
  }),
  handle(report, async (_request, { device }) => ({ device })),
  handle(failing, async ({ how }) => {
    if (how === 'refusal') throw new Refusal('test.refused', 'That is not to be');
    throw new Error('select * from account where token = pgu_0123456789abcdef0123456789');
  }),
  handle(largeBody, async ({ text }) => ({ length: text.length })),
  handle(rareCall, async () => ({})),
];

const sessions: Readonly<Record<string, LiveSession>> = {
  pgu_person: { id: 7, account: 3, kind: 'person', device: undefined },
  pgd_device: { id: 8, account: 3, kind: 'device', device: 5 },
};

async function startTestServer(options: Partial<HttpServerOptions> & { readonly hasOwner?: boolean } = {}) {
  const lines: string[] = [];
  const usedSessions: number[] = [];
  const rateLimiter = createRateLimiter({ isOn: true });
  const identity = {
    hasOwner: async () => options.hasOwner ?? false,
    findSession: async (token: string) => sessions[token],
    recordUse: (session: number) => void usedSessions.push(session),
  };
  const log = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  // Otherwise a busy machine would refuse visitors.
  const httpServer = await createHttpServer({ log, rateLimiter, identity, busyAfterMs: 0, ...options });
  registerHandlers(httpServer.http, { identity, rateLimiter }, handlers);
  const origin = await httpServer.http.listen({ port: 0, host: '127.0.0.1' });
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return {
    ...httpServer,
    origin,
    lines,
    usedSessions,
    post,
    [Symbol.asyncDispose]: async () => closeHttpServer(httpServer.http),
  };
}

const readResponse = async (response: Response): Promise<readonly [number, Record<string, unknown>]> => [
  response.status,
  (await response.json()) as Record<string, unknown>,
];

/** Sends raw bytes, and returns everything until the connection ends. */
async function sendRaw(origin: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  let response = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (response += chunk));
  socket.write(text);
  await once(socket, 'close');
  return response;
}

test.each(['/api/greet', '/api/greetlarge'])('%s answers ok with its declared fields, and no others', async (path) => {
  await using server = await startTestServer();
  const response = await server.post(path, { name: 'Ann', unknown: 1 });
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await readResponse(response)).toEqual([200, { message: 'ok', greeting: 'Hello Ann', inner: { shown: 'a' } }]);
});

test('raw JSON is sent unchanged after its message', async () => {
  await using server = await startTestServer();
  const response = await fetch(`${server.origin}/api/look?at=written&token=pgu_person`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.text()).toBe('{"message":"ok","at":"here “written”"}');
});

test('a large answer is compressed for remote clients that accept it', async () => {
  await using server = await startTestServer({ trustProxy: ['loopback'] });
  const REMOTE = { 'x-forwarded-for': '203.0.113.9' };
  const requestText = (at: string, headers: Record<string, string>): Promise<Response> =>
    fetch(`${server.origin}/api/look?at=${at}&token=pgu_person`, { headers });
  for (const at of ['much', 'much written']) {
    const response = await requestText(at, { ...REMOTE, 'accept-encoding': 'br, gzip' });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(5000);
    expect(await response.json()).toEqual({ message: 'ok', at: LONG_TEXT });
  }
  for (const accepted of ['gzip;q=0, identity', 'br', 'identity']) {
    const response = await requestText('much', { ...REMOTE, 'accept-encoding': accepted });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(await response.json()).toEqual({ message: 'ok', at: LONG_TEXT });
  }
  const shortResponse = await requestText('little', { ...REMOTE, 'accept-encoding': 'gzip' });
  expect(shortResponse.headers.get('content-encoding')).toBeNull();
  const localResponse = await requestText('much', { 'accept-encoding': 'gzip' });
  expect(localResponse.headers.get('content-encoding')).toBeNull();
});

test('a token is read from header, query, body and content; a success has the declared message', async () => {
  await using server = await startTestServer();
  const done = [200, { message: 'yours', account: 3 }];
  expect(await readResponse(await server.post('/api/mine', {}, { authorization: 'Bearer pgu_person' }))).toEqual(done);
  expect(await readResponse(await server.post('/api/mine?token=pgu_person', {}))).toEqual(done);
  expect(await readResponse(await server.post('/api/mine', { token: 'pgu_person' }))).toEqual(done);
  expect(await readResponse(await server.post('/api/mine', { content: { token: 'pgu_person' } }))).toEqual(done);
  expect(await readResponse(await fetch(`${server.origin}/api/look?at=x&token=pgu_person`))).toEqual([
    200,
    { message: 'ok', at: 'x' },
  ]);
  expect(server.usedSessions).toEqual([7, 7, 7, 7, 7]);
});

test('persons and devices may only make their own calls', async () => {
  await using server = await startTestServer();
  const refused = [200, { message: 'invalid token, please re-log', code: 'auth.invalid_token' }];
  expect(await readResponse(await server.post('/api/mine', {}))).toEqual(refused);
  expect(await readResponse(await server.post('/api/mine', { token: 'unknown' }))).toEqual(refused);
  expect(await readResponse(await server.post('/api/mine', { token: 5 }))).toEqual(refused);
  expect(await readResponse(await server.post('/api/mine', { token: 'pgd_device' }))).toEqual(refused);
  expect(await readResponse(await server.post('/api/report', { token: 'pgu_person' }))).toEqual(refused);
  expect(await readResponse(await server.post('/api/report', { token: 'pgd_device' }))).toEqual([
    200,
    { message: 'ok', device: 5 },
  ]);
});

test('invalid input is answered with 400, the field, and without the value', async () => {
  await using server = await startTestServer();
  const cases: readonly (readonly [unknown, string])[] = [
    [{}, 'name: Invalid input: expected string, received undefined'],
    [{ name: 'far too long a name' }, 'name: Too big: expected string to have <=10 characters'],
    [{ name: { hunter2: 1 } }, 'name: Invalid input: expected string, received object'],
    ['{"name": "hunter2', 'body: is not JSON'],
    ['', 'body: is not JSON'],
    ['null', 'body: Invalid input: expected object, received null'],
    ['[]', 'body: Invalid input: expected object, received array'],
    ['{"name":"a","__proto__":{"x":1}}', 'body: is not JSON'],
    ['{"name":"a","content":{"constructor":{"prototype":{}}}}', 'body: is not JSON'],
    [`{"name":"a","content":${'['.repeat(40)}${']'.repeat(40)}}`, 'body: is nested deeper than 32 levels'],
  ];
  for (const [body, message] of cases) {
    const [status, answer] = await readResponse(await server.post('/api/greet', body));
    expect([status, answer['message']]).toEqual([400, message]);
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  }
  expect(await readResponse(await server.post('/api/look?at=1&at=2&token=pgu_person', {}))).toEqual([
    405,
    { message: 'method: must be GET' },
  ]);
  expect(await readResponse(await fetch(`${server.origin}/api/look?at=1&at=2`))).toEqual([
    400,
    { message: 'at: is given more than once' },
  ]);
});

test('unknown paths, wrong methods, sizes, types and addresses have the documented statuses', async () => {
  await using server = await startTestServer();
  expect(await readResponse(await fetch(`${server.origin}/api/nothing`))).toEqual([
    404,
    { message: 'There is no such call' },
  ]);
  const wrong = await fetch(`${server.origin}/api/greet`);
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  const page = await fetch(`${server.origin}/login`, { method: 'DELETE' });
  expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await server.post('/api/greet', { name: 'x'.repeat(70_000) })).status).toBe(413);
  expect(await readResponse(await server.post('/api/big', { text: 'x'.repeat(70_000) }))).toEqual([
    200,
    { message: 'ok', length: 70_000 },
  ]);
  expect((await server.post('/api/big', { text: 'x'.repeat(200_001) })).status).toBe(413);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    expect((await server.post('/api/greet', '{"name":"a"}', { 'content-type': type })).status).toBe(415);
  expect(await readResponse(await fetch(`${server.origin}/api/%zz?token=hunter2`))).toEqual([
    400,
    { message: 'address: is not valid' },
  ]);
  expect(await sendRaw(server.origin, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 431 /,
  );
  expect(await sendRaw(server.origin, 'what?\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
});

test('a refusal returns its sentence, and a fault an id that is in the log', async () => {
  await using server = await startTestServer();
  expect(await readResponse(await server.post('/api/fail', { how: 'refusal' }))).toEqual([
    200,
    { message: 'That is not to be', code: 'test.refused' },
  ]);
  const [status, { message, id }] = await readResponse(await server.post('/api/fail', { how: 'error' }));
  expect([status, message]).toEqual([500, 'server error']);
  const line = server.lines.find((entry) => entry.includes('http.request.failed')) ?? '';
  expect(JSON.parse(line)).toMatchObject({
    id,
    route: '/api/fail',
    err: { message: expect.stringContaining('select') },
  });
  expect(line).not.toContain('pgu_');
});

test('each response has the security headers, and none that admit other sites', async () => {
  await using server = await startTestServer();
  const answers = [
    await server.post('/api/greet', { name: 'a' }),
    await server.post('/api/greet', '{'),
    await fetch(`${server.origin}/nothing`),
    await fetch(`${server.origin}/%zz`),
  ];
  for (const { headers } of answers) {
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=()');
    expect(headers.get('strict-transport-security')).toBeNull();
    expect([...headers.keys()].filter((name) => name.startsWith('access-control') || name === 'x-powered-by')).toEqual(
      [],
    );
  }
});

/** `fetch` does not allow other Host and Origin headers. */
async function requestStatus(origin: string, path: string, headers: Record<string, string>): Promise<number> {
  const lines = Object.entries({ host: new URL(origin).host, connection: 'close', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const answer = await sendRaw(
    origin,
    `POST ${path} HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: 12\r\n\r\n{"name":"a"}`,
  );
  return Number(answer.split(' ')[1]);
}

test('without an owner, only names that foreign DNS cannot point here are answered', async () => {
  await using server = await startTestServer();
  const status = async (host: string) => requestStatus(server.origin, '/api/greet', { host });
  for (const host of ['localhost', '192.168.1.5:8300', '[::1]:8300', 'pegboard.local:8300', 'pegboard'])
    expect([host, await status(host)]).toEqual([host, 200]);
  for (const host of ['evil.example', '192.168.1.5.evil.example', 'x.local.evil'])
    expect([host, await status(host)]).toEqual([host, 400]);
  await using owned = await startTestServer({ hasOwner: true });
  expect(await requestStatus(owned.origin, '/api/greet', { host: 'my.example' })).toBe(200);
});

test('with PUBLIC_ORIGIN, only its hosts are answered, and its pages may call', async () => {
  await using server = await startTestServer({ publicOrigins: ['https://my.example'], hasOwner: true });
  expect(await requestStatus(server.origin, '/api/greet', { host: 'my.example' })).toBe(200);
  expect(await requestStatus(server.origin, '/api/greet', { host: 'my.example', origin: 'https://my.example' })).toBe(
    200,
  );
  expect(await requestStatus(server.origin, '/api/greet', { host: 'localhost' })).toBe(400);
  expect(server.isAllowedOrigin({ host: 'my.example', origin: 'https://my.example' })).toBe(true);
  expect(server.isAllowedOrigin({ host: 'my.example', origin: 'https://evil.example' })).toBe(false);
});

test('pages of other sites may not call, but users may open an address from anywhere', async () => {
  await using server = await startTestServer();
  const sameOrigin = { origin: server.origin };
  expect(await requestStatus(server.origin, '/api/greet', sameOrigin)).toBe(200);
  for (const origin of ['http://evil.example', 'null', 'http://localhost:1'])
    expect([origin, await requestStatus(server.origin, '/api/greet', { origin })]).toEqual([origin, 400]);
  expect(
    await requestStatus(server.origin, '/api/greet', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }),
  ).toBe(400);
  const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  expect(await requestStatus(server.origin, '/api/greet', opened)).toBe(200);
  expect(server.lines.filter((line) => line.includes('"event":"origin.refused"'))).toHaveLength(4);
});

test('a call over its rate gets 429 with the seconds to wait, and other callers continue', async () => {
  await using server = await startTestServer();
  const statuses: number[] = [];
  // Calls from this computer have ten times the rate.
  for (let count = 0; count < 20; count += 1)
    statuses.push((await server.post('/api/seldom', { token: 'pgu_person' })).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  const refused = await server.post('/api/seldom', { token: 'pgu_person' });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
  expect((await server.post('/api/mine', { token: 'pgu_person' })).status).toBe(200);
});

/** Returns the address in the newest log line of a request. */
const getLoggedAddress = (lines: readonly string[]): unknown =>
  (JSON.parse(lines.findLast((line) => line.includes('"http.request"')) ?? '{}') as { readonly address?: string })
    .address;

test('forwarded headers only count from trusted proxies, and the right-most other address is the client', async () => {
  const headers = { 'x-forwarded-for': '6.6.6.6, 203.0.113.9, 127.0.0.1', 'x-forwarded-proto': 'https' };
  await using plain = await startTestServer();
  const ignored = await plain.post('/api/greet', { name: 'a' }, headers);
  await plain.post('/api/greet', { name: 'a' }, headers);
  expect(getLoggedAddress(plain.lines)).toBe('127.0.0.1');
  expect(ignored.headers.get('strict-transport-security')).toBeNull();
  expect(plain.lines.filter((line) => line.includes('"event":"proxy.untrusted"'))).toHaveLength(1);
  await using proxied = await startTestServer({ trustProxy: ['loopback'] });
  const trusted = await proxied.post('/api/greet', { name: 'a' }, headers);
  expect(getLoggedAddress(proxied.lines)).toBe('203.0.113.9');
  expect(trusted.headers.get('strict-transport-security')).toBe('max-age=31536000');
});

test('the log never contains tokens or user input, whatever fails', async () => {
  await using server = await startTestServer();
  const token = 'pgu_0123456789abcdef0123456789abcdef';
  const secretText = 'hunter2 hunter2';
  await server.post(`/api/mine?token=${token}&q=${secretText}`, { token, content: { token, text: secretText } });
  await server.post('/api/greet', `{"name": "${secretText}`);
  await server.post('/api/greet', { name: secretText }, { authorization: `Bearer ${token}` });
  await server.post(`/api/${token}`, { text: secretText });
  await server.post('/api/greet', secretText, { 'content-type': secretText.replace(' ', '/') });
  await fetch(`${server.origin}/%zz?token=${token}`);
  await fetch(`${server.origin}/api/look?at=${secretText}&token=${token}`);
  await server.post('/api/fail', { how: 'error' }, { cookie: `usertoken=${token}` });
  server.http.log.warn(
    { a: { b: [{ password: secretText, Token: 1, token, deep: { text: secretText } }] } },
    `x ${token}`,
  );
  server.http.log.error({
    err: new Error(`no ${token}`, { cause: Object.assign(new Error('x'), { parameters: [secretText] }) }),
  });
  expect(server.lines.length).toBeGreaterThan(8);
  expect(server.lines.filter((line) => line.includes(token) || line.includes('hunter2'))).toEqual([]);
});
