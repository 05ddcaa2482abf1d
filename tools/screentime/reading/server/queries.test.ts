import { expect } from 'vitest';
import type { ZodMiniObject } from 'zod/mini';
import type { Call } from '#platform/contract/call.ts';
import { INVALID_TOKEN_MESSAGE } from '#platform/contract/refusal.ts';
import { testOnBothDatabases, testOnSqlite } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { pairUsageComputer, type UsageTuple } from '#testing/kits/usage/usedComputer.ts';
import { revokedevice } from '#tools/devices/contract.ts';
import {
  changeusage,
  exportusage,
  getsoundinfo,
  modifyapplicationcatinfo,
  returnapplications,
  returnspecificapplication,
  usagedays,
  usageperiod,
} from '../../contract.ts';

/** Saturday, 15:00 in Berlin. */
const now = () => Temporal.Instant.from('2026-11-21T14:00:00Z');
const HOUR = 3600;
const tz = 'Europe/Berlin';
const ODD = 'a "quoted" \\ name, \u2028 👋';

async function loadApplication(account: TestAccount, applicationname: string, more: object = {}) {
  const { data, order } = await account.call(returnspecificapplication, { applicationname, tz, ...more });
  const [name, answer] = Object.entries(data)[0] ?? [];
  if (name === undefined || answer === undefined) throw new Error('no application');
  return { name, order, ...answer };
}

/** Anna's laptop and desktop: three days of work, one of them on both at the same time, and an old game. */
async function startAnna(server: TestServer, anna: TestAccount) {
  // Sets her home zone.
  await anna.call(returnapplications, { tz });
  const laptop = await pairUsageComputer(server, anna, 'Laptop');
  const desktop = await pairUsageComputer(server, anna, 'Desktop');
  await laptop.reportUse(
    ['game', 'on', '2026-10-01T18:00Z', '2026-10-01T20:00Z'],
    // Across midnight in Berlin.
    ['editor', 'on', '2026-11-19T22:30Z', '2026-11-19T23:30Z'],
    ['editor', 'on', '2026-11-20T08:00Z', '2026-11-20T10:00Z'],
    ['music', 's', '2026-11-20T08:00Z', '2026-11-20T09:00Z'],
    ['editor', 'off', '2026-11-20T10:00Z', '2026-11-20T11:00Z'],
    ['total', 'on', '2026-11-20T10:00Z', '2026-11-20T10:30Z'],
    ['editor', 'on', '2026-11-21T09:00Z', '2026-11-21T09:12Z'],
  );
  await desktop.reportUse(['editor', 'on', '2026-11-20T09:00Z', '2026-11-20T11:00Z']);
  return { laptop, desktop };
}

