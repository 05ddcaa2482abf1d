import { expect } from 'vitest';
import { collect } from '#testing/kits/planning/calendar.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { deletedevents, eventsbetween, eventssearch, getevent, restoreevent } from '../../contract/events.ts';
import { importevents } from '../../contract/exchange.ts';
import { parseDay } from '../../events/domain/day.ts';
import { createCalendar } from '../../events/server/calendar.ts';
import { removePlacements, insertPlacements } from '../../events/server/store/placeEvents.ts';
import type { CalendarTables } from '../../events/server/store/tables.ts';
import { createNightlyCleanup } from '../../server/index.ts';

const tz = 'Europe/Berlin';
const now = (): Temporal.Instant => Temporal.Instant.from('2026-11-21T12:00:00Z');
const toDay = (iso: string): number => parseDay(iso) ?? Number.NaN;

const createEvent = (...lines: readonly string[]): readonly string[] => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
const text = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//other//EN',
  ...createEvent(
    'UID:call',
    'SUMMARY:Call',
    'DTSTART;TZID=America/New_York:20261201T190000',
    'DTEND;TZID=America/New_York:20261201T193000',
    'RRULE:FREQ=WEEKLY',
    'EXDATE;TZID=America/New_York:20261215T190000',
  ),
  ...createEvent(
    'UID:call',
    'SUMMARY:Call moved',
    'RECURRENCE-ID;TZID=America/New_York:20261208T190000',
    'DTSTART;TZID=America/New_York:20261209T190000',
    'DTEND;TZID=America/New_York:20261209T193000',
  ),
  ...createEvent('UID:edited', 'SUMMARY:Edited', 'DTSTART:20261201T080000Z', 'RRULE:FREQ=WEEKLY'),
  ...createEvent('UID:shifted', 'SUMMARY:Shifted', 'DTSTART:20261201T080000Z', 'RRULE:FREQ=WEEKLY'),
  'END:VCALENDAR',
  '',
].join('\r\n');

testOnBothDatabases(
  'events from before zones were stored are read again from their sources',
  async ({ databaseUrl }) => {
    const { server, context } = await startServerWithContext({ databaseUrl, now });
    await using _ = server;
    const anna = await server.createAccount('anna');
    const calendar = createCalendar(context);
    await anna.call(eventsbetween, { from: '2026-12-01', until: '2026-12-01', tz });
    await anna.call(importevents, { text });
    const account = (await context.identity.findAccountByName('anna'))?.id ?? 0;

    // As they were stored before: in the home zone.
    const as: Readonly<Record<string, object>> = {
      Call: { day: toDay('2026-12-02'), time: '01:00', end_time: '01:30' },
      'Call moved': { day: toDay('2026-12-10'), time: '01:00', end_time: '01:30', replaces: toDay('2026-12-09') },
      Edited: { time: '09:00' },
      Shifted: { time: '10:30' },
    };
    const before = await collect(calendar.iterate(account));
    await context.database.transaction(async ({ tx }) => {
      const tables = tx.$extendTables<CalendarTables>();
      for (const { id, name, pattern } of before) {
        const from = name === 'Call' ? { repeat_from_day: toDay('2026-12-02') } : {};
        const expected = { ...as[name], zone: null, ...(pattern.kind === 'repeat' ? from : {}) };
        await tables.updateTable('calendar_event').set(expected).where('id', '=', id).execute();
        await tables
          .updateTable('calendar_exception')
          .set((is) => ({ day: is('day', '+', 1) }))
          .where('event', '=', id)
          .execute();
        await tables.updateTable('calendar_source').set({ format: 0 }).where('event', '=', id).execute();
        if (name === 'Edited' || name === 'Shifted')
          await tables
            .updateTable('calendar_event')
            .set((is) => ({ revision: is('revision', '+', 100) }))
            .where('id', '=', id)
            .execute();
      }
    });
    const old = await collect(calendar.iterate(account));
    await context.database.transaction(async ({ tx }) => {
      await removePlacements(
        tx,
        calendar.stores.search,
        old.map(({ id }) => id),
      );
      await insertPlacements(tx, calendar.stores.search, account, old);
    });
    async function listShown(from: string, until: string) {
      const { dates } = await anna.call(eventsbetween, { from, until, tz });
      return Object.entries(dates).flatMap(([iso, { entries }]) =>
        entries.map(({ time, name }) => `${iso} ${time} ${name}`),
      );
    }
    const winter = await listShown('2026-12-01', '2026-12-24');
    expect(winter).toContain('2026-12-02 01:00 Call');
    expect(winter).not.toContain('2026-12-09 01:00 Call');

    await createNightlyCleanup(context, calendar)();
    expect(await listShown('2026-12-01', '2026-12-24')).toEqual(winter);
    // Between the changes of the clock in the two zones, and after that of the home zone.
    expect(await listShown('2027-03-15', '2027-03-31')).toEqual([
      '2027-03-16 09:00 Edited',
      '2027-03-16 10:30 Shifted',
      '2027-03-17 00:00 Call',
      '2027-03-23 09:00 Edited',
      '2027-03-23 10:30 Shifted',
      '2027-03-24 00:00 Call',
      '2027-03-30 10:00 Edited',
      '2027-03-30 10:30 Shifted',
      '2027-03-31 01:00 Call',
    ]);
    const after = await collect(calendar.iterate(account));
    const listNames = (list: typeof after) =>
      list.map(({ id, uid, resource, name, edited }) => [id, uid, resource, name, edited]);
    expect(listNames(after)).toEqual(listNames(before));
    expect(after.map(({ name, zone, replaces }) => [name, zone, replaces])).toEqual([
      ['Call', 'America/New_York', undefined],
      ['Edited', 'UTC', undefined],
      ['Shifted', undefined, undefined],
      ['Call moved', 'America/New_York', toDay('2026-12-08')],
    ]);
    // Still exactly what was received.
    const [call] = after;
    const source = (await calendar.loadSources(account, [call?.id ?? 0])).get(call?.id ?? 0);
    expect(source?.revision).toBe(call?.revision);
    const { data } = await anna.call(getevent, { id: String(call?.id), tz });
    expect(data.edithistory.flatMap(({ edits }) => edits.map(({ type }) => type))).not.toContain('edited');
    expect((await anna.call(eventssearch, { searchterm: 'call', tz })).names.length).toBe(2);
    expect((await anna.call(deletedevents, {})).events).toEqual([]);
    // A second run has nothing to do.
    await createNightlyCleanup(context, calendar)();
    expect((await collect(calendar.iterate(account))).map(({ revision }) => revision)).toEqual(
      after.map(({ revision }) => revision),
    );
  },
);

