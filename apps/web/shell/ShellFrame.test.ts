import { expect, test } from 'vitest';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';
import { pageList } from '../../server/pages.ts';

const { getOfflineText } = await loadWithWindow(() => import('./ShellFrame.tsx'));

const listPaths = (text: string): readonly string[] =>
  pageList
    .filter((page) => getOfflineText(page) === text)
    .map(({ path }) => path)
    .toSorted();

test('only pages that send changes later promise it', () => {
  expect(listPaths('Offline. Changes are stored in this browser and sent when the connection is back')).toEqual([
    '/messages',
    '/shopplanner',
  ]);
});

test('a page that needs no server does not warn about lost changes', () => {
  expect(listPaths('Offline. The server cannot be reached, but this page works without it')).toEqual([
    '/stopwatch',
    '/stopwatch/minify',
  ]);
});

test('the dashboard says that typed text stays', () => {
  expect(listPaths('Offline. Your text stays here until you send it again')).toEqual(['/dashboard']);
});

test('every other page warns that changes may not be saved', () => {
  const others = listPaths('Offline. The server cannot be reached, so your changes may not be saved');
  expect(others).toContain('/timetable');
  expect(others).toContain('/calendar');
  expect(others).toHaveLength(pageList.length - 5);
});