testOnBothDatabases(
  'the detail card and the days of an application show the measured usage',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    const { laptop, desktop } = await startAnna(server, anna);

    const editor = await loadApplication(anna, 'editor');
    expect(editor.name).toBe('editor');
    expect(editor.order).toBeUndefined();
    expect(editor.datespecific['playtime']).toEqual({
      '2026-11-19': 0.5 * HOUR,
      '2026-11-20': 4.5 * HOUR,
      '2026-11-21': 0.2 * HOUR,
    });
    expect(editor.stats).toMatchObject({
      enabled: true,
      lasttwoweekshours: 5.2,
      prettylasttwoweeks: '5h 12m',
      avgtwoweeks: '22m',
      percentchange: 0,
      percentchangetext: 'nothing to compare with',
      lastused: 'Today, 10:12',
      prettytotaltime: '5h 12m',
      percenttimeusedtotal: 67.5,
      percenttimeusedlasttwoweeks: 91.2,
      // It stays open over midnight, so the laptop counts three, and the desktop one.
      timesopened: 4,
      longeststretch: 2 * HOUR,
    });
    const { density, divisionnames, enabled } = editor.stats.densityinfo;
    expect([enabled, density.length, divisionnames[23]]).toEqual([true, 24, '23:00']);
    expect([density[10], density[9], density[23], density[0], density[12], density[3]]).toEqual([
      14.3, 7.1, 7.1, 7.1, 0, 0,
    ]);
    expect(Object.keys(editor.datespecific)).toHaveLength(15);
    // The desktop's focus is shown while it is only open on the laptop.
    expect(editor.datespecific['2026-11-20']).toEqual([
      { status: 'on', timestamp: 0 },
      { status: 'none', timestamp: expect.closeTo((0.5 / 24) * 100, 3) },
      { status: 'on', timestamp: expect.closeTo((9 / 24) * 100, 3) },
      { status: 'none', timestamp: 50 },
    ]);
    expect(editor.datespecific['2026-11-10']).toEqual([{ status: 'none', timestamp: 0 }]);

    const onLaptop = await loadApplication(anna, 'editor', { deviceid: String(laptop.id) });
    expect(onLaptop.datespecific['playtime']).toMatchObject({ '2026-11-20': 2.5 * HOUR });
    expect(onLaptop.datespecific['2026-11-20']).toContainEqual({
      status: 'off',
      timestamp: expect.closeTo((11 / 24) * 100, 3),
    });
    const wall = await loadApplication(anna, 'editor', { wall: '1' });
    expect(wall.datespecific['playtime']).toMatchObject({ '2026-11-20': 3.5 * HOUR });
    expect(wall.stats.lasttwoweekshours).toBe(4.2);

    const music = await loadApplication(anna, 'music');
    expect(music.stats).toMatchObject({ enabled: false, lastused: 'Never', lasttwoweekshours: 0, timesopened: 0 });
    expect(music.datespecific['2026-11-20']).toContainEqual({ status: 's', timestamp: 37.5 });

    const total = await loadApplication(anna, 'total', { order: '1' });
    expect(total.datespecific['playtime']).toEqual({
      '2026-10-01': 2 * HOUR,
      '2026-11-19': 0.5 * HOUR,
      '2026-11-20': 5 * HOUR,
      '2026-11-21': 0.2 * HOUR,
    });
    expect(total.stats).toMatchObject({ percenttimeusedtotal: 100, prettytotaltime: '7h 42m' });
    expect((await loadApplication(anna, 'total (app)')).stats.lasttwoweekshours).toBe(0.5);
    expect(total.order?.order).toHaveLength(15);
    expect(total.order?.order.slice(0, 2)).toEqual(['2026-11-21', '2026-11-20']);
    expect(total.order?.order.at(-1)).toBe('2026-10-01');
    expect(total.order?.weekdays).toMatchObject({ '2026-11-21': 'Saturday', '2026-10-01': 'Thursday' });
    expect(total.order?.weekdaycolours['2026-11-21']).toBe('#B4420C');

    const earlier = await loadApplication(anna, 'game', { from: '2026-09-30', until: '2026-10-01' });
    expect(Object.keys(earlier.datespecific)).toEqual(['playtime', '2026-09-30', '2026-10-01']);
    expect(earlier.datespecific['2026-10-01']).toContainEqual({ status: 'on', timestamp: expect.closeTo(83.3333, 3) });

    // A removed computer keeps its hours.
    await anna.call(revokedevice, { id: desktop.id });
    expect((await loadApplication(anna, 'editor')).stats.lasttwoweekshours).toBe(5.2);
    expect((await loadApplication(anna, 'editor', { deviceid: String(desktop.id) })).stats.lasttwoweekshours).toBe(2);
  },
);

testOnBothDatabases('applications are listed by category, with their recent use', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const empty = await anna.call(returnapplications, { tz });
  expect(empty).toMatchObject({ runningapps: [], data: { unassigned: [] }, flat: [] });
  expect(empty.order.order).toHaveLength(14);
  expect((await anna.call(getsoundinfo, { tz })).data).toEqual({ soundata: {}, types: {} });

  const { laptop, desktop } = await startAnna(server, anna);
  await anna.call(modifyapplicationcatinfo, {
    cats: { work: ['editor'], empty: [], unassigned: ['game', 'music', 'total (app)'] },
    keys: {},
  });
  const { data, flat, order } = await anna.call(returnapplications, { tz });
  expect(data).toEqual({
    work: [{ name: 'editor', '2w': true }],
    empty: [],
    unassigned: [
      { name: 'game', '2w': false },
      { name: 'total (app)', '2w': true },
      // Never focused, but audible the day before.
      { name: 'music', '2w': true },
    ],
  });
  expect(flat.map(({ name }) => name)).toEqual(['editor', 'game', 'total (app)', 'music']);
  expect(new Set(flat.map(({ colouron }) => colouron.join(' '))).size).toBe(4);
  expect(order.order).toHaveLength(15);
  const onDesktop = await anna.call(returnapplications, { tz, deviceid: String(desktop.id) });
  expect(onDesktop.flat.map(({ name }) => name)).toEqual(['editor']);
  expect(onDesktop.order.order).toHaveLength(14);
  const onLaptop = await anna.call(returnapplications, { tz, deviceid: String(laptop.id) });
  expect(onLaptop.data['unassigned']?.at(-1)).toEqual({ name: 'music', '2w': true });

  const { soundata, types } = (await anna.call(getsoundinfo, { tz })).data;
  expect(types).toEqual({ work: ['editor'], unassigned: ['game', 'total (app)'] });
  expect(soundata['2026-11-20']).toEqual({ editor: 4.5 * HOUR, 'total (app)': 0.5 * HOUR });
  expect(Object.keys(soundata)).toEqual(['2026-10-01', '2026-11-19', '2026-11-20', '2026-11-21']);
  // East of Berlin, the evening is the next day.
  const east = (await anna.call(getsoundinfo, { tzoffset: '5.75' })).data.soundata;
  expect(Object.keys(east)).toEqual(['2026-10-01', '2026-10-02', '2026-11-20', '2026-11-21']);
  expect(east['2026-11-20']).toEqual({ editor: 5 * HOUR, 'total (app)': 0.5 * HOUR });
});

