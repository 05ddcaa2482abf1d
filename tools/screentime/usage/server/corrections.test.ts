import { expect } from 'vitest';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { startReporter, listStory } from '#testing/kits/usage/reports.ts';
import { changeusage, importactivitywatch, usagestory } from '../../contract.ts';

const DATE = '2026-11-22';
const now = () => Temporal.Instant.from(`${DATE}T20:00:00Z`);
const at = (text: string): number => Temporal.Instant.from(`${DATE}T${text}Z`).epochMilliseconds;
type CorrectedInterval = RequestInputOf<typeof changeusage>['remove'][number];
const createInterval = (
  application: string,
  from: string,
  until: string,
  status: CorrectedInterval['status'] = 'on',
): CorrectedInterval => ({
  application,
  status,
  from: at(from),
  until: at(until),
});

testOnBothDatabases('a wrong interval is removed or replaced, and can be restored', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const { id: device, report } = await startReporter(server, anna);
  await report(1, [
    { app: 'Firefox', status: 'on', from: at('10:00:00'), until: at('10:10:00'), title: 'Secret' },
    { app: 'total', status: 'on', from: at('10:10:00'), until: at('10:20:00') },
  ]);
  const before = ['Firefox on 10:00:00 10:10:00 Secret', 'total (app) on 10:10:00 10:20:00'];
  expect(await listStory(anna, DATE)).toEqual(before);

  // Part of one becomes another application, which is new.
  const remove = [createInterval('Firefox', '10:05:00', '10:10:00')];
  const add = [createInterval('Code', '10:05:00', '10:08:00'), createInterval('Code', '10:08:00', '10:10:00', 's')];
  await anna.call(changeusage, { device, remove, add });
  const corrected = ['Firefox on 10:00:00 10:05:00', 'Code on 10:05:00 10:08:00', 'Code s 10:08:00 10:10:00'];
  expect((await listStory(anna, DATE)).slice(0, 3)).toEqual(corrected);
  // A repeated report restores nothing.
  await report(1, [{ app: 'Firefox', status: 'on', from: at('10:00:00'), until: at('10:10:00') }]);
  expect((await listStory(anna, DATE)).slice(0, 3)).toEqual(corrected);
  await anna.call(changeusage, { device, remove: add, add: remove });
  expect(await listStory(anna, DATE)).toEqual(['Firefox on 10:00:00 10:10:00', before[1]]);
  await anna.call(changeusage, { device, remove: [createInterval('total (app)', '10:10:00', '10:20:00')], add: [] });
  const remaining = ['Firefox on 10:00:00 10:10:00'];
  expect(await listStory(anna, DATE)).toEqual(remaining);

  // Corrections are atomic.
  const whole = createInterval('Firefox', '10:00:00', '10:10:00');
  const bad: readonly (readonly [readonly CorrectedInterval[], readonly CorrectedInterval[], string])[] = [
    [[whole, createInterval('Firefox', '10:09:00', '10:10:00')], [], 'changed elsewhere after you opened it'],
    [[createInterval('Nobody', '10:00:00', '10:01:00')], [], 'There is no application “Nobody”'],
    [[createInterval('total', '10:00:00', '10:01:00')], [], "An application can't be called total. Enter another name"],
    [[], [createInterval('Code', '10:09:59', '10:11:00')], 'Another application is in focus at that time'],
    [[whole], [createInterval('Code', '11:00:00', '10:00:00')], 'must be after its start'],
    [[whole], [createInterval('Code', '19:00:00', '20:00:01')], 'ends in the future'],
    [[whole], [{ ...whole, from: at('10:00:00') - 86_400_000 }], 'longer than a day'],
    [[whole], [{ ...whole, from: 0, until: 1000 }], 'before the year 2000'],
  ];
  for (const [gone, come, sentence] of bad)
    await expect(anna.call(changeusage, { device, remove: [...gone], add: [...come] }), sentence).rejects.toThrow(
      sentence,
    );
  for (const foreign of [device, 999_999, 2 ** 31])
    await expect(bob.call(changeusage, { device: foreign, remove: [whole], add: [] })).rejects.toThrow(
      'There is no such device',
    );
  expect(await listStory(anna, DATE)).toEqual(remaining);
  const week = { from: '0', until: String(9 * 86_400_000) };
  await expect(anna.call(usagestory, week)).rejects.toThrow('at most 8 days');
  await expect(anna.call(usagestory, { from: '-1', until: 'x' })).rejects.toThrow(
    'from: must be in milliseconds since 1970',
  );
  expect(server.log.filter((line) => line.includes('http.request.failed'))).toEqual([]);
});

