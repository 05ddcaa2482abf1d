import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';

const { filterActions } = await loadWithWindow(() => import('./Palette.tsx'));

const ACTIONS = [
  {
    group: 'Commands',
    actions: [
      { id: 'a', label: 'Don’t disturb' },
      { id: 'b', label: 'Café – play' },
    ],
  },
  { group: 'Pages', actions: [{ id: 'c', label: 'Music', description: '/musicmusic', keywords: ['Songs', 'Œuvre'] }] },
];
const listMatchingIds = (query: string): readonly unknown[] =>
  filterActions(query, ACTIONS).flatMap(({ actions }) => actions.map(({ id }) => id));

test.each([
  ["don't", ['a']],
  ['dont', ['a']],
  ['CAFE - ', ['b']],
  ['oeuvre', ['c']],
  ['music', ['c']],
  ['', ['a', 'b', 'c']],
  ['nothing', []],
])('%j finds %j', (query, ids) => {
  expect(listMatchingIds(query)).toEqual(ids);
});

test('matches in the label come before other matches', () => {
  const actions = [
    { id: 'late', label: 'x', keywords: 'play' },
    { id: 'first', label: 'Play' },
  ];
  expect(filterActions('play', [{ group: 'One', actions }])[0]?.actions.map(({ id }) => id)).toEqual(['first', 'late']);
});
