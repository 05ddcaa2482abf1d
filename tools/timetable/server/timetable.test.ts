import { expect } from 'vitest';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import {
  DELETED,
  deletesavedweek,
  getunuseddatesttbl,
  layweek,
  moveslot,
  savedweek,
  savedweeks,
  savelongtermtbbl,
  savespecific,
  timetableChanged,
} from '../contract.ts';

type Data = RequestInputOf<typeof savespecific>['data'];

/** Saturday, noon in Berlin. */
const NOW = Temporal.Instant.from('2026-11-21T11:00:00Z');
const now = () => NOW;
const createSlot = (name: string, start: string, end: string, more: Partial<Data[string]> = {}) => ({
  name,
  start,
  end,
  description: '',
  colour: [12, 34, 56],
  state: 'Not Started',
  updatedid: 0,
  ...more,
});
const save = (account: TestAccount, date: string, data: Data) => account.call(savespecific, { date, data });
const listWeeks = async (account: TestAccount, more: object = {}) =>
  (await account.call(getunuseddatesttbl, { tz: 'Europe/Berlin', ...more })).data;
async function getDay(account: TestAccount, date: string, more: object = {}) {
  const all = (await listWeeks(account, { from: date, weeks: '1', ...more })).flatMap(({ dates }) => dates);
  const found = all.find((day) => day.date === date);
  if (!found) throw new Error(`no ${date}`);
  return found;
}

testOnBothDatabases('the weeks around today are returned, with the elapsed share of today', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const answer = await anna.call(getunuseddatesttbl, { tz: 'Europe/Berlin' });
  expect(answer.data.map(({ dates }) => dates[0]?.date)).toEqual([
    '2026-11-09',
    '2026-11-16',
    '2026-11-23',
    '2026-11-30',
    '2026-12-07',
    '2026-12-14',
  ]);
  const days = answer.data.flatMap(({ dates }) => dates);
  expect(days.filter(({ percentagetime }) => percentagetime !== undefined)).toMatchObject([
    { date: '2026-11-21', weekday: 'Saturday', shortdate: '21/11', pre: false, percentagetime: 50 },
  ]);
  expect(days.filter(({ pre }) => pre)).toHaveLength(12);
  expect(answer.meta.statuscolours['key']).toEqual(['Not Started', 'In Progress', 'Done', 'Skipped']);
  // Half a day west of UTC it is still the day before.
  const west = (await anna.call(getunuseddatesttbl, { toffset: '-11.5' })).data.flatMap(({ dates }) => dates);
  expect(west.find(({ percentagetime }) => percentagetime !== undefined)?.date).toBe('2026-11-20');
  await expect(anna.call(getunuseddatesttbl, { toffset: 'east' })).rejects.toThrow(
    'toffset: must be hours east of UTC',
  );
});

testOnBothDatabases('slots are saved by id, and slots that are not sent stay unchanged', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  await using page = await openSocket(server, { token: anna.token });
  const { overwrite } = await save(anna, '2026-11-23', {
    a: createSlot('Run', '06:00', '07:30'),
    b: createSlot('Read', '22:00', '24:00'),
  });
  expect(await page.nextEvent(timetableChanged)).toEqual({ dates: ['2026-11-23'] });
  const [run = 0, reading = 0] = [overwrite['a'], overwrite['b']];
  const { tbbldata } = await getDay(anna, '2026-11-23');
  expect(tbbldata[run]).toEqual({
    ...createSlot('Run', '06:00', '07:30', { updatedid: run }),
    startpercentthroughday: 25,
    endpercentthroughday: 31.25,
  });
  expect(tbbldata[reading]).toMatchObject({ end: '24:00', endpercentthroughday: 100 });
  await save(anna, '2026-11-23', { [run]: createSlot('Run', '06:00', '07:30', { updatedid: run, state: 'Done' }) });
  expect((await getDay(anna, '2026-11-23')).tbbldata).toMatchObject({
    [run]: { state: 'Done' },
    [reading]: { name: 'Read' },
  });
  await save(anna, '2026-11-23', { [reading]: createSlot(DELETED, '22:00', '24:00', { updatedid: reading }) });
  await anna.call(moveslot, { id: run, date: '2026-11-24', start: '10:05', end: '11:35' });
  expect((await getDay(anna, '2026-11-23')).tbbldata).toEqual({});
  expect((await getDay(anna, '2026-11-24')).tbbldata).toMatchObject({ [run]: { start: '10:05', state: 'Done' } });
});

