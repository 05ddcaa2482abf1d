import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { call } from './call.ts';
import { createClient } from './client.ts';

const ask = call({
  method: 'GET',
  path: '/api/test',
  summary: 'Answers.',
  access: 'anyone',
  request: z.object({}),
  answer: z.object({ count: z.number() }),
});
const fakeFetch = async () => new Response(JSON.stringify({ message: 'ok', count: 'many' }));

test.each([
  ['a page', true],
  ['any other program', undefined],
])('an answer that does not match its declaration is an error for %s', async (_, isPage) => {
  const client = createClient({ origin: 'http://x', fetch: fakeFetch, ...(isPage ? { isPage } : {}) });
  await expect(client(ask, {})).rejects.toThrow(z.core.$ZodError);
});

test('large answers are validated by all clients except pages', async () => {
  const large = { ...ask, isLarge: true };
  const page = createClient({ origin: 'http://x', fetch: fakeFetch, isPage: true });
  expect(await page(large, {})).toMatchObject({ count: 'many' });
  await expect(createClient({ origin: 'http://x', fetch: fakeFetch })(large, {})).rejects.toThrow(z.core.$ZodError);
});
