import { expect } from 'vitest';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import {
  DELETED,
  getunuseddatesttbl,
  layweek,
  moveslot,
  savedweeks,
  savelongtermtbbl,
  savespecific,
} from '../contract.ts';
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH, MAX_SLOTS_PER_DAY } from '../contract/limits.ts';

type Data = RequestInputOf<typeof savespecific>['data'];
type SentSlot = Data[string];

const now = () => Temporal.Instant.from('2026-11-21T11:00:00Z');
const DATE = '2026-11-23';
const createSlot = (name: string, start: string, end: string, more: Partial<SentSlot> = {}): SentSlot => ({
  name,
  start,
  end,
  description: '',
  colour: [12, 34, 56],
  state: 'Not Started',
  updatedid: 0,
  ...more,
});
const save = (account: TestAccount, data: Data, date = DATE) => account.call(savespecific, { date, data });
async function getDay(account: TestAccount, date = DATE, place: object = { tz: 'UTC' }) {
  const { data } = await account.call(getunuseddatesttbl, { ...place, from: date, weeks: '1' });
  const found = data.flatMap(({ dates }) => dates).find((day) => day.date === date);
  if (!found) throw new Error(`no ${date}`);
  return found;
}
const listSlots = async (account: TestAccount, date = DATE) => Object.values((await getDay(account, date)).tbbldata);
const createNumbered = (count: number, create: (index: number) => SentSlot): Data =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, create(index)]));

/** Formats minutes as shares of a day with this length. */
const formatShares = (length: number, ...minutes: readonly number[]) =>
  minutes.map((minute) => ((minute / length) * 100).toFixed(6));
const formatShare = (minutes: number) => formatShares(1440, minutes)[0];

/** Posts raw bytes that our own client never sends. */
async function post(server: TestServer, account: TestAccount, body: string) {
  const answer = await fetch(server.origin + savespecific.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
}

testOnBothDatabases('slots are positioned at their time, in every zone', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  async function saveAndListShares(date: string, tz: string, spans: readonly (readonly [string, string])[]) {
    const data = Object.fromEntries(
      spans.map(([start, end], index) => [`n${index}`, createSlot(`${index}`, start, end)]),
    );
    await save(anna, data, date);
    const { tbbldata } = await getDay(anna, date, { tz });
    return Object.values(tbbldata)
      .toSorted((a, b) => Number(a.name) - Number(b.name))
      .map((slot) => [slot.startpercentthroughday, slot.endpercentthroughday].map((share) => share.toFixed(6)));
  }

  // Half an hour is skipped at 02:00: a day of 23.5 hours.
  expect(
    await saveAndListShares('2026-10-04', 'Australia/Lord_Howe', [
      ['01:00', '02:00'],
      ['02:00', '02:30'],
      ['12:00', '24:00'],
    ]),
  ).toEqual([formatShares(1410, 60, 120), formatShares(1410, 120, 125), formatShares(1410, 690, 1410)]);
  // The half hour before 02:00 is repeated: a slot within it includes both.
  expect(
    await saveAndListShares('2027-04-04', 'Australia/Lord_Howe', [
      ['01:30', '02:00'],
      ['12:00', '13:00'],
    ]),
  ).toEqual([formatShares(1470, 90, 150), formatShares(1470, 750, 810)]);
  // The skipped and the repeated hour in Berlin.
  expect(await saveAndListShares('2027-03-28', 'Europe/Berlin', [['02:10', '02:50']])).toEqual([
    formatShares(1380, 120, 125),
  ]);
  expect(await saveAndListShares('2027-10-31', 'Europe/Berlin', [['02:00', '03:00']])).toEqual([
    formatShares(1500, 120, 240),
  ]);
  // A skipped day is drawn like a plain one.
  expect(await saveAndListShares('2011-12-30', 'Pacific/Apia', [['06:00', '12:00']])).toEqual([
    formatShares(1440, 360, 720),
  ]);
  // Midnight is skipped.
  expect(await saveAndListShares('2026-09-06', 'America/Santiago', [['00:00', '02:00']])).toEqual([
    formatShares(1380, 0, 60),
  ]);
});

