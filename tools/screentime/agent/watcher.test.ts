import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import type { ReportedInterval } from '../usage/domain/interval.ts';
import { openPrivacy } from './privacy.ts';
import { startWatcher, type WatcherOptions } from './watcher.ts';

/** Creates a watcher on these drivers, with a fake clock. */
function startWatching(folder: string, drivers: WatcherOptions['drivers'], privacy = openPrivacy(folder)) {
  let now = Date.now();
  const intervals: ReportedInterval[] = [];
  const watcher = startWatcher({
    drivers,
    clock: () => now,
    spool: { write: (_source: string, ended: readonly ReportedInterval[]) => void intervals.push(...ended) } as never,
    privacy,
    isPaused: () => false,
    folder,
  });
  onTestFinished(watcher.stop);
  return { watcher, intervals, now: () => now, advance: (ms: number) => void (now += ms) };
}

test('a window’s title is never attributed to another, however slow the display is', async () => {
  const folder = createTempFolderSync();
  const privacy = openPrivacy(folder);
  privacy.run('titles', ['on']);
  privacy.run('exclude', ['Diary']);
  const drivers = createFakeDrivers();
  const diary = { id: 1, application: 'Diary', pid: 101, title: 'what I did' };
  const editor = { id: 2, application: 'Editor', pid: 102, title: 'letter.txt' };
  drivers.showWindows([diary, editor]);
  let isSlow = false;
  const getTitle = (id: number): Promise<string> =>
    isSlow ? new Promise(() => undefined) : drivers.windows.getTitle(id);
  const windows = { ...drivers.windows, getTitle };
  const { watcher, intervals, now, advance } = startWatching(folder, { ...drivers, windows }, privacy);
  await expect.poll(watcher.status).toContain('in use: nothing');
  isSlow = true;
  drivers.showWindows([diary, editor], 2);
  advance(1000);
  // The sound changes meanwhile, which needs no request.
  drivers.setSoundUses([]);
  advance(1000);
  watcher.stop();
  expect(intervals.filter(({ status }) => status === 'on')).toEqual([
    { app: 'Editor', status: 'on', from: now() - 1000, until: now() },
  ]);
});

test('a sign of life that can’t be written, or was deleted, stops nothing', async () => {
  const folder = createTempFolderSync();
  const alive = join(folder, 'usage.alive');
  mkdirSync(alive);
  const drivers = createFakeDrivers();
  drivers.showWindows([{ id: 1, application: 'Editor', pid: 101 }]);
  const { watcher } = startWatching(folder, drivers);
  await expect.poll(watcher.status).toContain('in use: Editor');
  rmSync(alive, { recursive: true });
  await expect.poll(() => existsSync(alive)).toBe(true);
});
