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
const answering = async () => new Response(JSON.stringify({ message: 'ok', count: 'many' }));

test.each([
  ['a page', true],
  ['any other program', undefined],
])('an answer that is not what was declared is a fault for %s', async (_, isPage) => {
  const client = createClient({ origin: 'http://x', fetch: answering, ...(isPage ? { isPage } : {}) });
  await expect(client(ask, {})).rejects.toThrow(z.core.$ZodError);
});

test('large answers are validated by all clients except pages', async () => {
  const large = { ...ask, isLarge: true };
  const page = createClient({ origin: 'http://x', fetch: answering, isPage: true });
  expect(await page(large, {})).toMatchObject({ count: 'many' });
  await expect(createClient({ origin: 'http://x', fetch: answering })(large, {})).rejects.toThrow(z.core.$ZodError);
});
