import { expect, test } from 'vitest';
import { toIso, type Day } from '#platform/contract/day.ts';
import { createDavClient, formatCalendar, formatEvent } from '#testing/kits/planning/dav.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { eventsbetween, getevent, moveevent, newevent } from '../../contract/events.ts';
import { parseDay } from '../../events/domain/day.ts';
import type { CalendarEvent } from '../../events/domain/event.ts';
import { shiftEvent } from '../../events/domain/shiftEvent.ts';
import { formatIcs } from '../domain/icsWriter.ts';
import { readObject } from './ics/readIcs.ts';

const OPTIONS = { zone: 'Europe/Berlin', today: parseDay('2026-11-27') ?? Number.NaN };

function getDays(text: string): readonly Day[] {
  const pattern = readObject(text, OPTIONS).events[0]?.draft.pattern;
  return pattern?.kind === 'foreign' ? pattern.days : [];
}

test.each([
  ['DTSTART;VALUE=DATE:20261207', 'RRULE:FREQ=MONTHLY;BYDAY=1MO'],
  ['DTSTART:20261207T090000', 'RRULE:FREQ=MONTHLY;BYDAY=1MO;COUNT=5'],
  ['DTSTART;TZID=America/New_York:20261207T200000', 'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20270301T000000Z'],
])('a moved event of another calendar has all of its days in the export: %s', (start, rule) => {
  const text = formatEvent('a', 'SUMMARY:A', start, rule);
  const draft = readObject(text, OPTIONS).events[0]?.draft;
  if (!draft) throw new Error('nothing was read');
  const moved = { ...draft, ...shiftEvent(draft, 1) };
  const details = { id: 1, uid: 'a', resource: 'a.ics', created: 0, edited: 0, revision: 1 } as const;
  const event: CalendarEvent = {
    ...moved,
    ...details,
    subscription: undefined,
    parent: undefined,
    replaces: undefined,
  };
  const expected = getDays(text).map((day) => day + 1);
  expect(expected.length).toBeGreaterThan(4);
  expect(getDays(formatIcs([event]))).toEqual(expected);
});

async function setUp() {
  const server = await startServer({ rateLimits: false, now: () => Temporal.Instant.from('2026-11-27T12:00:00Z') });
  const ada = await server.createAccount('ada');
  const listEntries = async () => {
    const { dates } = await ada.call(eventsbetween, { from: '2026-12-01', until: '2027-01-15', tz: 'Europe/Berlin' });
    return Object.entries(dates).flatMap(([day, { entries }]) =>
      entries.map(({ name, eventid }) => ({ day, name, eventid })),
    );
  };
  return { server, ada, listEntries, client: await createDavClient(server, ada) };
}

test('a phone sees all days of an event that was moved here, and can send it back', async () => {
  const { server, ada, listEntries, client } = await setUp();
  await using _ = server;
  await client.put('a.ics', formatEvent('a', 'SUMMARY:A', 'DTSTART:20261207T090000', 'RRULE:FREQ=WEEKLY;BYDAY=MO,WE'));
  const id = (await listEntries())[0]?.eventid ?? 0;
  await ada.call(moveevent, { id, from: '2026-12-07', to: '2026-12-08' });
  const days = (await listEntries()).map(({ day }) => day);
  expect(days.slice(0, 4)).toEqual(['2026-12-08', '2026-12-10', '2026-12-15', '2026-12-17']);
  const { text } = await client.request('GET', `${client.collection}a.ics`);
  expect(getDays(text).slice(0, 4).map(toIso)).toEqual(days.slice(0, 4));
  expect((await client.put('a.ics', text)).status).toBe(204);
  expect((await listEntries()).map(({ day }) => day)).toEqual(days);
});

test.each([
  ['our own', 'RRULE:FREQ=WEEKLY'],
  ['of another calendar', 'RRULE:FREQ=WEEKLY;BYDAY=MO,WE'],
])('a changed day moves with its repeat, and no other day is lost: a rule %s', async (_name, rule) => {
  const { server, ada, listEntries, client } = await setUp();
  await using _ = server;
  const text = formatCalendar(
    'BEGIN:VEVENT',
    'UID:a',
    'SUMMARY:A',
    'DTSTART:20261207T090000',
    rule,
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:a',
    'SUMMARY:B',
    'RECURRENCE-ID:20261214T090000',
    'DTSTART:20261215T100000',
    'LOCATION:Room',
    'END:VEVENT',
  );
  expect((await client.put('a.ics', text)).status).toBe(201);
  const id = (await listEntries()).find(({ name }) => name === 'A')?.eventid ?? 0;
  await ada.call(moveevent, { id, from: '2026-12-21', to: '2026-12-28' });
  const moved = (await listEntries()).map(({ day, name }) => `${day} ${name}`);
  // The changed day stays where it is.
  expect(moved).toContain('2026-12-15 B');
  expect(moved).toContain('2026-12-14 A');
  expect(moved).not.toContain('2026-12-21 A');
  const answer = await client.request('GET', `${client.collection}a.ics`);
  expect(answer.text).toContain('RECURRENCE-ID:20261221T090000');
  expect(answer.text).toContain('LOCATION:Room');
  expect((await client.put('a.ics', answer.text)).status).toBe(204);
  expect((await listEntries()).map(({ day, name }) => `${day} ${name}`)).toEqual(moved);

  // The same by editing its date.
  const { data } = await ada.call(getevent, { id: String(id) });
  await ada.call(newevent, { data: { ...data, date: '07-12-2026' } });
  const edited = (await listEntries()).map(({ day, name }) => `${day} ${name}`);
  const { text: after } = await client.request('GET', `${client.collection}a.ics`);
  expect((await client.put('a.ics', after)).status).toBe(204);
  expect((await listEntries()).map(({ day, name }) => `${day} ${name}`)).toEqual(edited);
});

const ALARM = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT5M'];
test.each([
  [
    'has line ends of old Macs',
    formatEvent('a', 'SUMMARY:A', 'LOCATION:Room', 'DTSTART:20261201T090000Z').replaceAll('\r\n', '\r'),
  ],
  ['lacks the end of an alarm', formatEvent('a', 'SUMMARY:A', 'LOCATION:Room', 'DTSTART:20261201T090000Z', ...ALARM)],
  [
    'lacks the end of an alarm on a changed day',
    formatCalendar(
      'BEGIN:VEVENT',
      'UID:a',
      'SUMMARY:A',
      'LOCATION:Room',
      'DTSTART:20261201T090000Z',
      'RRULE:FREQ=WEEKLY',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:a',
      'SUMMARY:B',
      'RECURRENCE-ID:20261208T090000Z',
      'DTSTART:20261209T090000Z',
      ...ALARM,
      'END:VEVENT',
    ),
  ],
])('a phone sees an edit of an object that %s', async (_name, text) => {
  const { server, ada, listEntries, client } = await setUp();
  await using _ = server;
  expect((await client.put('a.ics', text)).status).toBe(201);
  const id = (await listEntries()).find(({ name }) => name === 'A')?.eventid ?? 0;
  const { data } = await ada.call(getevent, { id: String(id) });
  await ada.call(newevent, { data: { ...data, name: 'Renamed' } });
  const answer = await client.request('GET', `${client.collection}a.ics`);
  expect(answer.text).toContain('SUMMARY:Renamed\r\n');
  expect(answer.text).toContain('LOCATION:Room\r\n');
  expect(answer.text).not.toContain('SUMMARY:A\r');
});
