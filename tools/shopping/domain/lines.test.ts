import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLines } from './lines.ts';
import { LIMITS } from './list.ts';

/** 'name', or 'count name' where another number than one is desired. */
const read = (text: string): readonly string[] =>
  readLines(text).items.map(({ name, desired }) => (desired === 1 ? name : `${desired} of ${name}`));

test('amounts are read before and behind the name', () => {
  for (const line of ['2 x milk', '2x milk', '2 X milk', '2× milk', 'x2 milk', '2 milk', 'milk 2', 'milk x2'])
    expect(read(line)).toEqual(['2 of milk']);
  for (const line of ['milk x 2', 'milk ×2', 'milk 2x', 'milk (2)', 'milk (x2)', 'milk: 2', 'milk - 2', 'milk, 2'])
    expect(read(line)).toEqual(['2 of milk']);
  expect(read('12 free range eggs')).toEqual(['12 of free range eggs']);
  expect(read('3 x 400 g tomatoes')).toEqual(['3 of 400 g tomatoes']);
  expect(read('6 xmas crackers')).toEqual(['6 of xmas crackers']);
});

test('what is measured stays in the name', () => {
  const lines = [
    '500 g flour',
    '500g flour',
    '1.5 l milk',
    '1/2 onion',
    '½ lemon',
    '2-3 onions',
    'milk 2 l',
    'milk 2l',
  ];
  const more = ['2 cups rice', 'cream 30 %', '1,5 kg potatoes', '2 tbsp. oil', '100 W bulb', '2xl shirts'];
  expect(read([...lines, ...more].join('\n'))).toEqual([...lines, ...more]);
});

test('a number that is no amount stays in the name', () => {
  const lines = [
    '2026 calendar',
    'vitamin B 12',
    '7',
    '0 x milk',
    '007 film',
    '2000000 x bolts',
    'x 2',
    '2 x',
    '12 34',
  ];
  expect(read(lines.join('\n'))).toEqual(lines);
});

test('bullets and numbering are taken off', () => {
  const lines = [
    '- milk',
    '* milk',
    '• milk',
    '•milk',
    '– milk',
    '-milk',
    '1. milk',
    '2) milk',
    '(3) milk',
    '- 1. milk',
  ];
  expect(read(lines.join('\n'))).toEqual(lines.map(() => 'milk'));
  expect(read('1. 2 x milk\n10. milk 2')).toEqual(['2 of milk', '2 of milk']);
  expect(read('-5 degree bag\n1.5 l')).toEqual(['-5 degree bag', '1.5 l']);
});

test('a line that is only a bullet, a number or a box is the name itself', () => {
  const lines = ['-', '•', '1.', '[ ]', '[x]', '- [ ]'];
  expect(read(lines.join('\n'))).toEqual(['-', '•', '1.', '[ ]', '[x]', '[ ]']);
});

test('a box makes a checkbox, and with an amount it tells whether all is there', () => {
  const { items } = readLines(
    '- [ ] eggs\n- [x] eggs\n1. [X] eggs\n☐ eggs\n☑️ eggs\n- [ ] 2 x milk\n- [x] 2 x milk\n[]eggs',
  );
  expect(items.map(({ name }) => name)).toEqual(['eggs', 'eggs', 'eggs', 'eggs', 'eggs', 'milk', 'milk', 'eggs']);
  expect(items.map(({ state }) => state)).toEqual([3, 1, 1, 3, 1, 0, 0, 3]);
  expect(items.slice(5, 7).map(({ actual, desired }) => [actual, desired])).toEqual([
    [0, 2],
    [2, 2],
  ]);
});

test('lines of a table, of Windows and of old files are read alike', () => {
  expect(read('\uFEFFmilk\t2\r\n\r\n  \teggs\r3\tbread rolls\n\u200B\n')).toEqual([
    '2 of milk',
    'eggs',
    '3 of bread rolls',
  ]);
});