testOnSqlite('answers that are written as text have what they declare, and nothing else', async () => {
  await using server = await startServer({ now });
  const anna = await server.createAccount('anna');
  const { laptop } = await startAnna(server, anna);
  await laptop.reportUse([ODD, 'on', '2026-11-21T10:00Z', '2026-11-21T10:01Z']);
  const requests: readonly (readonly [Call & { readonly answer: ZodMiniObject }, Readonly<Record<string, string>>])[] =
    [
      [getsoundinfo, { tz }],
      [returnapplications, { tz }],
      [returnspecificapplication, { tz, applicationname: ODD, order: '1' }],
      [returnspecificapplication, { tz, applicationname: 'total' }],
    ];
  for (const [{ path, answer }, query] of requests) {
    const response = await fetch(`${server.origin}${path}?${new URLSearchParams(query).toString()}`, {
      headers: { authorization: `Bearer ${anna.token}` },
    });
    const { message, ...fields } = (await response.json()) as Record<string, unknown>;
    expect(message).toBe('ok');
    expect(answer.parse(fields)).toEqual(fields);
  }
  expect((await loadApplication(anna, ODD)).name).toBe(ODD);
});

testOnBothDatabases('a period is listed by application, by day, and as a file', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const { laptop } = await startAnna(server, anna);
  const period = { tz, from: '2026-11-01', until: '2026-11-20' };
  expect(await anna.call(usageperiod, period)).toEqual({
    total: 5.5 * HOUR,
    applications: [
      { name: 'editor', category: 'unassigned', seconds: 5 * HOUR, opened: 3, longest: 2 * HOUR },
      { name: 'total (app)', category: 'unassigned', seconds: 0.5 * HOUR, opened: 1, longest: 0.5 * HOUR },
    ],
  });
  // In wall time, two applications on two computers at the same time count once.
  const wall = await anna.call(usageperiod, { ...period, wall: '1' });
  expect(wall.total).toBe(4 * HOUR);
  expect(wall.applications.map(({ seconds }) => seconds)).toEqual([4 * HOUR, 0.5 * HOUR]);
  const elsewhere = { tzoffset: '-3.5', from: '2026-11-19', until: '2026-11-19' };
  expect(await anna.call(usageperiod, elsewhere)).toEqual({
    total: HOUR,
    applications: [{ name: 'editor', category: 'unassigned', seconds: HOUR, opened: 1, longest: HOUR }],
  });
  expect(await anna.call(usageperiod, { tz, from: '2020-01-01', until: '2020-12-31' })).toEqual({
    total: 0,
    applications: [],
  });
  expect((await anna.call(usagedays, period)).days).toEqual({ '2026-11-19': 0.5 * HOUR, '2026-11-20': 5 * HOUR });
  const days = async (more: object) => (await anna.call(usagedays, { ...period, ...more })).days;
  expect(await days({ applicationname: 'editor', wall: '1' })).toEqual({
    '2026-11-19': 0.5 * HOUR,
    '2026-11-20': 3.5 * HOUR,
  });
  expect(await days({ deviceid: String(laptop.id), applicationname: 'game', from: '2026-10-01' })).toEqual({
    '2026-10-01': 2 * HOUR,
  });

  const csv = await anna.call(exportusage, { ...period, format: 'csv' });
  expect(csv.fileName).toBe('screen-time-2026-11-01-to-2026-11-20.csv');
  const lines = (await csv.content.text()).split('\r\n');
  expect(lines[0]).toBe('computer,application,category,status,from,until,seconds');
  expect(lines).toHaveLength(8);
  expect(lines[1]).toBe('Laptop,editor,unassigned,focused,2026-11-19T22:30:00Z,2026-11-19T23:30:00Z,3600');
  const json = await anna.call(exportusage, { ...period, format: 'json' });
  const { stretches: intervals, ...head } = JSON.parse(await json.content.text()) as {
    readonly stretches: readonly unknown[];
  };
  expect(head).toEqual({ from: '2026-11-01', until: '2026-11-20', zone: tz });
  expect(intervals).toHaveLength(6);
  const none = await anna.call(exportusage, { tz, from: '2020-01-01', until: '2020-01-02', format: 'json' });
  expect(JSON.parse(await none.content.text())).toMatchObject({ stretches: [] });
});

