import { expect, test } from 'vitest';
import { listPickerGroups, toggleApplication, toggleGroup } from './picker.ts';

const data = {
  work: [
    { name: 'gimp', '2w': false },
    { name: 'dbeaver', '2w': true },
    { name: 'code', '2w': true },
  ],
  media: [{ name: 'vlc', '2w': true }],
};
const hours = new Map([
  ['code', 61],
  ['dbeaver', 3],
]);

test('applications are grouped by category, recently used ones separately, most used first', () => {
  expect(listPickerGroups(data, hours, '')).toEqual([
    { category: 'work', recent: ['code', 'dbeaver'], older: ['gimp'] },
    { category: 'media', recent: ['vlc'], older: [] },
  ]);
});

test('any part of an application’s or category’s name finds it, in any case', () => {
  expect(listPickerGroups(data, hours, ' GIM').map(({ category, older }) => [category, older])).toEqual([
    ['work', ['gimp']],
  ]);
  expect(listPickerGroups(data, hours, 'medi')).toEqual([{ category: 'media', recent: ['vlc'], older: [] }]);
  expect(listPickerGroups(data, hours, 'none')).toEqual([]);
});

test('a category is switched as a whole, to the opposite of its last application', () => {
  const group = ['code', 'dbeaver', 'gimp'];
  expect(toggleGroup(['vlc', 'code'], group)).toEqual(['vlc', 'code', 'dbeaver', 'gimp']);
  expect(toggleGroup(['vlc', 'gimp'], group)).toEqual(['vlc']);
  expect(toggleGroup(['vlc'], [])).toEqual(['vlc']);
  expect(toggleApplication(toggleApplication(['vlc'], 'code'), 'vlc')).toEqual(['code']);
});
