import { expect, test } from 'vitest';
import { listCalls } from '#testing/kits/server/contracts.ts';
import { startServer } from '#testing/kits/server/server.ts';

type Json = Readonly<Record<string, unknown>>;

/** Lists every `$ref` in a document. */
function listReferences(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [String(inner)] : listReferences(inner)));
}

const resolveReference = (document: unknown, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce((at, key) => (at as Json | undefined)?.[key], document);

test('the document describes each call of all contracts, and nothing else', async () => {
  await using server = await startServer();
  const document = (await (await fetch(`${server.origin}/api/openapi.json`)).json()) as {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, Json>>;
    readonly tags: readonly { readonly name: string }[];
  };
  expect(document.openapi).toMatch(/^3\.1\./);
  const describedCalls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const files = [
    'GET /api/images/{imageName}',
    'GET /api/cwservet/{file}',
    'GET /api/cwservev/{file}',
    'GET /api/sendytthumb/{id}',
    'GET /api/stream/{id}',
    'GET /api/musicfile/{id}',
  ];
  const declaredCalls = [...files, ...(await listCalls()).map(({ method, path }) => `${method} ${path}`)];
  expect(describedCalls.toSorted()).toEqual(declaredCalls.toSorted());
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const [path, methods] of Object.entries(document.paths))
    for (const operation of Object.values(methods)) {
      expect(operation, path).toMatchObject({
        summary: expect.stringMatching(/\.$/),
        responses: { 200: {}, 400: {}, 429: {}, 500: {} },
      });
      for (const tag of (operation as { readonly tags: readonly string[] }).tags) expect(tags).toContain(tag);
    }
  for (const reference of listReferences(document))
    expect(resolveReference(document, reference), reference).toBeDefined();
  expect(JSON.stringify(document)).not.toContain('$schema');
});

test.each(['images/none.svg', 'cwservet/none.png', 'cwservev/none.webm', 'sendytthumb/none'])(
  'a missing file (%s) is refused like a call',
  async (path) => {
    await using server = await startServer();
    const answer = await fetch(`${server.origin}/api/${path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    expect(await answer.json()).toEqual({ message: expect.stringMatching(/^There is no such/) as string });
  },
);

test('a call that needs a token says so, and fields of a GET are in its query', async () => {
  await using server = await startServer();
  const { paths } = (await (await fetch(`${server.origin}/api/openapi.json`)).json()) as { readonly paths: Json };
  expect(paths['/api/tokenconv']).toMatchObject({ post: { security: [{ token: [] }], tags: ['session'] } });
  expect(paths['/api/log']).toMatchObject({ post: { security: [{}, { token: [] }] } });
  expect(paths['/api/remotehistory']).toMatchObject({
    get: { parameters: [{ name: 'target', in: 'query', required: true, schema: { type: 'string', maxLength: 20 } }] },
  });
});
