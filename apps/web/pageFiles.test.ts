import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { webTools } from './tools.ts';

/** Few enough that a browser requests them in two or three rounds. */
const MAX_SCRIPTS = 20;

test('every page has a few files of its own, and those of its frame', () => {
  const built = readFileSync(new URL('dist/.vite/pages.json', import.meta.url), 'utf8');
  const files = JSON.parse(built) as Readonly<Record<string, readonly string[]>>;
  const pages = webTools.flatMap((tool) => tool.pages);
  expect(Object.keys(files).toSorted()).toEqual(pages.map(({ path }) => path as string).toSorted());
  for (const { path, frame } of pages) {
    const ownFiles = files[path] ?? [];
    const scripts = ownFiles.filter((file) => file.endsWith('.js'));
    expect([path, scripts.length > 0, scripts.length <= MAX_SCRIPTS]).toEqual([path, true, true]);
    expect([path, ownFiles.some((file) => file.includes('/ShellFrame-'))]).toEqual([path, frame !== 'bare']);
    expect(ownFiles.filter((file) => file.includes('/index-'))).toEqual([]);
  }
  expect(files['/musicmusic']?.filter((file) => file.includes('/MusicPage-'))).toHaveLength(2);
});
