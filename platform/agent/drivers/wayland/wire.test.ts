import { array, assert, constantFrom, integer, property, string, tuple, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { decodeArguments, encodeRequest, HEADER_BYTES, splitEvents, type Argument } from './wire.ts';

const READERS = { takeDescriptor: () => 7, findObject: (id: number) => ({ id }), addObject: (id: number) => ({ id }) };

const argument = constantFrom('u', 'i', 's', 'a', 'o').chain((kind) => {
  const values = {
    u: integer({ min: 0, max: 0xffffffff }),
    i: integer({ min: -0x80000000, max: 0x7fffffff }),
    s: string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    a: uint8Array().map((bytes) => Buffer.from(bytes)),
    o: integer({ min: 1, max: 0xffffffff }).map((id) => ({ id })),
  };
  return tuple(constantFrom(kind), values[kind] as ReturnType<typeof integer>);
});

test('every argument that is sent is read as it was', () => {
  assert(
    property(array(argument), (args) => {
      const message = { name: 'event', kinds: args.map(([kind]) => kind).join('') };
      const values = args.map(([, value]) => value as Argument);
      const { data } = encodeRequest(3, 5, message, values);
      const { events, rest } = splitEvents(data);
      expect(rest).toHaveLength(0);
      expect(events).toMatchObject([{ objectId: 3, opcode: 5 }]);
      expect(decodeArguments(data.subarray(HEADER_BYTES), message, READERS)).toEqual(values);
    }),
  );
});

test('descriptors travel beside the data, and come back in order', () => {
  const { data, descriptors } = encodeRequest(1, 0, { name: 'keymap', kinds: 'uhu' }, [1, 42, 9]);
  expect(descriptors).toEqual([42]);
  expect(decodeArguments(data.subarray(HEADER_BYTES), { name: 'keymap', kinds: 'uhu' }, READERS)).toEqual([1, 7, 9]);
});

test('fixed-point numbers keep their sign and their fractions', () => {
  const { data } = encodeRequest(1, 0, { name: 'motion', kinds: 'ff' }, [-20.5, 0.25]);
  expect(decodeArguments(data.subarray(HEADER_BYTES), { name: 'motion', kinds: 'ff' }, READERS)).toEqual([-20.5, 0.25]);
});

test('an event that has not arrived completely waits for the rest', () => {
  const first = encodeRequest(1, 0, { name: 'a', kinds: 's' }, ['text']).data;
  const both = Buffer.concat([first, encodeRequest(2, 1, { name: 'b', kinds: 'u' }, [7]).data]);
  for (let end = 0; end < both.length; end++) {
    const { events, rest } = splitEvents(both.subarray(0, end));
    expect(events).toHaveLength(end < first.length ? 0 : 1);
    expect(Buffer.concat([...events.map(({ body }) => body), rest]).length).toBe(end - events.length * HEADER_BYTES);
  }
});
