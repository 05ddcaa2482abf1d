import { expect } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import {
  deleteevent,
  eventsbetween,
  eventssearch,
  getevent,
  getevents,
  moveevent,
  newevent,
} from '../../contract/events.ts';
import { calendarfeed, importevents, makecalendarfeed } from '../../contract/exchange.ts';

type Account = Awaited<ReturnType<Awaited<ReturnType<typeof startServer>>['createAccount']>>;

const now = (): Temporal.Instant => Temporal.Instant.from('2026-11-21T12:00:00Z');
const tz = 'Europe/Berlin';

const createFile = (...lines: readonly string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//other//EN',
    'BEGIN:VEVENT',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');

/** Lists entries as `2027-03-16 14:00-15:00 Call`, with the part of events past midnight. */
async function listEntries(anna: Account, from: string, until: string, zone = tz): Promise<readonly string[]> {
  const { dates } = await anna.call(eventsbetween, { from, until, tz: zone });
  return Object.entries(dates).flatMap(([day, { entries }]) =>
    entries.map(({ time, endtime, name, part }) =>
      [day, [time, endtime].filter(Boolean).join('-'), name, part].filter(Boolean).join(' '),
    ),
  );
}

testOnBothDatabases('a weekly event in another zone has its own local time on each day', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  await anna.call(importevents, {
    text: createFile(
      'UID:call',
      'SUMMARY:Call',
      'DTSTART;TZID=America/New_York:20261201T190000',
      'DTEND;TZID=America/New_York:20261201T200000',
      'RRULE:FREQ=WEEKLY',
      'EXDATE;TZID=America/New_York:20270330T190000',
    ),
  });
  expect(await listEntries(anna, '2027-03-09', '2027-04-07')).toEqual([
    '2027-03-10 01:00-02:00 Call',
    '2027-03-17 00:00-01:00 Call',
    '2027-03-24 00:00-01:00 Call',
    '2027-04-07 01:00-02:00 Call',
  ]);
  expect(await listEntries(anna, '2027-03-16', '2027-03-16', 'America/New_York')).toEqual([
    '2027-03-16 19:00-20:00 Call',
  ]);
  const { dates } = await anna.call(getevents, { tz });
  expect(Object.keys(dates)[0]).toBe('2026-12-02');
  expect((await anna.call(eventssearch, { searchterm: 'call', tz })).names).toMatchObject([{ date: '02-12-2026' }]);

  await anna.call(makecalendarfeed, {});
  const { path } = await anna.call(calendarfeed, {});
  const feed = await (await fetch(new URL(path ?? '', server.origin))).text();
  expect(feed).toContain('DTSTART;TZID=America/New_York:20261201T190000\r\n');
  expect(feed).toContain('BEGIN:VTIMEZONE\r\nTZID:America/New_York\r\n');
});

testOnBothDatabases(
  'an event in a zone is shown and changed in the zone of the page, and keeps its own zone',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    await anna.call(importevents, {
      text: createFile(
        'UID:call',
        'SUMMARY:Call',
        'DTSTART;TZID=America/New_York:20261201T190000',
        'DTEND;TZID=America/New_York:20261201T200000',
        'RRULE:FREQ=WEEKLY',
      ),
    });
    const id = (await anna.call(eventssearch, { searchterm: 'call', tz })).names[0]?.id ?? 0;
    const get = async (date: string, zone = tz) => (await anna.call(getevent, { id: String(id), date, tz: zone })).data;
    const first = await get('2026-12-02');
    expect(first).toMatchObject({ date: '02-12-2026', time: '01:00', endtime: '02:00', zone: 'America/New_York' });
    expect(await get('2026-12-01', 'America/New_York')).toMatchObject({ date: '01-12-2026', time: '19:00' });
    const spring = await get('2027-03-17');
    expect(spring).toMatchObject({ date: '02-12-2026', occurrence: '17-03-2027', time: '00:00', endtime: '01:00' });

    const { data: renamed } = await anna.call(newevent, { data: { ...spring, name: 'Call home', tz } });
    expect(renamed).toMatchObject({ name: 'Call home', date: '02-12-2026', time: '01:00', zone: 'America/New_York' });
    const unchanged = await get('2027-03-17');
    await anna.call(newevent, { data: { ...unchanged, time: '00:30', endtime: '01:15', tz } });
    expect(await get('2026-12-01', 'America/New_York')).toMatchObject({ time: '19:30', endtime: '20:15' });
    expect(await listEntries(anna, '2026-12-02', '2026-12-02')).toEqual(['2026-12-02 01:30-02:15 Call home']);

    // Across midnight of the event's own day.
    const evening = await get('2026-12-02');
    await anna.call(newevent, { data: { ...evening, time: '07:30', endtime: '08:15', tz } });
    expect(await listEntries(anna, '2026-12-01', '2026-12-08')).toEqual(['2026-12-02 07:30-08:15 Call home']);

    await anna.call(moveevent, { id, from: '2026-12-09', to: '2026-12-11', only: true, tz });
    await anna.call(deleteevent, { id, occurrence: '2026-12-16', tz });
    expect(await listEntries(anna, '2026-12-01', '2026-12-24')).toEqual([
      '2026-12-02 07:30-08:15 Call home',
      '2026-12-11 07:30-08:15 Call home',
      '2026-12-23 07:30-08:15 Call home',
    ]);
  },
);

