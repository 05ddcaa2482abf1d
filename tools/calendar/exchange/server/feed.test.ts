import { expect, test } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';
import { runPythonCalendar } from '#testing/python/calendars.ts';
import { DELETED, moveslot, savespecific, timetablefeed, undoslots } from '#tools/timetable/contract.ts';
import { deleteevent, moveevent, newevent } from '../../contract/events.ts';
import { calendarfeed, endcalendarfeed, importevents, makecalendarfeed } from '../../contract/exchange.ts';
import { readObject } from './ics/readIcs.ts';

const now = () => Temporal.Instant.from('2026-11-21T12:00:00Z');

const saveEvent = async (account: TestAccount, data: object) =>
  (await account.call(newevent, { data: { id: 0, name: 'Dentist', date: '03-12-2026', tz: 'UTC', ...data } })).data;

async function createFeed(server: TestServer, account: TestAccount): Promise<string> {
  const { path } = await account.call(makecalendarfeed, {});
  expect(path).toMatch(/^\/calendar\/feed\/[\w-]{43}\.ics$/);
  return `${server.origin}${path}`;
}
const read = async (address: string) => readObject(await (await fetch(address)).text(), { zone: 'UTC' });

testOnBothDatabases('the secret address shows the events of its account, and no others', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const ben = await server.createAccount('ben');
  await saveEvent(anna, {
    name: 'Büro, um 9; "wichtig"',
    time: '09:00',
    endtime: '10:30',
    participants: ['work'],
    pinned: 'work',
  });
  const repeat = await saveEvent(anna, { name: 'Bins', style: 'repeat', repeateveryamount: 2, repeatevery: 'week' });
  await saveEvent(ben, { name: 'Secret of Ben' });
  const address = await createFeed(server, anna);
  const answer = await fetch(address);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('inline; filename="calendar.ics"');
  const text = await answer.text();
  expect(text).not.toContain('Ben');
  expect(text).toContain('X-WR-CALNAME:anna (Pegboard)\r\n');
  expect(text).toContain('REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n');
  const first = readObject(text, { zone: 'UTC' });
  expect(first.events.map(({ draft }) => draft)).toMatchObject([
    { name: 'Büro, um 9; "wichtig"', time: '09:00', endTime: '10:30', tags: ['work'], pinned: 'work' },
    { name: 'Bins', pattern: { kind: 'repeat', repeat: { every: 2, unit: 'week' } } },
  ]);

  // A moved day of a repeat, and a deleted event.
  await anna.call(moveevent, { id: repeat.id, from: '17-12-2026', to: '18-12-2026', only: true, tz: 'UTC' });
  const moved = await read(address);
  expect(moved.problems).toEqual([]);
  expect(moved.events.find(({ draft }) => draft.name === 'Bins')?.draft.exceptions).toHaveLength(1);
  await anna.call(deleteevent, { id: repeat.id });
  // The moved day is an event of its own, and stays.
  const remaining = (await read(address)).events.filter(({ draft }) => draft.name === 'Bins');
  expect(remaining.map(({ draft }) => draft.pattern.kind)).toEqual(['single']);
  expect((await anna.call(calendarfeed, {})).path).toBe(new URL(address).pathname);
  expect((await ben.call(calendarfeed, {})).path).toBeUndefined();
});

test('an unchanged feed is not sent again, and HEAD sends no events', async () => {
  await using server = await startServer({ now });
  const anna = await server.createAccount('anna');
  await saveEvent(anna, {});
  const address = await createFeed(server, anna);
  const tag = (await fetch(address)).headers.get('etag') ?? '';
  const fetchAgain = (value: string) => fetch(address, { headers: { 'if-none-match': value } });
  const same = await fetchAgain(tag);
  expect([same.status, await same.text()]).toEqual([304, '']);
  expect((await fetchAgain(`"x", W/${tag}`)).status).toBe(304);
  expect((await fetchAgain('"x"')).status).toBe(200);
  const head = await fetch(address, { method: 'HEAD' });
  expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, tag, '']);
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
  await saveEvent(anna, { name: 'Another' });
  expect((await fetchAgain(tag)).status).toBe(200);
});

