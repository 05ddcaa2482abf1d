import { expect } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, TEST_PASSWORD, type TestAccount } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { deleteaccount, exportaccount } from '#tools/accounts/contract.ts';
import {
  DELETED,
  getunuseddatesttbl,
  layweek,
  savelongtermtbbl,
  savespecific,
  timetableChanged,
  undoslots,
} from '../contract.ts';

const START = Temporal.Instant.from('2026-11-21T11:00:00Z');
const MONDAY = '2026-11-23';
const createSlot = (name: string, more: object = {}) => ({
  name,
  start: '09:00',
  end: '10:00',
  description: `About ${name}`,
  colour: [1, 2, 3],
  state: 'Done',
  ...more,
});
const save = async (
  account: TestAccount,
  date: string,
  data: Readonly<Record<string, ReturnType<typeof createSlot>>>,
) => (await account.call(savespecific, { date, data: { ...data } })).overwrite;
const getWeek = async (account: TestAccount, from = MONDAY) =>
  (await account.call(getunuseddatesttbl, { tz: 'Europe/Berlin', from, weeks: '1' })).data[0]?.dates ?? [];
const listNames = async (account: TestAccount, from = MONDAY) =>
  (await getWeek(account, from)).flatMap(({ tbbldata }) => Object.values(tbbldata).map(({ name }) => name));

testOnBothDatabases('deleted slots are restored unchanged, with their ids', async ({ databaseUrl }) => {
  let time = START;
  await using server = await startServer({ databaseUrl, now: () => time });
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const { a = 0, b = 0 } = await save(anna, MONDAY, { a: createSlot('Run'), b: createSlot('Read') });
  const { a: ofBob = 0 } = await save(bob, MONDAY, { a: createSlot('Of Bob') });
  const before = await getWeek(anna);
  await save(anna, MONDAY, { [a]: createSlot(DELETED), [b]: createSlot(DELETED) });
  expect(await listNames(anna)).toEqual([]);
  await expect(save(anna, MONDAY, { [a]: createSlot('Run') })).rejects.toThrow('There is no such slot as “Run”');

  // All or nothing, and never a slot of another account.
  await save(bob, MONDAY, { [ofBob]: createSlot(DELETED) });
  for (const lost of [ofBob, 1_000_000_000, 2 ** 31])
    await expect(anna.call(undoslots, { made: [], gone: [a, lost] })).rejects.toThrow('can no longer be restored');
  expect(await listNames(anna)).toEqual([]);
  expect(await listNames(bob)).toEqual([]);

  await using page = await openSocket(server, { token: anna.token });
  await using foreign = await openSocket(server, { token: bob.token });
  await anna.call(undoslots, { made: [], gone: [a, b] });
  expect(await page.nextEvent(timetableChanged)).toEqual({ dates: [MONDAY] });
  expect(await getWeek(anna)).toEqual(before);
  // A repeated undo counts once, and the next event belongs to a real change.
  await anna.call(undoslots, { made: [], gone: [a, b] });
  expect(await getWeek(anna)).toEqual(before);
  await save(anna, '2026-11-24', { a: createSlot('Next') });
  expect(await page.nextEvent(timetableChanged)).toEqual({ dates: ['2026-11-24'] });
  await save(bob, '2026-11-25', { a: createSlot('Own') });
  expect(await foreign.nextEvent(timetableChanged)).toEqual({ dates: ['2026-11-25'] });

  // Slots of another account are not removed either.
  const { a: mine = 0 } = await save(bob, MONDAY, { a: createSlot('Stays') });
  await anna.call(undoslots, { made: [mine], gone: [] });
  expect(await listNames(bob)).toContain('Stays');

  await save(anna, MONDAY, { [a]: createSlot(DELETED) });
  time = time.add({ hours: 24 });
  await expect(anna.call(undoslots, { made: [], gone: [a] })).rejects.toThrow('slots are stored for a day');
});

