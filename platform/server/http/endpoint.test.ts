import { expect, test } from 'vitest';
import { createLogger } from '../operations/logger.ts';
import { type Endpoint, type EndpointRequest, registerEndpoints } from './endpoint.ts';
import { createHttpServer, closeHttpServer } from './httpServer.ts';
import { createRateLimiter } from './rateLimiter.ts';

/** Starts a server with only these endpoints. */
async function startTestServer(endpoints: readonly Endpoint[]) {
  const lines: string[] = [];
  const { http } = await createHttpServer({
    log: createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } }),
    rateLimiter: createRateLimiter({ isOn: true }),
    identity: { hasOwner: async () => true },
  });
  await registerEndpoints(http, endpoints);
  const origin = await http.listen({ port: 0, host: '127.0.0.1' });
  return { origin, lines, [Symbol.asyncDispose]: () => closeHttpServer(http) };
}

function createEchoEndpoint(more: Partial<Endpoint> = {}) {
  const recorded: EndpointRequest[] = [];
  const endpoint: Endpoint = {
    methods: ['GET', 'HEAD', 'PUT', 'PROPFIND', 'REPORT', 'DELETE'],
    path: '/echo/*',
    run: async (request) => {
      recorded.push(request);
      return { status: 207, headers: { 'content-type': 'application/xml; charset=utf-8' }, body: '<é/>' };
    },
    ...more,
  };
  return { recorded, endpoint };
}

test('endpoints get methods of other protocols with address, headers and body unchanged', async () => {
  const { recorded, endpoint } = createEchoEndpoint();
  await using server = await startTestServer([endpoint]);
  const response = await fetch(`${server.origin}/echo/a%2Fb/../%20c?x=1`, {
    method: 'PROPFIND',
    headers: { 'content-type': 'application/xml', depth: '1', 'user-agent': 'Phone/1' },
    body: new Uint8Array([0xff, 0, 0x3c]),
  });
  expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
    207,
    'application/xml; charset=utf-8',
    'no-store',
  ]);
  expect(await response.text()).toBe('<é/>');
  const [request] = recorded;
  expect(request).toMatchObject({ method: 'PROPFIND', url: '/echo/%20c?x=1', address: '127.0.0.1', isLocal: true });
  expect([request?.browser, request?.getHeader('depth'), request?.getHeader('if-match')]).toEqual([
    'Phone/1',
    '1',
    undefined,
  ]);
  expect([...(request?.body ?? [])]).toEqual([0xff, 0, 0x3c]);
});

test.each([
  ['GET', undefined, undefined],
  ['DELETE', undefined, 'text/xml'],
  ['REPORT', '', undefined],
  ['PUT', '{broken', 'application/json'],
  ['PUT', 'BEGIN:VCALENDAR', 'text/calendar'],
  ['PROPFIND', '<a/>', undefined],
] as const)('%s with %j of type %j reaches the endpoint', async (method, body, type) => {
  const { recorded, endpoint } = createEchoEndpoint();
  await using server = await startTestServer([endpoint]);
  const response = await fetch(`${server.origin}/echo/x`, {
    method,
    headers: type === undefined ? {} : { 'content-type': type },
    ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
  });
  expect(response.status).toBe(207);
  expect(Buffer.from(recorded[0]?.body ?? []).toString()).toBe(body ?? '');
});

test('HEAD returns the length of the response without its body', async () => {
  await using server = await startTestServer([createEchoEndpoint().endpoint]);
  const response = await fetch(`${server.origin}/echo/x`, { method: 'HEAD' });
  expect([response.headers.get('content-length'), await response.text()]).toEqual(['5', '']);
});

test('a body over the limit is refused before the endpoint runs', async () => {
  const { recorded, endpoint } = createEchoEndpoint({ bodyLimit: 100 });
  await using server = await startTestServer([endpoint]);
  const putBytes = (length: number) =>
    fetch(`${server.origin}/echo/x`, { method: 'PUT', body: new Uint8Array(length) }).then(({ status }) => status);
  expect([await putBytes(100), await putBytes(101)]).toEqual([207, 413]);
  expect(recorded).toHaveLength(1);
});

async function* yieldPieces(getLast: () => string) {
  yield 'one ';
  yield new TextEncoder().encode('two ');
  yield getLast();
}

test('chunks are sent as they come, and a failing response is cut', async () => {
  const complete = createEchoEndpoint({
    path: '/whole',
    run: async () => ({ status: 200, body: yieldPieces(() => 'three') }),
  });
  const broken = createEchoEndpoint({
    path: '/broken',
    run: async () => ({
      status: 200,
      body: yieldPieces(() => {
        throw new Error('no third one');
      }),
    }),
  });
  await using server = await startTestServer([complete.endpoint, broken.endpoint]);
  expect(await (await fetch(`${server.origin}/whole`)).text()).toBe('one two three');
  await expect(fetch(`${server.origin}/broken`).then((response) => response.text())).rejects.toThrow();
});

test('pages of other sites are refused, except by endpoints for any origin', async () => {
  const { recorded, endpoint } = createEchoEndpoint();
  await using server = await startTestServer([endpoint]);
  const response = await fetch(`${server.origin}/echo/x`, {
    method: 'PROPFIND',
    headers: { origin: 'https://elsewhere.example' },
  });
  expect(response.status).toBe(400);
  expect(recorded).toEqual([]);
});

test('the log contains neither addresses nor bodies, and the response to a fault only its id', async () => {
  const { endpoint } = createEchoEndpoint({
    run: async () => {
      throw new Error('broken');
    },
  });
  await using server = await startTestServer([endpoint]);
  const response = await fetch(`${server.origin}/echo/secret-name?secret-query`, {
    method: 'PUT',
    headers: { authorization: 'Basic c2VjcmV0' },
    body: 'secret body',
  });
  expect([response.status, Object.keys(await response.json())]).toEqual([500, ['message', 'id']]);
  expect(server.lines.some((line) => line.includes('/echo/*'))).toBe(true);
  expect(server.lines.filter((line) => /secret|c2VjcmV0/.test(line))).toEqual([]);
});