testOnBothDatabases('a restored or moved interval keeps its title', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const { id: device, report } = await startReporter(server, anna);
  await report(1, [
    { app: 'Firefox', status: 'on', from: at('10:00:00'), until: at('10:05:00'), title: 'News' },
    { app: 'Firefox', status: 'on', from: at('10:05:00'), until: at('10:10:00'), title: 'Mail' },
  ]);
  const before = ['Firefox on 10:00:00 10:05:00 News', 'Firefox on 10:05:00 10:10:00 Mail'];
  const mail = { ...createInterval('Firefox', '10:05:00', '10:10:00'), title: 'Mail' };
  await anna.call(changeusage, { device, remove: [mail], add: [] });
  expect(await listStory(anna, DATE)).toEqual(before.slice(0, 1));
  await anna.call(changeusage, { device, remove: [], add: [mail] });
  expect(await listStory(anna, DATE)).toEqual(before);
  const longer = { ...mail, until: at('10:12:00'), title: 'Ma\0il' };
  await anna.call(changeusage, { device, remove: [mail], add: [longer] });
  expect(await listStory(anna, DATE)).toEqual([before[0], 'Firefox on 10:05:00 10:12:00 Ma il']);
  // Only focused intervals have a title.
  await anna.call(changeusage, { device, remove: [longer], add: [{ ...mail, status: 'off' }] });
  expect(await listStory(anna, DATE)).toEqual([before[0], 'Firefox off 10:05:00 10:10:00']);
});

testOnBothDatabases('an interval can be added to a computer without usage', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const { id: device, report } = await startReporter(server, anna);
  const add = [createInterval('Code', '10:00:00', '10:10:00')];
  await expect(bob.call(changeusage, { device, remove: [], add })).rejects.toThrow('There is no such device');
  await anna.call(changeusage, { device, remove: [], add });
  await report(1, [{ app: 'Code', status: 'on', from: at('10:10:00'), until: at('10:20:00') }]);
  expect(await listStory(anna, DATE, String(device))).toEqual(['Code on 10:00:00 10:20:00']);
});

testOnBothDatabases('an ActivityWatch export is imported once, without the times away', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const window = [
    { timestamp: `${DATE}T10:00:00.000000+00:00`, duration: 600, app: 'Firefox' },
    { timestamp: `${DATE}T10:10:00.4Z`, duration: 300, app: 'Code' },
    { timestamp: `${DATE}T10:12:00Z`, duration: 60, app: 'Code' },
    { timestamp: 'yesterday', duration: 300, app: 'Code' },
    { timestamp: '2030-01-01T00:00:00Z', duration: 300, app: 'Code' },
    { timestamp: `${DATE}T11:00:00Z`, duration: -5, app: 'Code' },
    { timestamp: `${DATE}T11:00:00Z`, duration: 5, app: ' ' },
  ];
  const away = [
    { timestamp: `${DATE}T10:03:00Z`, duration: 60 },
    { timestamp: `${DATE}T10:14:00Z`, duration: 3600 },
  ];
  const expected = ['Firefox on 10:00:00 10:03:00', 'Firefox on 10:04:00 10:10:00', 'Code on 10:10:00 10:14:00'];
  expect(await anna.call(importactivitywatch, { hostname: 'thinkpad', window, away })).toEqual({
    taken: 2,
    skipped: 5,
    importid: expect.any(Number),
  });
  expect(await listStory(anna, DATE)).toEqual(expected);
  expect(await anna.call(importactivitywatch, { hostname: 'thinkpad', window, away })).toEqual({
    taken: 0,
    skipped: 7,
  });
  expect(await listStory(anna, DATE)).toEqual(expected);
  // Another computer is independent.
  expect(await anna.call(importactivitywatch, { hostname: 'desk', window: window.slice(0, 1), away: [] })).toEqual({
    taken: 1,
    skipped: 0,
    importid: expect.any(Number),
  });
  expect(await listStory(anna, DATE)).toHaveLength(4);
  expect(await listStory(bob, DATE)).toEqual([]);
  await expect(anna.call(importactivitywatch, { hostname: ' ', window: [], away: [] })).rejects.toThrow('hostname');
});