testOnBothDatabases('the time zone of the request decides which day it is', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  async function listToday(place: object) {
    const { data } = await anna.call(getunuseddatesttbl, place);
    const found = data.flatMap(({ dates }) => dates).filter(({ percentagetime }) => percentagetime !== undefined);
    return found.map(({ date, percentagetime }) => [date, percentagetime?.toFixed(6)]);
  }
  expect(await listToday({ toffset: '5.75' })).toEqual([['2026-11-21', formatShare(16 * 60 + 45)]]);
  expect(await listToday({ toffset: '-3.5' })).toEqual([['2026-11-21', formatShare(7 * 60 + 30)]]);
  expect(await listToday({ toffset: '13.75' })).toEqual([['2026-11-22', formatShare(45)]]);
  expect(await listToday({ toffset: '-0' })).toEqual([['2026-11-21', formatShare(11 * 60)]]);
  expect(await listToday({ toffset: '-11.5', tz: 'Asia/Kathmandu' })).toEqual([
    ['2026-11-21', formatShare(16 * 60 + 45)],
  ]);
  // Without either, the last named zone counts.
  expect(await listToday({})).toEqual([['2026-11-21', formatShare(16 * 60 + 45)]]);
  expect(await listToday({ tz: '', toffset: '1' })).toEqual([['2026-11-21', formatShare(12 * 60)]]);
  for (const toffset of ['18.1', '-99', 'Infinity', 'NaN', '1,5', '+1 hour'])
    await expect(listToday({ toffset })).rejects.toThrow('toffset: must be hours east of UTC');
  for (const tz of ['Europe/Atlantis', 'x'.repeat(64), '../UTC'])
    await expect(listToday({ tz })).rejects.toThrow('There is no such time zone');
  for (const weeks of ['0', '13', '1.5', '-1', 'two'])
    await expect(listToday({ weeks })).rejects.toThrow('weeks: must be a number from 1 to 12');
  // There are no weeks beyond the ends of the calendar.
  expect((await anna.call(getunuseddatesttbl, { from: '9999-12-31', weeks: '2' })).data).toEqual([]);
  expect((await anna.call(getunuseddatesttbl, { from: '0001-01-01', weeks: '1' })).data[0]?.dates[0]?.date).toBe(
    '0001-01-01',
  );
});

testOnBothDatabases('one invalid slot refuses all of them, and the message names it', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const { overwrite: others } = await save(bob, { a: createSlot('Of Bob', '09:00', '10:00') });
  const { overwrite: elsewhere } = await save(anna, { a: createSlot('Next', '09:00', '10:00') }, '2026-11-24');
  const good = createSlot('Good', '09:00', '10:00');
  const bad: readonly (readonly [SentSlot, string])[] = [
    [
      createSlot('Late', '23:00', '01:00'),
      "“Late” ends at 01:00, before it starts at 23:00. A slot can't cross midnight",
    ],
    [createSlot('Back', '12:00', '11:00'), '“Back” ends at 11:00, before it starts at 12:00'],
    [createSlot('Nothing', '12:00', '12:00'), '“Nothing” starts and ends at 12:00'],
    [createSlot('Edge', '24:00', '24:00'), "“Edge” can't start at 24:00"],
    [createSlot('Long', '12:00', '24:01'), "“Long” can't end at “24:01”"],
    [createSlot('Words', 'lunch', '13:00'), "“Words” can't start at “lunch”"],
    [createSlot('Half', '12:00', '13:00', { end: undefined }), '“Half” has a start but no end'],
    [createSlot('Odd', '12:00', '13:00', { state: 'Perhaps' }), '“Odd” has the unknown status'],
    [createSlot('Proto', '12:00', '13:00', { state: 'constructor' }), '“Proto” has the unknown status'],
    ...[[1, 2], [1, 2, 3, 4], [1, 2, 999], [-1, 0, 0], [0.5, 0, 0], [1e300, 0, 0], []].map(
      (colour) => [createSlot('Loud', '12:00', '13:00', { colour }), 'The colour of “Loud” is not valid'] as const,
    ),
    [
      createSlot('é'.repeat(MAX_NAME_LENGTH + 1), '12:00', '13:00'),
      `is too long. Enter at most ${MAX_NAME_LENGTH} characters`,
    ],
    [
      createSlot('Story', '12:00', '13:00', { description: '👋'.repeat(MAX_DESCRIPTION_LENGTH + 1) }),
      `The description of “Story” is too long. Enter at most ${MAX_DESCRIPTION_LENGTH.toLocaleString('en')} characters`,
    ],
    ...[others['a'], elsewhere['a'], 1_000_000_000, 2 ** 31, 2 ** 53 - 1, -1, '99999999999999999999', 'seven'].map(
      (updatedid) =>
        [createSlot('Far', '12:00', '13:00', { updatedid }), 'There is no such slot as “Far”. It was deleted'] as const,
    ),
    [createSlot(DELETED, '12:00', '13:00', { updatedid: others['a'] }), 'There is no such slot. It was deleted'],
  ];
  for (const [wrong, sentence] of bad)
    await expect(save(anna, { a: good, b: wrong, c: good }), JSON.stringify(wrong).slice(0, 100)).rejects.toThrow(
      sentence,
    );
  for (const date of ['2026-02-30', '23-11-2026', '', '0000-01-01', '__proto__', '2026-11-23T00:00'])
    await expect(save(anna, { a: good }, date)).rejects.toThrow('is not a date. Write it like 2026-11-23');
  expect(await listSlots(anna)).toEqual([]);
  expect(await listSlots(bob)).toMatchObject([{ name: 'Of Bob' }]);

  // An existing slot twice in one call is ambiguous.
  const { overwrite } = await save(anna, { a: good });
  const id = overwrite['a'] ?? 0;
  const twice = { a: { ...good, updatedid: id }, b: createSlot(DELETED, '', '', { updatedid: String(id) }) };
  await expect(save(anna, twice)).rejects.toThrow('“Good” was sent twice');
  for (const wrong of [others['a'] ?? 0, 2 ** 31, 2 ** 53 - 1])
    await expect(
      anna.call(moveslot, { id: wrong, date: DATE, start: '09:00', end: '10:00' }),
      String(wrong),
    ).rejects.toThrow('There is no such slot');
  await expect(anna.call(moveslot, { id, date: DATE, start: '23:00', end: '01:00' })).rejects.toThrow(
    "can't cross midnight",
  );
  expect(await listSlots(anna)).toMatchObject([{ start: '09:00', end: '10:00' }]);
});

