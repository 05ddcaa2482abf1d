import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { removeMeasure } from './amounts.ts';
import { LIMITS } from './list.ts';
import { parseLines } from './pastedLines.ts';

/** 'name', or 'count name' if the desired number is not one. */
const parseItems = (text: string): readonly string[] =>
  parseLines(text).items.map(({ name, desired }) => (desired === 1 ? name : `${desired} of ${name}`));

test('amounts are read before and after the name', () => {
  for (const line of ['2 x milk', '2x milk', '2 X milk', '2× milk', 'x2 milk', '2 milk', 'milk 2', 'milk x2'])
    expect(parseItems(line)).toEqual(['2 of milk']);
  for (const line of ['milk x 2', 'milk ×2', 'milk 2x', 'milk (2)', 'milk (x2)', 'milk: 2', 'milk - 2', 'milk, 2'])
    expect(parseItems(line)).toEqual(['2 of milk']);
  expect(parseItems('12 free range eggs')).toEqual(['12 of free range eggs']);
  expect(parseItems('3 x 400 g tomatoes')).toEqual(['3 of tomatoes (400 g)']);
  expect(parseItems('6 xmas crackers')).toEqual(['6 of xmas crackers']);
});

test('a measure makes one item, with the measure after its name', () => {
  const measured: Readonly<Record<string, string>> = {
    '500 g flour': 'flour (500 g)',
    '500g flour': 'flour (500 g)',
    '500 g of flour': 'flour (500 g)',
    'pasta 500g': 'pasta (500 g)',
    'pasta: 500 g': 'pasta (500 g)',
    'milk (1l)': 'milk (1 l)',
    'milk (1 l)': 'milk (1 l)',
    '2 l milk': 'milk (2 l)',
    '1 kg potatoes': 'potatoes (1 kg)',
    '1.5 l cola': 'cola (1.5 l)',
    '1,5 l cola': 'cola (1,5 l)',
    '1 1/2 cups flour': 'flour (1 1/2 cups)',
    '1½ cups flour': 'flour (1½ cups)',
    '2 tbsp. oil': 'oil (2 tbsp.)',
    '2 fl oz cream': 'cream (2 fl oz)',
    '2 cloves garlic': 'garlic (2 cloves)',
    '500-600 g mince': 'mince (500-600 g)',
    '~500 g mince': 'mince (~500 g)',
    'vitamin C 500 mg': 'vitamin C (500 mg)',
    '½ cucumber': 'cucumber (½)',
    '½cucumber': 'cucumber (½)',
    'cucumber ½': 'cucumber (½)',
    '1/2 onion': 'onion (1/2)',
    '1 1/2 onions': 'onions (1 1/2)',
    '0.5 cucumber': 'cucumber (0.5)',
    '2-3 onions': 'onions (2-3)',
    '- [ ] 500 g flour': 'flour (500 g)',
  };
  for (const [line, name] of Object.entries(measured)) expect([line, ...parseItems(line)]).toEqual([line, name]);
});

test('a measure with a count, and containers, are read together', () => {
  const both: Readonly<Record<string, string>> = {
    '2 x 500 g flour': '2 of flour (500 g)',
    '500 g flour 2': '2 of flour (500 g)',
    'cola 1.5l x 6': '6 of cola (1.5 l)',
    'cola 6 x 330 ml': '6 of cola (330 ml)',
    '6x330ml cola': '6 of cola (330 ml)',
    '2 tins tomatoes': '2 of tomatoes (tins)',
    '2 tins of tomatoes': '2 of tomatoes (tins)',
    'tomatoes 2 tins': '2 of tomatoes (tins)',
    '2 dozen eggs': '24 of eggs',
    '1 bottle of wine': 'wine (bottle)',
    '1 pack butter': 'butter (pack)',
  };
  for (const [line, item] of Object.entries(both)) expect([line, ...parseItems(line)]).toEqual([line, item]);
  expect(parseItems('1 tin opener\n2 can openers')).toEqual(['tin opener', '2 of can openers']);
});

test('a number that describes the thing stays in the name', () => {
  const lines = [
    '6-pack beer',
    '6 pack beer',
    '7up',
    'vitamin B12',
    'WD-40',
    '100% juice',
    '100 % juice',
    'cream 30 %',
  ];
  const more = ['100 W bulb', '2xl shirts', '5G router', '50/50 bread', '3-6 month nappies', '12 year old whisky'];
  const others = [
    '2 in 1 shampoo',
    '3 ply tissues',
    'nappies size 5',
    '9V battery',
    '30 cm ruler',
    '500 ml',
    '1.5 l',
    '½',
  ];
  expect(parseItems([...lines, ...more, ...others].join('\n'))).toEqual([...lines, ...more, ...others]);
});

test('a number that is not an amount stays in the name', () => {
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
  expect(parseItems(lines.join('\n'))).toEqual(lines);
});

test('bullets and numbering are removed', () => {
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
  expect(parseItems(lines.join('\n'))).toEqual(lines.map(() => 'milk'));
  expect(parseItems('1. 2 x milk\n10. milk 2')).toEqual(['2 of milk', '2 of milk']);
  expect(parseItems('-5 degree bag\n1.5 l')).toEqual(['-5 degree bag', '1.5 l']);
});

test('a line with only a bullet, a number or a box becomes the name', () => {
  const lines = ['-', '•', '1.', '[ ]', '[x]', '- [ ]'];
  expect(parseItems(lines.join('\n'))).toEqual(['-', '•', '1.', '[ ]', '[x]', '[ ]']);
});

