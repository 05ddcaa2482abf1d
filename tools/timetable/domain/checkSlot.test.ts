import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSlot, type SlotInput } from './checkSlot.ts';
import { toClock } from './clockTime.ts';
import { END_OF_DAY, type Slot, STATUSES } from './slot.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'ü', '👋', '\0', '\uD800', '"', '\n', ' '), maxLength: 230 });
const anyTime = fc.oneof(fc.integer({ min: 0, max: 1500 }).map(toClock), fc.constantFrom('24:00', '1e9', '', 'x', '9'));
const orNone = <Value>(any: fc.Arbitrary<Value>) => fc.option(any, { nil: undefined });
const anySent: fc.Arbitrary<SlotInput> = fc.record({
  name: anyText,
  start: orNone(anyTime),
  end: orNone(anyTime),
  description: orNone(anyText),
  colour: orNone(fc.array(fc.oneof(fc.integer({ min: -1, max: 256 }), fc.double()), { maxLength: 4 })),
  state: orNone(fc.oneof(fc.constantFrom(...STATUSES), fc.string())),
});
const anyColour = fc.integer({ min: 0, max: 255 });
const anySlot: fc.Arbitrary<Slot> = fc
  .record({
    name: fc.string({ maxLength: 100 }),
    description: fc.string({ maxLength: 100 }),
    times: fc.tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 1440 })),
    colour: fc.tuple(anyColour, anyColour, anyColour),
    status: fc.constantFrom(...STATUSES),
  })
  .map(({ times: [start, length], ...rest }) => ({ ...rest, start, end: Math.min(END_OF_DAY, start + length) }));

const sent: SlotInput = {
  name: 'Tea',
  start: '09:00',
  end: '10:00',
  description: 'green',
  colour: [1, 2, 3],
  state: 'Done',
};
const tea: Slot = { name: 'Tea', start: 540, end: 600, description: 'green', colour: [1, 2, 3], status: 'Done' };

describe('a slot that is sent', () => {
  test('is read completely', () => {
    expect(checkSlot(sent)).toEqual(tea);
    expect(checkSlot({ ...sent, start: '9', end: '24:00' })).toEqual({ ...tea, end: 1440 });
  });

  test('gets the defaults if it is new and has only a name', () => {
    expect(checkSlot({ name: 'Tea' })).toEqual({
      name: 'Tea',
      description: '',
      start: 720,
      end: 900,
      colour: [128, 128, 128],
      status: 'Not Started',
    });
  });

  test('keeps the fields that a change leaves out', () => {
    expect(checkSlot({ name: 'Coffee' }, tea)).toEqual({ ...tea, name: 'Coffee' });
    expect(checkSlot({ name: 'Tea', end: '11' }, tea)).toEqual({ ...tea, end: 660 });
  });

  test.each<[string, Partial<SlotInput>, string]>([
    ['zero length', { end: '9:00' }, '“Tea” starts and ends at 09:00. Enter a later end'],
    [
      'an end before its start',
      { start: '23:00', end: '01:00' },
      "“Tea” ends at 01:00, before it starts at 23:00. A slot can't cross midnight. End it by 24:00 and add the rest to the next day",
    ],
    [
      'an end after midnight',
      { end: '25:00' },
      "“Tea” can't end at “25:00”. A day ends at 24:00. Add the rest to the next day",
    ],
    ['a start at 24:00', { start: '24:00', end: '24:00' }, "“Tea” can't start at 24:00. Use 00:00 on the next day"],
    ['a number for a time', { start: '1e9' }, "“Tea” can't start at “1e9”. Enter a time like 09:30"],
    ['an empty time', { end: '' }, "“Tea” can't end at “”. Enter a time like 09:30"],
    ['half of its times', { end: undefined }, '“Tea” has a start but no end. Enter both'],
    ['the other half', { start: undefined }, '“Tea” has an end but no start. Enter both'],
    [
      'a status that is none',
      { state: 'done' },
      '“Tea” has the unknown status “done”. Choose one of Not Started, In Progress, Done, Skipped',
    ],
    ['a nameless one', { name: ' ', end: '09:00' }, 'The unnamed slot starts and ends at 09:00. Enter a later end'],
    [
      'a long name',
      { name: 'a'.repeat(201) },
      `The name “${'a'.repeat(40)}…” is too long. Enter at most 200 characters`,
    ],
    [
      'a long description',
      { description: '👋'.repeat(5001) },
      'The description of “Tea” is too long. Enter at most 5,000 characters',
    ],
  ])('%s is refused with a message', (_, change, sentence) => {
    expect(checkSlot({ ...sent, ...change })).toBe(sentence);
  });

  test('the name that marks a slot as deleted is refused', () => {
    expect(checkSlot({ ...sent, name: 'byebyeSLOT' })).toBe(
      "A slot can't be called byebyeSLOT, because that name marks deleted slots. Choose another name",
    );
    expect(checkSlot({ ...sent, name: ' byebyeSLOT' })).toMatchObject({ name: ' byebyeSLOT' });
  });

  test.each([[[]], [[1, 2]], [[1, 2, 3, 4]], [[256, 0, 0]], [[-1, 0, 0]], [[1.5, 0, 0]], [[1e9, 0, 0]], [[NaN, 0, 0]]])(
    'the colour %j is refused',
    (colour) => {
      expect(checkSlot({ ...sent, colour })).toBe(
        'The colour of “Tea” is not valid. Send red, green and blue as whole numbers from 0 to 255',
      );
    },
  );

  test('a name and a description of maximum length are stored, counted in code points', () => {
    const long = { ...sent, name: '👋'.repeat(200), description: '👋'.repeat(5000) };
    expect(checkSlot(long)).toMatchObject({ name: long.name, description: long.description });
  });

  test('a stored slot is valid and stays unchanged', () => {
    fc.assert(
      fc.property(anySlot, ({ start, end, status, ...rest }) => {
        const again = checkSlot({ ...rest, start: toClock(start), end: toClock(end), state: status });
        expect(again).toEqual({ ...rest, start, end, status });
      }),
    );
  });

  test('anything that is sent becomes a valid slot or a message', () => {
    fc.assert(
      fc.property(anySent, orNone(anySlot), (any, before) => {
        const checked = checkSlot(any, before);
        if (typeof checked === 'string') {
          expect(checked.length).toBeGreaterThan(20);
          expect(checked.length).toBeLessThan(300);
          expect(checked.isWellFormed()).toBe(true);
          return;
        }
        expect(checked.start).toBeLessThan(checked.end);
        expect(checked.end).toBeLessThanOrEqual(END_OF_DAY);
        expect(checked.name.isWellFormed() && !checked.name.includes('\0')).toBe(true);
        expect(checked.description.isWellFormed() && !checked.description.includes('\0')).toBe(true);
        expect(STATUSES).toContain(checked.status);
        expect(checked.colour.every((part) => Number.isInteger(part) && part >= 0 && part <= 255)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

test.each(['00:00', '0:00', '0', '12 am', '24:00'])('an end at %s is the end of the day', (end) => {
  expect(checkSlot({ name: 'Late', start: '23:00', end })).toMatchObject({ start: 1380, end: 1440 });
});

test('a slot from 00:00 to 00:00 is the whole day', () => {
  expect(checkSlot({ name: 'Fast', start: '00:00', end: '00:00' })).toMatchObject({ start: 0, end: 1440 });
});
