import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { listGlobalItems, collectListNames, type UsedName, normalizeName } from './itemNames.ts';

const createUsedName = (name: string, time: number, emoji = ''): UsedName => ({ name, emoji, time });
const CATALOGUE = [
  { name: 'Milk', emoji: '🥛' },
  { name: 'Tea', emoji: '🫖' },
];

test('names of all lists are offered once each, most recent first, followed by built-in ones', () => {
  const lists = [
    collectListNames(3, [
      createUsedName('milk', 9, '🍼'),
      createUsedName('Rye bread', 5),
      createUsedName('New item', 4),
      createUsedName(' ', 3),
    ]),
    collectListNames(7, [
      createUsedName('Rye  Bread', 8, '🍞'),
      createUsedName('MILK', 2, '🥛'),
      createUsedName('rye bread', 1),
    ]),
  ];
  expect(listGlobalItems(lists, CATALOGUE)).toEqual([
    { name: 'milk', emoji: '🍼', from: [3, 7] },
    { name: 'Rye  Bread', emoji: '🍞', from: [3, 7] },
    { name: 'Tea', emoji: '🫖', from: [0] },
  ]);
  expect(listGlobalItems([], CATALOGUE).map(({ name }) => name)).toEqual(['Milk', 'Tea']);
});

test('for any lists, names are ordered by time, distinct, and have all their lists', () => {
  const used = fc.record({ name: fc.constantFrom('a', 'A', 'b', 'c ', 'd', 'e'), time: fc.nat(20) });
  const lists = fc.array(
    fc.array(used, { maxLength: 8 }).map((all) => all.toSorted((a, b) => b.time - a.time)),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(lists, (all) => {
      const offered = listGlobalItems(
        all.map((names, index) =>
          collectListNames(
            index + 1,
            names.map(({ name, time }) => createUsedName(name, time)),
          ),
        ),
        [],
      );
      const latest = (name: string): number =>
        Math.max(
          ...all
            .flat()
            .filter((usedName) => normalizeName(usedName.name) === normalizeName(name))
            .map(({ time }) => time),
        );
      const times = offered.map(({ name }) => latest(name));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(new Set(offered.map(({ name }) => normalizeName(name)))).toEqual(
        new Set(all.flat().map(({ name }) => normalizeName(name))),
      );
      expect(new Set(offered.map(({ name }) => normalizeName(name))).size).toBe(offered.length);
      for (const { name, from } of offered)
        expect(from).toEqual(
          all.flatMap((names, index) =>
            names.some((usedName) => normalizeName(usedName.name) === normalizeName(name)) ? [index + 1] : [],
          ),
        );
    }),
  );
});

test('only the thousand most recently used names are offered', () => {
  const many = Array.from({ length: 1500 }, (_, index) => createUsedName(`name ${index}`, 5000 - index));
  const offered = listGlobalItems([collectListNames(1, many)], CATALOGUE);
  expect([offered.length, offered[999]?.name, offered[1000]?.name]).toEqual([1002, 'name 999', 'Milk']);
});