const toMs = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;
/** Converts an interval that she deletes. */
const toCorrection = (device: number, [application, status, from, until]: UsageTuple) => ({
  device,
  remove: [{ application, status, from: toMs(from), until: toMs(until) }],
  add: [],
});

testOnBothDatabases(
  'days with only sound or open windows are in the list of days and in the export',
  async (storage) => {
    await using server = await startServer({ databaseUrl: storage.databaseUrl, now });
    const anna = await server.createAccount('anna');
    const { laptop, desktop } = await startAnna(server, anna);
    const open: UsageTuple = ['editor', 'off', '2026-10-03T08:00Z', '2026-10-03T09:00Z'];
    // 2 August in Berlin.
    await laptop.reportUse(['music', 's', '2026-08-01T22:30Z', '2026-08-01T23:30Z'], open);
    async function earlier(more: object = {}) {
      const { order } = await anna.call(returnapplications, { tz, ...more });
      expect((await loadApplication(anna, 'total', { order: '1', ...more })).order).toEqual(order);
      return order.order.slice(14);
    }
    for (let times = 0; times < 2; times += 1)
      expect(await earlier()).toEqual(['2026-10-03', '2026-10-01', '2026-08-02']);
    expect(await earlier({ tz: 'UTC' })).toEqual(['2026-10-03', '2026-10-01', '2026-08-01']);
    expect(await earlier({ deviceid: String(desktop.id) })).toEqual([]);
    const { content } = await anna.call(exportusage, { tz, from: '2026-08-01', until: '2026-08-31', format: 'csv' });
    expect((await content.text()).split('\r\n')[1]).toBe(
      'Laptop,music,unassigned,playing,2026-08-01T22:30:00Z,2026-08-01T23:30:00Z,3600',
    );
    await anna.call(changeusage, toCorrection(laptop.id, open));
    expect(await earlier()).toEqual(['2026-10-01', '2026-08-02']);
  },
);

/** Days with use, sum of hours, hours in wall time, and openings of the editor, in two zones. */
async function readNumbers(account: TestAccount): Promise<readonly (readonly number[])[]> {
  const numbers: number[][] = [];
  for (const place of [{ tz }, { tzoffset: '-8' }]) {
    const { soundata } = (await account.call(getsoundinfo, place)).data;
    const period = { ...place, from: '2026-01-01', until: '2026-12-31' };
    const summed = await account.call(usageperiod, period);
    const wall = await account.call(usageperiod, { ...period, wall: '1' });
    const editor = summed.applications.find(({ name }) => name === 'editor');
    numbers.push([Object.keys(soundata).length, summed.total / HOUR, wall.total / HOUR, editor?.opened ?? 0]);
  }
  return numbers;
}

/** The same in both zones. */
const both = (...numbers: readonly number[]) => [numbers, numbers];