testOnBothDatabases('any key can identify a new slot, and any text is stored unchanged', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const keys = ['constructor', 'toString', 'hasOwnProperty', '', ' ', '0', '-1', '01', "'; --", '👋', 'a.b[0]'];
  const { overwrite } = await save(
    anna,
    Object.fromEntries(keys.map((key) => [key, createSlot(`Name of ${key}`, '9', '10')])),
  );
  expect(Object.keys(overwrite).toSorted()).toEqual(keys.toSorted());
  const names = new Map((await listSlots(anna)).map(({ updatedid, name }) => [updatedid, name]));
  for (const [key, id] of Object.entries(overwrite)) expect(names.get(id)).toBe(`Name of ${key}`);
  // Keys such as __proto__ are refused, as they could change every object.
  const proto = `{"date":"${DATE}","data":{"__proto__":${JSON.stringify(createSlot('Bad', '9', '10'))}}}`;
  const answer = await post(server, anna, proto);
  expect(answer.body['overwrite'] ?? {}).toEqual({});
  expect(await listSlots(anna)).toHaveLength(keys.length);
  for (const [field, value] of [
    ['colour', '[null,0,0]'],
    ['colour', '"red"'],
    ['name', '7.5'],
    ['state', `"${'x'.repeat(41)}"`],
    ['updatedid', '1.5'],
    ['updatedid', '{}'],
  ]) {
    const sent = JSON.stringify({ a: createSlot('Bad', '9', '10') }).replace(
      new RegExp(`"${field}":("[^"]*"|\\[[^\\]]*\\]|\\d+)`),
      `"${field}":${value}`,
    );
    const { status, body } = await post(server, anna, `{"date":"${DATE}","data":${sent}}`);
    expect([field, status, body['message']]).toEqual([field, 400, expect.stringContaining(String(field))]);
  }
  const texts = ['<script>alert(1)</script>', '\u0000\u0007', '\ud800', '\u202egnol', 'a\r\nb', ' '];
  const sent = Object.fromEntries(
    texts.map((name, index) => [`t${index}`, createSlot(name, '9', '10', { description: name })]),
  );
  const { overwrite: made } = await save(anna, sent, '2026-11-25');
  const shown = new Map((await listSlots(anna, '2026-11-25')).map(({ updatedid, name }) => [updatedid, name]));
  expect(texts.map((_, index) => shown.get(made[`t${index}`] ?? 0))).toEqual([
    '<script>alert(1)</script>',
    '\u{fffd}\u0007',
    '\u{fffd}',
    '\u202egnol',
    'a\r\nb',
    ' ',
  ]);
  expect(server.log.filter((line) => line.includes('http.request.failed'))).toEqual([]);
});

