import { expect } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { eventsbetween, getevent, newevent } from '../../contract/events.ts';
import { calendarfeed, makecalendarfeed } from '../../contract/exchange.ts';
import { interpretLine } from '../../quickAdd/domain/interpretLine.ts';
import { toNewEventData } from '../../web/readingData.ts';
import { parseDay } from '../domain/day.ts';

/** Saturday. */
const now = (): Temporal.Instant => Temporal.Instant.from('2026-11-21T12:00:00Z');
const today = parseDay('2026-11-21') ?? 0;
const tz = 'UTC';

/** Returns what quick add sends for the most likely reading of a line. */
function toEventData(line: string) {
  const meaning = interpretLine(line, today, '12:00');
  const [reading] = meaning.kind === 'readings' ? meaning.readings : [];
  if (!reading) throw new Error(`${line}: not understood`);
  return { ...toNewEventData(reading), tz };
}

testOnBothDatabases('rules and nights of quick add are stored, shown and exported', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const saveEvent = async (line: string) => (await anna.call(newevent, { data: toEventData(line) })).data;
  async function listShown(name: string, from: string, until: string) {
    const { dates } = await anna.call(eventsbetween, { from, until, tz });
    return Object.entries(dates).flatMap(([iso, { entries }]) =>
      entries
        .filter((entry) => entry.name === name)
        .map(({ time, endtime }) => [iso, time, endtime].filter(Boolean).join(' ')),
    );
  }

  const club = await saveEvent('book club first monday of every month 19:00-21:00');
  expect(club).toMatchObject({ style: 'repeat', date: '07-12-2026', otherrule: 'every month on the first Monday' });
  expect(await listShown('book club', '2026-12-01', '2027-01-31')).toEqual(['2026-12-07 19:00', '2027-01-04 19:00']);
  const gym = await saveEvent('gym every mon, wed and fri 7am until 9 december');
  expect(await listShown('gym', '2026-11-21', '2027-01-20')).toEqual(
    ['11-23', '11-25', '11-27', '11-30', '12-02', '12-04', '12-07', '12-09'].map((day) => `2026-${day} 07:00`),
  );
  // A page that doesn't know rules can save it again without changing the rule.
  const { data: read } = await anna.call(getevent, { id: String(gym.id), tz });
  await anna.call(newevent, {
    data: { id: gym.id, name: 'gym', date: read.date, style: 'repeat', time: '08:00', revision: read.revision, tz },
  });
  expect(await listShown('gym', '2026-12-07', '2026-12-31')).toEqual(['2026-12-07 08:00', '2026-12-09 08:00']);

  expect(await saveEvent('party 31 dec 22:00-02:00')).toMatchObject({ date: '31-12-2026', enddate: '01-01-2027' });
  expect(await listShown('party', '2026-12-30', '2027-01-02')).toEqual([
    '2026-12-31 22:00 24:00',
    '2027-01-01 00:00 02:00',
  ]);
  await saveEvent('shift every tue and thu 22:00-06:00');
  expect(await listShown('shift', '2026-12-01', '2026-12-03')).toEqual([
    '2026-12-01 22:00 24:00',
    '2026-12-02 00:00 06:00',
    '2026-12-03 22:00 24:00',
  ]);

  await anna.call(makecalendarfeed, {});
  const { path } = await anna.call(calendarfeed, {});
  const feed = await (await fetch(new URL(path ?? '', server.origin))).text();
  for (const line of [
    'RRULE:FREQ=MONTHLY;INTERVAL=1;BYDAY=1MO',
    'RRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,WE,FR;UNTIL=20261209T235959',
    'DTEND:20270101T020000',
    'DTEND:20261125T060000',
  ])
    expect(feed).toContain(`${line}\r\n`);

  for (const rule of ['nonsense', 'FREQ=HOURLY', 'FREQ=DAILY\r\nX-EVIL:1']) {
    const data = { id: 0, name: 'x', date: '2026-12-01', style: 'repeat', rule, tz };
    await expect(anna.call(newevent, { data }), rule).rejects.toThrow(/^rule: /);
  }
});