testOnBothDatabases('applying a week to another one is undone in one step', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => START });
  const anna = await server.createAccount('anna');
  await save(anna, MONDAY, { a: createSlot('Run') });
  await save(anna, '2026-11-29', { a: createSlot('Rest') });
  const { id } = await anna.call(savelongtermtbbl, { name: 'Training', data: await getWeek(anna) });
  const later = '2026-12-07';
  await save(anna, later, { a: createSlot('Dentist') });
  await save(anna, '2026-12-09', { a: createSlot('Choir') });
  const before = await getWeek(anna, later);
  for (const replace of [true, false]) {
    const { made, replaced } = await anna.call(layweek, { id, monday: '2026-12-10', replace });
    expect(await listNames(anna, later)).toEqual(replace ? ['Run', 'Rest'] : ['Dentist', 'Run', 'Choir', 'Rest']);
    // Statuses of the saved week are not applied; existing slots keep theirs.
    const laid = (await getWeek(anna, later)).flatMap(({ tbbldata }) => Object.values(tbbldata));
    const listStatuses = (ids: readonly number[], isIn: boolean) =>
      new Set(laid.filter(({ updatedid }) => ids.includes(updatedid) === isIn).map(({ state }) => state));
    expect(listStatuses(made, true)).toEqual(new Set(['Not Started']));
    expect(listStatuses(made, false)).toEqual(new Set(replace ? [] : ['Done']));
    await anna.call(undoslots, { made, gone: replaced.map(({ slot: { updatedid } }) => updatedid) });
    expect(await getWeek(anna, later)).toEqual(before);
  }
  await expect(anna.call(layweek, { id, monday: '9999-12-31', replace: true })).rejects.toThrow(
    'is outside the calendar',
  );

  // If the day is full, nothing is restored, and nothing removed either.
  const { made, replaced } = await anna.call(layweek, { id, monday: later, replace: true });
  const gone = replaced.map(({ slot: { updatedid } }) => updatedid);
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`n${index}`, createSlot(`${index}`)]));
  await save(anna, '2026-12-09', many);
  await expect(anna.call(undoslots, { made, gone })).rejects.toThrow('2026-12-09 would have 201');
  expect((await listNames(anna, later)).filter((name) => !/^\d+$/.test(name))).toEqual(['Run', 'Rest']);
});

testOnBothDatabases('saving requires days of a single week, each once', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now: () => START });
  const anna = await server.createAccount('anna');
  const saveWeek = (dates: readonly string[], name = 'Week') =>
    anna.call(savelongtermtbbl, { name, data: dates.map((date) => ({ date, tbbldata: { a: createSlot('Run') } })) });
  await expect(saveWeek(['2026-11-23', '2026-11-30'])).rejects.toThrow('must contain days of one week only');
  await expect(saveWeek(['2026-11-23', '2026-11-23'])).rejects.toThrow('contains a day twice');
  await expect(saveWeek(['2026-11-23'], ' ')).rejects.toThrow('Enter a name for the saved week');
  await expect(saveWeek(['2026-11-23'], '👋'.repeat(201))).rejects.toThrow('too long. Enter at most 200 characters');
  await saveWeek(['2026-11-29', '2026-11-25'], '👋'.repeat(200));
});

testOnBothDatabases(
  'the export contains the timetable, and deleting the account deletes it',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now: () => START });
    const [, anna] = [await server.createAccount('owner'), await server.createAccount('anna')];
    const { a = 0 } = await save(anna, MONDAY, {
      a: createSlot('Run', { start: '22:00', end: '24:00' }),
      b: createSlot('Read'),
    });
    await anna.call(savelongtermtbbl, { name: 'Training', data: await getWeek(anna) });
    await save(anna, MONDAY, { [a]: createSlot(DELETED) });
    const { content } = await anna.call(exportaccount, { password: TEST_PASSWORD });
    const fields = { description: 'About Read', start: '09:00', end: '10:00', colour: [1, 2, 3], status: 'Done' };
    expect(readJsonFromZip(readZip(await content.bytes()), 'timetable.json')).toEqual({
      slots: [{ date: MONDAY, name: 'Read', ...fields, changed: '2026-11-21T11:00:00Z' }],
      savedWeeks: [
        {
          name: 'Training',
          saved: '2026-11-21T11:00:00Z',
          days: [
            [expect.objectContaining({ name: 'Read' }), expect.objectContaining({ end: '24:00' })],
            [],
            [],
            [],
            [],
            [],
            [],
          ],
        },
      ],
      inCalendarFeed: false,
    });
    await anna.call(deleteaccount, { password: TEST_PASSWORD, username: 'anna' });
    const again = await server.createAccount('anna');
    expect(await listNames(again)).toEqual([]);
  },
);
