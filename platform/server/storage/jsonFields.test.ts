import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { streamPrettyJson } from './accountExport.ts';
import { iterateJsonField } from './jsonFields.ts';

async function* cutIntoChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const readField = (text: string, field: string, size = 7): Promise<readonly unknown[]> =>
  collect(iterateJsonField(cutIntoChunks(text, size), field));

test('every field of an export is read as it was written, whatever the chunks are', async () => {
  const fields = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }), {
    noNullPrototype: true,
    maxKeys: 4,
  });
  await fc.assert(
    fc.asyncProperty(fields, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (value, size, isPretty) => {
      const text = isPretty ? (await collect(streamPrettyJson(value))).join('') : JSON.stringify(value);
      for (const [name, fieldValue] of Object.entries(value)) {
        const expected: readonly unknown[] = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
        expect(JSON.stringify(await readField(text, name, size))).toBe(JSON.stringify(expected));
      }
      expect(await readField(text, 'no such field', size)).toEqual([]);
    }),
  );
});

test('damaged and incomplete JSON is refused', async () => {
  const whole = '{ "a": [1, {"b": "]}"}], "c": "x" }';
  expect(await readField(whole, 'a')).toEqual([1, { b: ']}' }]);
  for (let length = 0; length < whole.length; length += 1)
    await expect(readField(whole.slice(0, length), 'a')).rejects.toThrow('damaged');
  for (const text of ['[]', '1', `${whole}{}`, `${whole},`, '{"a": [1,,2]}', '{"a": }', '{"a": [}]}', '{"a": [1] 2}'])
    await expect(readField(text, 'a')).rejects.toThrow('damaged');
});

async function* endlessText(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"a": ["');
  for (;;) yield Buffer.alloc(1024 * 1024, 'x');
}

/** Small in the file, large in memory. */
async function* manyLists(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"a": [[');
  for (;;) yield Buffer.from('[],'.repeat(100_000));
}

test('an entry that does not fit into memory is refused', async () => {
  await expect(collect(iterateJsonField(endlessText(), 'a'))).rejects.toThrow('too large');
  await expect(collect(iterateJsonField(manyLists(), 'a'))).rejects.toThrow('too large');
});