async function fetchFeed(address: string) {
  const answer = await fetch(address);
  return [answer.status, await answer.text(), answer.headers.get('content-type')];
}

test('a new address revokes the old one, and a revoked or unknown one reveals nothing', async () => {
  await using server = await startServer({ now });
  const anna = await server.createAccount('anna');
  const first = await createFeed(server, anna);
  const second = await createFeed(server, anna);
  expect((await fetch(second)).status).toBe(200);
  const unknown = [404, 'There is no such calendar', 'text/plain; charset=utf-8'];
  expect(await fetchFeed(first)).toEqual(unknown);
  await anna.call(endcalendarfeed, {});
  expect(await fetchFeed(second)).toEqual(unknown);
  expect((await anna.call(calendarfeed, {})).path).toBeUndefined();
  for (const other of ['.ics', 'x.ics', '%00.ics', `${'a'.repeat(43)}.ics`, "'%20or%201=1.ics", 'a'.repeat(43)])
    expect(await fetchFeed(`${server.origin}/calendar/feed/${other}`), other).toEqual(unknown);
  expect((await fetch(`${server.origin}/calendar/feed/x.ics`, { method: 'POST' })).status).toBe(405);
});

test('the secret is never logged', async () => {
  await using server = await startServer({ now, logLevel: 'debug' });
  const anna = await server.createAccount('anna');
  const address = await createFeed(server, anna);
  await fetch(address);
  const secret = /([\w-]{43})\.ics/.exec(address)?.[1] ?? 'none';
  const lines = server.log.filter((line) => line.includes('/calendar/feed/:file'));
  expect(lines).not.toEqual([]);
  expect(server.log.join('\n')).not.toContain(secret);
});

test('an address with too many requests must wait', async () => {
  await using server = await startServer({ now });
  const responses = await Promise.all(Array.from({ length: 200 }, () => fetch(`${server.origin}/calendar/feed/x.ics`)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404, 429]));
});

test('a large calendar is written while other requests are answered', async () => {
  await using server = await startServer({ now });
  const anna = await server.createAccount('anna');
  const events = Array.from(
    { length: 3000 },
    (_none, index) => `BEGIN:VEVENT\nUID:${index}\nSUMMARY:Event ${index}\nDTSTART;VALUE=DATE:20261201\nEND:VEVENT`,
  );
  const text = ['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR'].join('\n');
  expect(await anna.call(importevents, { text })).toMatchObject({ added: 3000, refused: 0 });
  const address = await createFeed(server, anna);
  const order: string[] = [];
  const feed = fetch(address).then(async (answer) => {
    const length = (await answer.text()).match(/BEGIN:VEVENT/g)?.length;
    order.push('feed');
    return length;
  });
  await (await fetch(`${server.origin}/healthz`)).text();
  order.push('others');
  expect(await feed).toBe(3000);
  expect(order).toEqual(['others', 'feed']);
});

const plan = async (account: TestAccount, date: string, data: Readonly<Record<string, object>>) =>
  (await account.call(savespecific, { date, data: { ...data } as never })).overwrite;
const fetchLines = async (address: string) =>
  (await (await fetch(address)).text()).replaceAll('\r\n ', '').split('\r\n');