test('a known name gets its emoji and is never taken apart', () => {
  const emojis: Readonly<Record<string, string>> = { 'omega 3': '💊', milk: '🥛' };
  const { items } = readLines('Omega 3\n2 Milk\nbread', { emojiOf: (name) => emojis[name.toLowerCase()] });
  expect(items.map(({ name, emoji, desired }) => [emoji, name, desired])).toEqual([
    ['💊', 'Omega 3', 1],
    ['🥛', 'Milk', 2],
    ['❓', 'bread', 1],
  ]);
});

test('lines over a limit are left, each with the reason', () => {
  const long = 'a'.repeat(LIMITS.name + 1);
  expect(readLines(`${long}\nmilk`)).toMatchObject({ items: [{ name: 'milk' }], left: [{ line: long }] });
  expect(readLines(`2 x ${'🥛'.repeat(LIMITS.name)}`).left).toEqual([]);
  const { items, left } = readLines('a\nb\nc', { room: 2 });
  expect([items.length, left.map(({ line }) => line)]).toEqual([2, ['c']]);
  expect(left[0]?.why).toBe('A list has at most 2000 items');
});

const NAME = fc
  .array(
    fc.string({
      unit: fc.constantFrom('a', 'b', 'c', 'é', 'ß', 'ø', 'Ł', '한', 'क', '𝒜', 'y'),
      minLength: 2,
      maxLength: 6,
    }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((words) => words.join(' '));
const COUNT = fc.integer({ min: 1, max: 999 });
const before = fc.constantFrom('', '- ', '* ', '• ', '1. ', '12) ', '\t', '  ');
const form = fc.constantFrom<(name: string, count: number) => string>(
  (name, count) => `${count} x ${name}`,
  (name, count) => `${count}x ${name}`,
  (name, count) => `${count} ${name}`,
  (name, count) => `${name} ${count}`,
  (name, count) => `${name} x${count}`,
  (name, count) => `${name}\t${count}`,
);

test('a list in any of the usual forms is read back as it was meant', () => {
  const line = fc.tuple(before, form, NAME, COUNT);
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\n\n'), (lines, end) => {
      const text = lines.map(([mark, write, name, count]) => `${mark}${write(name, count)}`).join(end);
      const { items, left } = readLines(text);
      expect(left).toEqual([]);
      expect(items.map(({ name, desired }) => [name, desired])).toEqual(
        lines.map(([, , name, count]) => [name, count]),
      );
    }),
  );
});

/** Letters that no reading may lose; an x may have been a sign for 'times' or a tick. */
const letters = (text: string): string =>
  (text.toWellFormed().match(/\p{L}/gu) ?? []).filter((each) => !/x/i.test(each)).join('');

test('every line that shows anything becomes one item within the limits, and no letter of it is lost', () => {
  const piece = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 0x1_f9_ff }), { maxLength: 8 }).map((points) => String.fromCodePoint(...points)),
    fc.constantFrom(
      '2',
      ' x ',
      'x2',
      '- ',
      '[ ] ',
      '[x]',
      '1. ',
      ' ',
      '\t',
      '(2)',
      'milk',
      'g',
      '\u200B',
      '\uFEFF',
      '\0',
      '☑',
      '🥛',
      '\uD800',
    ),
    fc.nat({ max: 3_000_000 }).map(String),
  );
  const line = fc
    .array(piece, { maxLength: 8 })
    .map((parts) => parts.join('').replaceAll(/[\n\r\v\f\u0085\u2028\u2029]/g, ''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const shown = lines.filter((each) => /[^\s\p{Cc}\p{Cf}]/u.test(each));
      const { items, left } = readLines(lines.join('\r\n'));
      expect(left).toEqual([]);
      expect(items.map(({ name }) => letters(name))).toEqual(shown.map(letters));
      for (const { name, desired, actual } of items) {
        expect(name).not.toBe('');
        expect(name).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect(name).toBe(name.trim());
        expect(Number.isInteger(desired) && desired >= 1 && desired <= LIMITS.quantity).toBe(true);
        expect([0, desired]).toContain(actual);
      }
    }),
    { numRuns: 200 },
  );
});

test('a line of any length is read at once', () => {
  for (const part of ['2 ', 'x ', 'a 1 ', '((', '- ', '[ ] ', 'a: ']) {
    expect(readLines(`a${part.repeat(50_000)}!`).left.length).toBe(1);
  }
});