test('a box makes a checkbox; with an amount it says whether everything is there', () => {
  const { items } = parseLines(
    '- [ ] eggs\n- [x] eggs\n1. [X] eggs\n☐ eggs\n☑️ eggs\n- [ ] 2 x milk\n- [x] 2 x milk\n[]eggs',
  );
  expect(items.map(({ name }) => name)).toEqual(['eggs', 'eggs', 'eggs', 'eggs', 'eggs', 'milk', 'milk', 'eggs']);
  expect(items.map(({ state }) => state)).toEqual([3, 1, 1, 3, 1, 0, 0, 3]);
  expect(items.slice(5, 7).map(({ actual, desired }) => [actual, desired])).toEqual([
    [0, 2],
    [2, 2],
  ]);
});

test('tables and all kinds of line endings are read alike', () => {
  expect(parseItems('\uFEFFmilk\t2\r\n\r\n  \teggs\r3\tbread rolls\n\u200B\n')).toEqual([
    '2 of milk',
    'eggs',
    '3 of bread rolls',
  ]);
});

test('a known name gets its emoji and is never split', () => {
  const emojis: Readonly<Record<string, string>> = { 'omega 3': '💊', milk: '🥛' };
  const { items } = parseLines('Omega 3\n2 Milk\nbread', { findEmoji: (name) => emojis[name.toLowerCase()] });
  expect(items.map(({ name, emoji, desired }) => [emoji, name, desired])).toEqual([
    ['💊', 'Omega 3', 1],
    ['🥛', 'Milk', 2],
    ['❓', 'bread', 1],
  ]);
});

test('lines over a limit are left, each with its reason', () => {
  const long = 'a'.repeat(LIMITS.name + 1);
  expect(parseLines(`${long}\nmilk`)).toMatchObject({ items: [{ name: 'milk' }], unparsed: [{ line: long }] });
  expect(parseLines(`2 x ${'🥛'.repeat(LIMITS.name)}`).unparsed).toEqual([]);
  const { items, unparsed } = parseLines('a\nb\nc', { maxItems: 2 });
  expect([items.length, unparsed.map(({ line }) => line)]).toEqual([2, ['c']]);
  expect(unparsed[0]?.reason).toBe('A list can have at most 2,000 items');
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
  (name, count) => (count > 50 ? `${name}: ${count}` : `${name} ${count}`),
  (name, count) => `${name} x${count}`,
  (name, count) => `${name}\t${count}`,
);

test('a list written in any usual form is read as intended', () => {
  const line = fc.tuple(before, form, NAME, COUNT);
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\n\n'), (lines, end) => {
      const text = lines.map(([mark, write, name, count]) => `${mark}${write(name, count)}`).join(end);
      const { items, unparsed } = parseLines(text);
      expect(unparsed).toEqual([]);
      expect(items.map(({ name, desired }) => [name, desired])).toEqual(
        lines.map(([, , name, count]) => [name, count]),
      );
    }),
  );
});

test('a measure in any usual form goes after the name, which keeps all of its words', () => {
  const number = fc.constantFrom('1', '2', '500', '1.5', '1,5', '½', '1½', '1/2', '1 1/2', '2-3');
  const unit = fc.constantFrom('g', 'kg', 'ml', 'l', 'L', 'oz', 'lb', 'cups', 'tbsp', 'pinches', 'litres');
  const measure = fc.tuple(number, unit);
  const write = fc.constantFrom<(name: string, amount: string, unit: string) => string>(
    (name, amount, of) => `${amount} ${of} ${name}`,
    (name, amount, of) => `${amount}${of} ${name}`,
    (name, amount, of) => `${amount} ${of} of ${name}`,
    (name, amount, of) => `${name} ${amount} ${of}`,
    (name, amount, of) => `${name}, ${amount}${of}`,
    (name, amount, of) => `${name} (${amount} ${of})`,
  );
  fc.assert(
    fc.property(before, write, NAME, measure, (mark, written, name, [amount, of]) => {
      expect(parseItems(`${mark}${written(name, amount, of)}`)).toEqual([`${name} (${amount} ${of})`]);
      expect(removeMeasure(`${name} (${amount} ${of})`)).toBe(name);
    }),
  );
});

test('a name without a number is not changed', () => {
  fc.assert(
    fc.property(before, NAME, (mark, name) => {
      expect(parseItems(`${mark}${name}`)).toEqual([name]);
    }),
  );
});

/** Sorted letters that must survive reading; an x may have been 'times' or a tick. */
const letters = (text: string): string =>
  (
    text
      .toWellFormed()
      .replaceAll(/\bof\b/gi, '')
      .match(/\p{L}/gu) ?? []
  )
    .filter((word) => !/x/i.test(word))
    .toSorted()
    .join('');

test('every visible line becomes one item within the limits, without losing a letter', () => {
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
      ' kg ',
      ' of ',
      '½',
      ' 1/2 ',
      ' tins ',
      '-',
      ',',
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
      const shown = lines.filter((text) => /[^\s\p{Cc}\p{Cf}]/u.test(text));
      const { items, unparsed } = parseLines(lines.join('\r\n'));
      expect(unparsed).toEqual([]);
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

test('a line of any length is read fast', () => {
  for (const part of ['2 ', 'x ', 'a 1 ', '((', '- ', '[ ] ', 'a: ', '1 1/2 ', '500 g ', '2-']) {
    expect(parseLines(`a${part.repeat(50_000)}!`).unparsed.length).toBe(1);
    // The longest line that is still parsed.
    const line = `${part.repeat(500).slice(0, 190)}!`;
    expect(parseLines(`${line}\n`.repeat(100)).items).toHaveLength(100);
  }
});