testOnBothDatabases('slots of the timetable are in the feed of users who enable it', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const ben = await server.createAccount('ben');
  const { a = 0, b = 0 } = await plan(anna, '2026-11-23', {
    a: { name: 'Run, slowly; "well"', start: '06:00', end: '07:30', description: 'Two\nlines' },
    b: { name: ' ', start: '22:00', end: '24:00', state: 'Skipped' },
  });
  await plan(ben, '2026-11-23', { a: { name: 'Of Ben', start: '06:00', end: '07:30' } });
  await plan(anna, '2025-11-23', { a: { name: 'A year ago', start: '06:00', end: '07:30' } });
  await plan(anna, '2028-11-23', { a: { name: 'In two years', start: '06:00', end: '07:30' } });
  const address = await createFeed(server, anna);
  const tag = async () => (await fetch(address, { method: 'HEAD' })).headers.get('etag') ?? '';
  const without = await tag();
  expect(await fetchLines(address)).not.toContain('BEGIN:VEVENT');
  expect(await anna.call(timetablefeed, {})).toMatchObject({ on: false });
  expect(await anna.call(timetablefeed, { on: true })).toMatchObject({ on: true });
  const first = await tag();
  expect(first).not.toBe(without);
  const stamp = '20261121T120000Z';
  expect((await fetchLines(address)).slice(7)).toEqual([
    'BEGIN:VEVENT',
    `UID:slot-${a}@timetable.pegboard`,
    `DTSTAMP:${stamp}`,
    `LAST-MODIFIED:${stamp}`,
    String.raw`SUMMARY:Run\, slowly\; "well"`,
    'DTSTART:20261123T060000',
    'DTEND:20261123T073000',
    String.raw`DESCRIPTION:Two\nlines`,
    'STATUS:CONFIRMED',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'BEGIN:VEVENT',
    `UID:slot-${b}@timetable.pegboard`,
    `DTSTAMP:${stamp}`,
    `LAST-MODIFIED:${stamp}`,
    'SUMMARY:Slot',
    'DTSTART:20261123T220000',
    'DTEND:20261124T000000',
    'STATUS:CANCELLED',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]);

  // Only changes of the slots change the tag.
  const tags = [first, without];
  async function changed() {
    const next = await tag();
    expect(tags).not.toContain(next);
    tags.push(next);
    expect((await fetch(address, { headers: { 'if-none-match': next } })).status).toBe(304);
  }
  await anna.call(moveslot, { id: a, date: '2026-11-24', start: '08:00', end: '09:00' });
  await changed();
  expect(await fetchLines(address)).toEqual(
    expect.arrayContaining([`UID:slot-${a}@timetable.pegboard`, 'DTSTART:20261124T080000']),
  );
  await plan(anna, '2026-11-23', { [b]: { name: DELETED } });
  await changed();
  expect(await fetchLines(address)).not.toContain(`UID:slot-${b}@timetable.pegboard`);
  await anna.call(undoslots, { made: [], gone: [b] });
  await changed();
  expect(await fetchLines(address)).toContain(`UID:slot-${b}@timetable.pegboard`);
  await plan(ben, '2026-11-23', { a: { name: 'More of Ben', start: '06:00', end: '07:30' } });
  expect(await tag()).toBe(tags.at(-1));
  await anna.call(timetablefeed, { on: false });
  expect(await tag()).toBe(without);
});

const lack = getSkipReason('icalendar', 'recurring_ical_events');
test.skipIf(lack !== undefined)(
  `another program reads slots as they were planned${lack === undefined ? '' : ` (${lack})`}`,
  async () => {
    await using server = await startServer({ now });
    const anna = await server.createAccount('anna');
    await saveEvent(anna, { time: '09:00', endtime: '10:30' });
    const names = [
      'Run',
      'Comma, semicolon; back\\slash',
      '👩‍👩‍👧'.repeat(20),
      'END:VEVENT\r\nBEGIN:VEVENT',
      'ä'.repeat(200),
    ];
    await plan(
      anna,
      '2026-11-23',
      Object.fromEntries(
        names.map((name, at) => [`n${at}`, { name, description: `${name}\n\nmore`, start: '22:00', end: '24:00' }]),
      ),
    );
    await anna.call(timetablefeed, { on: true });
    const ics = await (await fetch(await createFeed(server, anna))).text();
    const { events } = runPythonCalendar({ ics, from: '2026-11-01', until: '2026-12-31' });
    const slots = events.filter(({ uid }) => uid.startsWith('slot-'));
    expect(slots.map(({ name }) => name).toSorted()).toEqual(
      names.map((name) => name.replaceAll('\r\n', '\n')).toSorted(),
    );
    expect(slots.map(({ days }) => days)).toEqual(names.map(() => ['2026-11-23']));
    for (const { name, description } of slots) expect(description).toBe(`${name}\n\nmore`);
    expect(events.filter(({ name }) => name === 'Dentist')).toHaveLength(1);
    expect(readObject(ics, { zone: 'UTC' }).problems).toEqual([]);
  },
);