testOnBothDatabases('one invalid slot refuses the whole call', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const good = createSlot('Good', '09:00', '10:00');
  const bad: readonly (readonly [Data[string], string])[] = [
    [createSlot('Late', '23:00', '01:00'), "A slot can't cross midnight"],
    [createSlot('Nothing', '12:00', '12:00'), 'starts and ends at 12:00'],
    [createSlot('Long', '12:00', '25:00'), 'A day ends at 24:00'],
    [createSlot('Odd', '12:00', '13:00', { state: 'Perhaps' }), 'Choose one of Not Started'],
    [createSlot('Loud', '12:00', '13:00', { colour: [300, 0, 0] }), 'whole numbers from 0 to 255'],
    [createSlot('Far', '12:00', '13:00', { updatedid: 1_000_000_000 }), 'There is no such slot as “Far”'],
  ];
  for (const [wrong, sentence] of bad)
    await expect(save(anna, '2026-11-23', { a: good, b: wrong })).rejects.toThrow(sentence);
  await expect(save(anna, '2026-02-30', { a: good })).rejects.toThrow("'2026-02-30' is not a date");
  expect((await getDay(anna, '2026-11-23')).tbbldata).toEqual({});
  const { overwrite } = await save(bob, '2026-11-23', { a: good });
  const foreign = overwrite['a'] ?? 0;
  await expect(save(anna, '2026-11-23', { a: { ...good, updatedid: foreign } })).rejects.toThrow('no such slot');
  const move = { id: foreign, date: '2026-11-24', start: '09:00', end: '10:00' };
  await expect(anna.call(moveslot, move)).rejects.toThrow('no such slot');
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`n${index}`, good]));
  await expect(save(anna, '2026-11-23', many)).rejects.toThrow(
    'A day can have at most 200 slots, and 2026-11-23 would have 201',
  );
});

testOnBothDatabases('shares on days of 23 and 25 hours are relative to their real length', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  for (const [date, hours, gone] of [
    ['2026-03-29', 23, 11],
    ['2026-10-25', 25, 13],
  ] as const) {
    await save(anna, date, { a: createSlot('Lunch', '12:00', '13:00') });
    const [lunch] = Object.values((await getDay(anna, date)).tbbldata);
    expect(lunch?.startpercentthroughday).toBeCloseTo((gone / hours) * 100, 9);
  }
});

testOnBothDatabases('a week is saved by name, applied to another one, and undone', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  await save(anna, '2026-11-23', { a: createSlot('Run', '06:00', '07:30') });
  await save(anna, '2026-11-29', { a: createSlot('Rest', '09:00', '18:00') });
  const [week] = await listWeeks(anna, { from: '2026-11-23', weeks: '1' });
  const { id } = await anna.call(savelongtermtbbl, { name: ' Training ', data: week?.dates ?? [] });
  expect((await anna.call(savedweeks, {})).weeks).toMatchObject([{ id, name: 'Training', slots: 2 }]);
  expect((await anna.call(savedweek, { id })).days.map((day) => day.map(({ name }) => name))).toEqual([
    ['Run'],
    [],
    [],
    [],
    [],
    [],
    ['Rest'],
  ]);
  await save(anna, '2026-12-07', { a: createSlot('Dentist', '09:00', '10:00') });
  const beside = await anna.call(layweek, { id, monday: '2026-12-07', replace: false });
  expect([beside.made.length, beside.replaced]).toEqual([2, []]);
  expect((await anna.call(layweek, { id, monday: '2026-12-07', replace: false })).made).toEqual([]);
  const over = await anna.call(layweek, { id, monday: '2026-12-07', replace: true });
  expect(over.replaced.map(({ date, slot: { name } }) => [date, name])).toEqual([
    ['2026-12-07', 'Run'],
    ['2026-12-07', 'Dentist'],
    ['2026-12-13', 'Rest'],
  ]);
  await expect(bob.call(layweek, { id, monday: '2026-12-07', replace: true })).rejects.toThrow('no such saved week');
  await expect(bob.call(deletesavedweek, { id })).rejects.toThrow('no such saved week');
  await anna.call(deletesavedweek, { id });
  expect((await anna.call(savedweeks, {})).weeks).toEqual([]);
});
