import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { call } from './call.ts';
import { createClient } from './client.ts';

const countItems = call({
  route: 'GET /api/test',
  summary: 'Answers.',
  access: 'anyone',
  request: z.object({}),
  answer: z.object({ count: z.number() }),
});
const fetchInvalid = async () => new Response(JSON.stringify({ message: 'ok', count: 'many' }));

test.each([
  ['a page', true],
  ['any other program', undefined],
])('an answer that does not match its declaration is an error for %s', async (_, isPage) => {
  const client = createClient({ origin: 'http://x', fetch: fetchInvalid, ...(isPage ? { isPage } : {}) });
  await expect(client(countItems, {})).rejects.toThrow(z.core.$ZodError);
});

test('large answers are validated by all clients except pages', async () => {
  const large = { ...countItems, isLarge: true };
  const page = createClient({ origin: 'http://x', fetch: fetchInvalid, isPage: true });
  expect(await page(large, {})).toMatchObject({ count: 'many' });
  await expect(createClient({ origin: 'http://x', fetch: fetchInvalid })(large, {})).rejects.toThrow(z.core.$ZodError);
});
