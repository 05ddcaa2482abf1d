import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_KEYS, applySorting, type Hotkeys, type CategoryAssignment, type SortingRequest } from './category.ts';

const keys = (more: Partial<Hotkeys> = {}): Hotkeys => ({ ...NO_KEYS, ...more });
const current: CategoryAssignment = {
  categories: [
    { name: 'web', keys: keys({ up: 'F9' }) },
    { name: 'play', keys: keys() },
  ],
  unassignedKeys: keys({ mute: 'F8' }),
  categoryByApplication: new Map([
    ['firefox', 'web'],
    ['chess', 'play'],
    ['xterm', 'unassigned'],
  ]),
};
const request = (more: Partial<SortingRequest>): SortingRequest => ({ keys: {}, cats: {}, ...more });
const sortAndList = (more: Partial<SortingRequest>) =>
  Object.fromEntries(applySorting(current, request(more)).categoryByApplication);

test('applications are in the requested category, and known ones that are left out are unassigned', () => {
  expect(sortAndList({ cats: { web: ['xterm'], play: ['chess'] } })).toEqual({
    firefox: 'unassigned',
    chess: 'play',
    xterm: 'web',
  });
  // Firefox is newer: it stays as long as its category exists.
  expect(sortAndList({ cats: { web: ['xterm'], play: [] }, known: ['chess', 'xterm'] })).toEqual({
    firefox: 'web',
    chess: 'unassigned',
    xterm: 'web',
  });
  expect(sortAndList({ cats: { unassigned: ['xterm'], play: [] }, known: ['xterm', 'chess'] })['firefox']).toBe(
    'unassigned',
  );
});

test('a hotkey is stored in one form, however it was written', () => {
  const { categories } = applySorting(
    current,
    request({ cats: { web: [] }, keys: { web: keys({ up: ' ctrl+alt+m ' }) } }),
  );
  expect(categories).toEqual([{ name: 'web', keys: keys({ up: 'Ctrl-Alt-M' }) }]);
});

test('unassigned applications have hotkeys too, which stay if a save does not mention them', () => {
  const unassigned = keys({ up: ' shift+F7 ' });
  expect(applySorting(current, request({ keys: { unassigned } })).unassignedKeys).toEqual(keys({ up: 'Shift-F7' }));
  expect(applySorting(current, request({})).unassignedKeys).toEqual(keys({ mute: 'F8' }));
});

test('a category that the page did not know stays, with its applications', () => {
  const { categories, categoryByApplication } = applySorting(
    current,
    request({ cats: { play: ['chess'] }, known: ['chess', 'xterm'], knownCategories: ['play'] }),
  );
  expect(categories).toEqual([
    { name: 'play', keys: keys() },
    { name: 'web', keys: keys({ up: 'F9' }) },
  ]);
  expect(categoryByApplication.get('firefox')).toBe('web');
});

test.each<[Partial<SortingRequest>, string]>([
  [{ cats: { '': [] } }, 'Enter a name for the category'],
  [{ cats: { ' \n': [] } }, 'Enter a name for the category'],
  [{ cats: { ' a': [] } }, 'starts or ends with a space'],
  [{ cats: { ['__proto__']: [] } }, "A category can't be called “__proto__”. Choose another name"],
  [{ cats: { 'a\0b': [] } }, "characters that can't be stored"],
  [{ cats: { ['👋'.repeat(101)]: [] } }, 'is too long. Enter at most 100 characters'],
  [{ cats: { web: ['nano'] } }, 'There is no application “nano”'],
  [{ cats: { web: ['__proto__'] } }, 'There is no application “__proto__”'],
  [{ cats: { web: ['chess', 'chess'] } }, '“chess” is in “web” twice'],
  [{ cats: { web: ['chess'], unassigned: ['chess'] } }, '“chess” is in both “web” and “unassigned”'],
  [{ cats: {}, keys: { web: keys() } }, 'There are hotkeys for “web”, but there is no such category'],
  [{ cats: {}, keys: { toString: keys() } }, 'no such category'],
  [{ cats: {}, keys: { unassigned: keys({ up: 'Any' }) } }, 'The key for up of “unassigned”: There is no key'],
  [
    { cats: { web: [] }, keys: { web: keys({ mute: 'x'.repeat(41) }) } },
    'The key for mute of “web”: The hotkey is too long. Enter at most 40 characters',
  ],
  [{ cats: { web: [] }, keys: { web: keys({ up: 'Any' }) } }, "The key for up of “web”: There is no key called 'Any'"],
  [
    { cats: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`n${index}`, []])) },
    'You can have at most 200 categories. Delete one first',
  ],
])('%j is refused in a sentence', (more, sentence) => {
  expect(() => applySorting(current, request(more))).toThrow(sentence);
});

const name = fc.constantFrom('web', 'play', 'constructor', 'toString', 'a b', '👋', '"q"', 'total', '7');
const key = fc.constantFrom('', 'x', 'F9', 'Ctrl-Alt-M');
const threeKeys = fc.record({ up: key, down: key, mute: key });
const sortings = fc
  .record({
    unassignedKeys: threeKeys,
    categories: fc.uniqueArray(fc.record({ name, keys: threeKeys }), {
      selector: (category) => category.name,
    }),
    places: fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.nat()), { selector: ([app]) => app }),
  })
  .map(({ categories, unassignedKeys, places }): CategoryAssignment => {
    const names = ['unassigned', ...categories.map((category) => category.name)];
    return {
      categories,
      unassignedKeys,
      categoryByApplication: new Map(places.map(([app, at]) => [app, names[at % names.length] ?? 'unassigned'])),
    };
  });
const requestedSortings = ({
  categories,
  unassignedKeys,
  categoryByApplication,
}: CategoryAssignment): SortingRequest => ({
  keys: Object.fromEntries([
    ['unassigned', unassignedKeys],
    ...categories.map((category) => [category.name, category.keys] as const),
  ]),
  cats: Object.fromEntries(
    ['unassigned', ...categories.map((category) => category.name)].map((category) => [
      category,
      [...categoryByApplication].flatMap(([app, place]) => (place === category ? [app] : [])),
    ]),
  ),
});

test('saving what was read changes nothing, and no application is ever lost', () => {
  fc.assert(
    fc.property(sortings, sortings, (sorting, other) => {
      const again = applySorting(sorting, requestedSortings(sorting));
      expect(again.categoryByApplication).toEqual(sorting.categoryByApplication);
      expect(again.unassignedKeys).toEqual(sorting.unassignedKeys);
      expect(again.categories).toHaveLength(sorting.categories.length);
      expect(again.categories).toEqual(expect.arrayContaining([...sorting.categories]));
      const renewed = { ...other, categoryByApplication: sorting.categoryByApplication };
      const places = applySorting(renewed, { ...requestedSortings(sorting), known: [] });
      expect([...places.categoryByApplication.keys()]).toEqual([...sorting.categoryByApplication.keys()]);
      const names = new Set(['unassigned', ...places.categories.map((category) => category.name)]);
      expect([...places.categoryByApplication.values()].every((place) => names.has(place))).toBe(true);
    }),
  );
});