testOnBothDatabases(
  'a day accepts 200 slots of maximum length in one request, and no more',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    // JSON writes these as six bytes per character.
    const full = createSlot('\u0001'.repeat(MAX_NAME_LENGTH), '09:00', '10:00', {
      description: '\u0001'.repeat(MAX_DESCRIPTION_LENGTH),
    });
    const { overwrite } = await save(
      anna,
      createNumbered(MAX_SLOTS_PER_DAY, () => full),
    );
    expect(new Set(Object.values(overwrite)).size).toBe(MAX_SLOTS_PER_DAY);
    const one = createSlot('One more', '09:00', '10:00');
    await expect(save(anna, { a: one })).rejects.toThrow(
      `A day can have at most 200 slots, and ${DATE} would have 201`,
    );
    await save(anna, { a: one }, '2026-11-24');
    const [other] = await listSlots(anna, '2026-11-24');
    const move = { id: other?.updatedid ?? 0, date: DATE, start: '09:00', end: '10:00' };
    await expect(anna.call(moveslot, move)).rejects.toThrow('would have 201');
    // One is removed and one added in the same call.
    await save(anna, { a: one, b: createSlot(DELETED, '', '', { updatedid: overwrite['n0'] }) });
    expect(await listSlots(anna)).toHaveLength(MAX_SLOTS_PER_DAY);
  },
);

testOnBothDatabases('concurrent changes are applied one after another', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now, rateLimits: false });
  const anna = await server.createAccount('anna');
  const max = MAX_SLOTS_PER_DAY - 5;
  await save(
    anna,
    createNumbered(max, (at) => createSlot(`${at}`, '09:00', '10:00')),
  );
  const saves = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) => save(anna, { a: createSlot(`At once ${index}`, '11:00', '12:00') })),
  );
  expect(saves.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(await listSlots(anna)).toHaveLength(MAX_SLOTS_PER_DAY);

  // Two tabs change two slots of the same day.
  const { overwrite } = await save(
    anna,
    { a: createSlot('A', '9', '10'), b: createSlot('B', '11', '12') },
    '2026-11-24',
  );
  const [a = 0, b = 0] = [overwrite['a'], overwrite['b']];
  await Promise.all([
    save(anna, { [a]: createSlot('A', '9', '10', { updatedid: a, state: 'Done' }) }, '2026-11-24'),
    save(anna, { [b]: createSlot('B', '11', '12', { updatedid: b, state: 'Skipped' }) }, '2026-11-24'),
    save(anna, { c: createSlot('C', '13', '14') }, '2026-11-24'),
  ]);
  expect(Object.fromEntries((await listSlots(anna, '2026-11-24')).map(({ name, state }) => [name, state]))).toEqual({
    A: 'Done',
    B: 'Skipped',
    C: 'Not Started',
  });

  // The same week applied several times concurrently is there once, in either mode.
  const { dates } = (await anna.call(getunuseddatesttbl, { tz: 'UTC', from: DATE, weeks: '1' })).data[0] ?? {};
  const { id } = await anna.call(savelongtermtbbl, { name: 'Week', data: dates ?? [] });
  const applyWeek = (replace: boolean) => anna.call(layweek, { id, monday: '2026-12-07', replace });
  const beside = await Promise.all([applyWeek(false), applyWeek(false), applyWeek(false)]);
  expect(beside.map(({ made }) => made.length).toSorted((x, y) => x - y)).toEqual([0, 0, MAX_SLOTS_PER_DAY + 3]);
  await Promise.all([applyWeek(true), applyWeek(true)]);
  expect(await listSlots(anna, '2026-12-07')).toHaveLength(MAX_SLOTS_PER_DAY);

  for (let at = 0; at < 94; at += 1) await anna.call(savelongtermtbbl, { name: `Week ${at}`, data: [] });
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, async (_, index) => anna.call(savelongtermtbbl, { name: `At once ${index}`, data: [] })),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect((await anna.call(savedweeks, {})).weeks).toHaveLength(100);
});
