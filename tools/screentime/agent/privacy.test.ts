import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { setActivityWatch } from './activitywatch/activityWatch.ts';
import { openPrivacy, setPrivacy } from './privacy.ts';

test('settings can be made on a computer where no agent ever ran, and only their owner can read them', () => {
  const [state, other] = [join(createTempFolderSync(), 'state', 'pegboard'), join(createTempFolderSync(), 'pegboard')];
  expect(setPrivacy(state, 'exclude', ['Diary'])).toEqual(['Excluded: Diary']);
  expect(openPrivacy(state).isExcluded('diary')).toBe(true);
  expect(setActivityWatch(other, ['on'])).toEqual(['ActivityWatch watchers can connect when the agent is running']);
  for (const folder of [state, other]) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a pause that ends on another day shows the date', () => {
  const folder = createTempFolderSync();
  const [line = ''] = setPrivacy(folder, 'pause usage', ['2880']);
  const endDate = new Date(Date.now() + 2 * 86_400_000).toDateString().slice(0, 10);
  expect(line).toMatch(new RegExp(`^Usage tracking is paused until ${endDate}, \\d\\d:\\d\\d$`));
  expect(openPrivacy(folder).status()).toEqual([expect.stringMatching(`^paused until ${endDate}, `)]);
});

test('a pause keeps its length, however the system clock is changed', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const turned of [DAY_MS, -DAY_MS]) {
    const folder = createTempFolderSync();
    let steady = Date.now();
    const advance = (minutes: number): void => {
      steady += minutes * MINUTE_MS;
      vi.setSystemTime(Date.now() + minutes * MINUTE_MS);
    };
    const privacy = openPrivacy(folder, () => steady);
    privacy.run('pause usage', ['15']);
    vi.setSystemTime(Date.now() + turned);
    advance(14);
    // Other commands don't end it, and store its end by the current clock.
    privacy.run('exclude', ['Diary']);
    expect(privacy.status()[0]).toContain(new Date(Date.now() + MINUTE_MS).toTimeString().slice(0, 5));
    const restarted = openPrivacy(folder, () => steady);
    expect([privacy.isPaused(), restarted.isPaused()]).toEqual([true, true]);
    advance(1);
    expect([privacy.isPaused(), restarted.isPaused()]).toEqual([false, false]);
    expect(privacy.status()).toEqual(['excluded: Diary']);
  }
});

test('a setting that can’t be stored applies while the agent runs, and the agent says so', () => {
  const folder = createTempFolderSync();
  const privacy = openPrivacy(folder);
  // The file can't be replaced, as on a full disk.
  mkdirSync(join(folder, 'usage.json.part'));
  expect(privacy.run('pause usage', [])).toEqual([
    expect.stringMatching(/tracking is paused until/),
    expect.stringMatching(/^This lasts only until the agent stops: Cannot write .*usage\.json: /),
  ]);
  expect(privacy.isPaused()).toBe(true);
  expect(() => setPrivacy(folder, 'exclude', ['Diary'])).toThrow(Refusal);
});

test('a program is excluded by the name that pages show, and `include` says what it needs', () => {
  const folder = createTempFolderSync();
  const privacy = openPrivacy(folder);
  privacy.run('exclude', ['total', '(app)']);
  expect([privacy.isExcluded('total'), privacy.isExcluded('Totalizer')]).toEqual([true, false]);
  expect(() => privacy.run('include', [])).toThrow('Enter the application to include. Excluded: total (app)');
});