testOnBothDatabases(
  'an event that cannot be read again stops neither the others nor the nightly cleanup',
  async ({ databaseUrl }) => {
    const { server, context } = await startServerWithContext({ databaseUrl, now });
    await using _ = server;
    const anna = await server.createAccount('anna');
    const calendar = createCalendar(context);
    await anna.call(eventsbetween, { from: '2026-12-01', until: '2026-12-01', tz });
    await anna.call(importevents, { text });
    const account = (await context.identity.findAccountByName('anna'))?.id ?? 0;
    const tables = context.database.db.$extendTables<CalendarTables>();
    const before = await collect(calendar.iterate(account));
    const getId = (name: string): number => before.find((each) => each.name === name)?.id ?? 0;
    const old = now().epochMilliseconds - 400 * 86_400_000;
    // In the home zone, as before: one with an invalid name, one in the bin, and one that is long.
    const as: Readonly<Record<string, object>> = {
      Call: { name: '\u2800', day: toDay('2026-12-02'), time: '01:00', end_time: '01:30', zone: null },
      Edited: { time: '09:00', zone: null },
      Shifted: { deleted: old },
    };
    const author = { address: '', by: 'page' } as const;
    await calendar.remove(account, [{ id: getId('Edited') }, { id: getId('Shifted') }], author);
    for (const [name, columns] of Object.entries(as))
      await tables.updateTable('calendar_event').set(columns).where('id', '=', getId(name)).execute();
    await tables.updateTable('calendar_source').set({ format: 0 }).execute();

    await createNightlyCleanup(context, calendar)();
    const rows = await tables.selectFrom('calendar_event').select(['id', 'time', 'zone']).orderBy('id').execute();
    const timeById = new Map(rows.map(({ id, time, zone }) => [id, [time, zone]]));
    expect(timeById.get(getId('Call'))).toEqual(['01:00', null]);
    expect(timeById.get(getId('Edited'))).toEqual(['08:00', 'UTC']);
    expect(timeById.has(getId('Shifted'))).toBe(false);
    const formats = await tables.selectFrom('calendar_source').select('format').distinct().execute();
    expect(formats).toEqual([{ format: 1 }]);
    expect((await anna.call(deletedevents, {})).events.map(({ name }) => name)).toEqual(['Edited']);
    // Once restored, it is shown in its own zone.
    await anna.call(restoreevent, { id: getId('Edited') });
    const { dates } = await anna.call(eventsbetween, { from: '2027-03-30', until: '2027-03-30', tz });
    expect(dates['2027-03-30']?.entries.map(({ time, name }) => `${time} ${name}`)).toContain('10:00 Edited');
  },
);
