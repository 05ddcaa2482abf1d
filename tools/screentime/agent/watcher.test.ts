import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fakeDrivers } from '#platform/agent/drivers/fake.ts';
import type { Piece } from '../domain/measure.ts';
import { openPrivacy } from './privacy.ts';
import { startWatcher } from './watcher.ts';

test('what one window is called is never told of another, however slowly the display answers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-watcher-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const privacy = openPrivacy(folder);
  privacy.obey('titles', ['on']);
  privacy.obey('exclude', ['Diary']);
  const drivers = fakeDrivers();
  const diary = { id: 1, application: 'Diary', pid: 101, title: 'what I did' };
  const editor = { id: 2, application: 'Editor', pid: 102, title: 'letter.txt' };
  drivers.showWindows([diary, editor]);
  let isSlow = false;
  const titleOf = (id: number): Promise<string> =>
    isSlow ? new Promise(() => undefined) : drivers.windows.titleOf(id);
  let now = Date.now();
  const pieces: Piece[] = [];
  const watcher = startWatcher({
    drivers: { ...drivers, windows: { ...drivers.windows, titleOf } },
    clock: () => now,
    spool: { write: (_source: string, ended: readonly Piece[]) => void pieces.push(...ended) } as never,
    privacy,
    isPaused: () => false,
    folder,
  });
  await expect.poll(watcher.status).toContain('in use: nothing');
  isSlow = true;
  drivers.showWindows([diary, editor], 2);
  now += 1000;
  // The sound changes meanwhile, which is looked at without asking.
  drivers.use([]);
  now += 1000;
  watcher.stop();
  expect(pieces.filter(({ status }) => status === 'on')).toEqual([
    { app: 'Editor', status: 'on', from: now - 1000, until: now },
  ]);
});