testOnSqlite('what is reported late or corrected is in every answer, also in those that are remembered', async () => {
  await using server = await startServer({ now });
  const anna = await server.createAccount('anna');
  const ben = await server.createAccount('ben');
  const { laptop } = await startAnna(server, anna);
  for (let times = 0; times < 2; times += 1) expect(await readNumbers(anna)).toEqual(both(4, 7.7, 6.2, 4));
  // None of her cached values are used for others.
  expect(await readNumbers(ben)).toEqual(both(0, 0, 0, 0));
  expect((await loadApplication(anna, 'editor')).datespecific['2026-11-12']).toEqual([
    { status: 'none', timestamp: 0 },
  ]);
  await laptop.reportUse(['editor', 'on', '2026-11-12T12:00Z', '2026-11-12T13:00Z']);
  expect(await readNumbers(anna)).toEqual(both(5, 8.7, 7.2, 5));
  expect((await loadApplication(anna, 'editor')).datespecific['2026-11-12']).toContainEqual({
    status: 'on',
    timestamp: expect.closeTo((13 / 24) * 100, 3),
  });
  await anna.call(changeusage, toCorrection(laptop.id, ['game', 'on', '2026-10-01T18:00Z', '2026-10-01T20:00Z']));
  expect(await readNumbers(anna)).toEqual(both(4, 6.7, 5.2, 5));
});

testOnBothDatabases(
  'invalid requests are refused with a sentence, and no account sees another',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    const ben = await server.createAccount('ben');
    const { laptop } = await startAnna(server, anna);
    await expect(loadApplication(ben, 'editor')).rejects.toThrow('There is no such application');
    await expect(loadApplication(anna, 'unknown')).rejects.toThrow('There is no such application');
    for (const deviceid of [String(laptop.id), '4711', '99999999999999999999'])
      await expect(ben.call(returnapplications, { tz, deviceid })).rejects.toThrow('There is no such device');
    await expect(ben.call(returnapplications, { tz, deviceid: 'mine' })).rejects.toThrow(
      'deviceid: must be the number of a computer',
    );
    for (const deviceid of ['', '-1']) expect((await ben.call(returnapplications, { tz, deviceid })).flat).toEqual([]);
    await expect(anna.call(getsoundinfo, { tzoffset: 'east' })).rejects.toThrow('tzoffset: must be hours east of UTC');
    await expect(anna.call(getsoundinfo, { tz: 'Nowhere/City' })).rejects.toThrow('There is no such time zone');
    const wrong: readonly (readonly [object, string])[] = [
      [{ from: '2026-02-30', until: '2026-03-01' }, "'2026-02-30' is not a date"],
      [{ from: '2026-03-02', until: '2026-03-01' }, 'The last day must not be before the first day'],
      [{ from: '1970-01-01', until: '9999-12-31' }, 'The period is too long. Choose at most 36,600 days'],
    ];
    for (const [period, sentence] of wrong) {
      const query = { tz, ...(period as { readonly from: string; readonly until: string }) };
      await expect(anna.call(usagedays, query)).rejects.toThrow(sentence);
      await expect(anna.call(usageperiod, query)).rejects.toThrow(sentence);
      await expect(anna.call(exportusage, { ...query, format: 'csv' })).rejects.toThrow(sentence);
    }
    await expect(loadApplication(anna, 'editor', { from: '2026-01-01', until: '2026-11-01' })).rejects.toThrow(
      'at most 62 days',
    );
    expect((await ben.call(usageperiod, { tz, from: '2026-11-01', until: '2026-11-30' })).total).toBe(0);
    const others = await ben.call(exportusage, { tz, from: '2026-01-01', until: '2026-12-31', format: 'csv' });
    expect((await others.content.text()).split('\r\n')).toHaveLength(2);
    await expect(server.call(getsoundinfo, { tz })).rejects.toThrow(INVALID_TOKEN_MESSAGE);
  },
);

testOnSqlite('days of 23 and 25 hours have their real shares', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  await anna.call(returnapplications, { tz });
  const laptop = await pairUsageComputer(server, anna, 'Laptop');
  await laptop.reportUse(
    ['editor', 'on', '2026-03-29T10:00Z', '2026-03-29T11:00Z'],
    ['editor', 'on', '2026-10-25T11:00Z', '2026-10-25T12:00Z'],
  );
  async function begins(date: string): Promise<number | undefined> {
    const { datespecific } = await loadApplication(anna, 'editor', { from: date, until: date });
    const segments = datespecific[date];
    return Array.isArray(segments) ? segments.find(({ status }) => status === 'on')?.timestamp : undefined;
  }
  // Noon, after an hour less or more than usual.
  expect(await begins('2026-03-29')).toBeCloseTo((11 / 23) * 100, 3);
  expect(await begins('2026-10-25')).toBeCloseTo((13 / 25) * 100, 3);
});
