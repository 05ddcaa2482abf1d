import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { streamPrettyJson } from './accountExport.ts';

async function collectText(value: unknown): Promise<string> {
  let text = '';
  for await (const piece of streamPrettyJson(value)) text += piece;
  return text;
}

async function* stream<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

test('the streamed text equals that of JSON.stringify', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      expect(await collectText(value)).toBe(JSON.stringify(value, undefined, 2));
    }),
  );
});

test('a stream in an object becomes an array', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), async (items) => {
      const text = await collectText({ before: 1, within: { items: stream(items), none: undefined } });
      expect(text).toBe(JSON.stringify({ before: 1, within: { items } }, undefined, 2));
    }),
  );
});
