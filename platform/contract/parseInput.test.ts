import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { parseInput } from './parseInput.ts';

const schema = z.object({
  name: z.string(),
  ids: z.array(z.string()),
  byKey: z.optional(z.record(z.string(), z.object({ start: z.string() }))),
  either: z.optional(z.union([z.literal(false), z.string()])),
  code: z.optional(z.literal('0')),
});

test('integers are accepted for strings at any depth', () => {
  const input = { name: 7, ids: [1, 'a', 23], byKey: { 5: { start: 930 } }, either: 12, code: 0 };
  expect(parseInput(schema, input).data).toEqual({
    name: '7',
    ids: ['1', 'a', '23'],
    byKey: { 5: { start: '930' } },
    either: '12',
    code: '0',
  });
  expect(input.name).toBe(7);
});

const listIssuePaths = (input: unknown) => parseInput(schema, input).error?.issues.map(({ path }) => path.join('.'));

test('an accepted integer is never reported as an issue', () => {
  expect(listIssuePaths({ name: 7 })).toEqual(['ids']);
  expect(listIssuePaths({ name: 7, ids: [1, true] })).toEqual(['ids.1']);
  expect(listIssuePaths({ name: 7, ids: [], code: 1 })).toEqual(['code']);
  expect(listIssuePaths({ ids: [1] })).toEqual(['name']);
});

test('other types are refused for strings, and numbers stay numbers', () => {
  for (const name of [1.5, 1e21, NaN, true, null, [1]])
    expect(parseInput(schema, { name, ids: [] }).success).toBe(false);
  expect(parseInput(z.object({ count: z.int() }), { count: '7' }).success).toBe(false);
  expect(parseInput(schema, 7).success).toBe(false);
});