testOnBothDatabases('an event past midnight is one event, with a part on each of its days', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const base = { id: 0, date: '2026-12-31', time: '22:00', endtime: '02:00', tz };
  const { data: party } = await anna.call(newevent, { data: { ...base, name: 'Party', enddate: '2027-01-01' } });
  expect(party).toMatchObject({ date: '31-12-2026', enddate: '01-01-2027', style: 'calendar' });
  expect(await listEntries(anna, '2026-12-30', '2027-01-02')).toEqual([
    '2026-12-31 22:00-24:00 Party first',
    '2027-01-01 00:00-02:00 Party last',
  ]);
  // From a client that sends no end day.
  const { data: other } = await anna.call(newevent, { data: { ...base, name: 'Other' } });
  expect(other.enddate).toBe('01-01-2027');
  await anna.call(deleteevent, { id: other.id });

  // Moved by its second day, the whole event moves and keeps its length.
  await anna.call(moveevent, { id: party.id, from: '2027-01-01', to: '2027-01-03', tz });
  expect(await listEntries(anna, '2026-12-30', '2027-01-04')).toEqual([
    '2027-01-02 22:00-24:00 Party first',
    '2027-01-03 00:00-02:00 Party last',
  ]);
  await anna.call(deleteevent, { id: party.id });

  await anna.call(newevent, {
    data: {
      ...base,
      date: '2026-12-04',
      name: 'Shift',
      enddate: '2026-12-05',
      style: 'repeat',
      repeatfromtype: 'absoloute',
      repeatfrom: '2026-12-04',
    },
  });
  expect(await listEntries(anna, '2026-12-05', '2026-12-12')).toEqual([
    '2026-12-05 00:00-02:00 Shift last',
    '2026-12-11 22:00-24:00 Shift first',
    '2026-12-12 00:00-02:00 Shift last',
  ]);
  const until = { ...base, date: '2026-12-07', endtime: '00:00', enddate: '2026-12-08', name: 'Until midnight' };
  await anna.call(newevent, { data: until });
  expect(await listEntries(anna, '2026-12-07', '2026-12-08')).toEqual(['2026-12-07 22:00-24:00 Until midnight']);

  const lasting = { ...base, style: 'duration', date: '2026-12-14' };
  const { data: hours } = await anna.call(newevent, {
    data: { ...lasting, name: 'Hours', endtime: '', duration: 4, durationtype: 'hours' },
  });
  const { data: days } = await anna.call(newevent, {
    data: { ...lasting, name: 'Days', time: '17:00', endtime: '09:00', duration: 3, durationtype: 'days' },
  });
  expect([hours.until, days.until]).toEqual(['15-12-2026', '16-12-2026']);

  await anna.call(makecalendarfeed, {});
  const { path } = await anna.call(calendarfeed, {});
  const feed = await (await fetch(new URL(path ?? '', server.origin))).text();
  for (const line of [
    'DTEND:20261205T020000',
    'DTEND:20261208T000000',
    'DTEND:20261215T020000',
    'DTEND:20261216T090000',
  ])
    expect(feed).toContain(`${line}\r\n`);
});
