import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  appendMember,
  createObjectWriter,
  NO_MEMBERS,
  toJson,
  toJsonKey,
  writeArray,
  writeMember,
  writeNumberMember,
  writeObject,
  writeRecord,
  type JsonMembers,
} from './jsonText.ts';

/** Expects the text that `JSON.stringify` writes for the value. */
function expectSame(text: string, value: unknown): void {
  expect(text).toBe(JSON.stringify(value));
  expect(JSON.stringify(JSON.parse(text))).toBe(text);
}
/** Integer-like keys change their order when they are parsed. */
const key = fc.string({ unit: 'grapheme' }).filter((text) => !/^\d+$/.test(text) && text !== '__proto__');
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

test('written arrays, records and objects are the same as from JSON.stringify', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.dictionary(key, finite), (texts, numbers) => {
      const array = writeArray(texts.map(toJson));
      const record = writeRecord(
        Object.entries(numbers).map(([name, value]) => writeNumberMember(toJsonKey(name), value)),
      );
      let appended: JsonMembers<number> = NO_MEMBERS;
      for (const [name, value] of Object.entries(numbers))
        appended = appendMember(appended, writeNumberMember(toJsonKey(name), value));
      expect(array).toBe(JSON.stringify(texts));
      expectSame(writeRecord([appended]), numbers);
      expectSame(record, numbers);
      expect(writeObject({ texts: array, numbers: record })).toBe(JSON.stringify({ texts, numbers }));
      const nested = writeRecord([writeMember(toJsonKey('a'), record), writeMember(toJsonKey('b'), record)]);
      expectSame(nested, { a: numbers, b: numbers });
    }),
  );
});

test('a writer of small objects writes the same as JSON.stringify', () => {
  const write = createObjectWriter<{ readonly status: string; readonly timestamp: number }>(['status', 'timestamp']);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), finite, (status, timestamp) => {
      expectSame(write({ status, timestamp }), { status, timestamp });
    }),
  );
});

test('empty parts are left out', () => {
  const emptyRecord = writeRecord<number>([]);
  expect(emptyRecord).toBe('{}');
  expect(writeRecord([writeMember(toJsonKey('a'), emptyRecord)])).toBe('{"a":{}}');
  expect(writeArray([])).toBe('[]');
});
