import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Day } from '#platform/contract/day.ts';
import { collect } from '#testing/kits/planning/calendar.ts';
import { testOnBothDatabases, testOnSqlite, type TestStorage } from '#testing/kits/server/database.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import {
  CHANGED_ELSEWHERE,
  calendarChanged,
  MAX_EVENTS_PER_ACCOUNT,
  getevent,
  getevents,
  newevent,
} from '../../contract/events.ts';
import { createAccountExport } from '../../exchange/server/calendarExport.ts';
import { createNightlyCleanup } from '../../server/index.ts';
import { parseDay } from '../domain/day.ts';
import type { EventDraft } from '../domain/event.ts';
import { type Author, type Change, createCalendar } from './calendar.ts';
import { restoreEvent } from './store/binStore.ts';
import type { CalendarTables } from './store/tables.ts';

const toDay = (text: string): Day => parseDay(text) ?? Number.NaN;
const PLAIN_DRAFT: EventDraft = {
  name: 'Dentist',
  description: '',
  day: toDay('03-12-2026'),
  time: undefined,
  endTime: undefined,
  pattern: { kind: 'single' },
  exceptions: [],
  tags: [],
  pinned: undefined,
};
const createDraft = (more: Partial<EventDraft>): EventDraft => ({ ...PLAIN_DRAFT, ...more });
const createChange = (more: Partial<EventDraft>, change: Partial<Change> = {}): Change => ({
  id: 0,
  draft: createDraft(more),
  ...change,
});
const createWeekly = (exceptions: readonly Day[] = []): Partial<EventDraft> => ({
  pattern: {
    kind: 'repeat',
    repeat: { every: 1, unit: 'week', from: { type: 'forever' }, until: { type: 'forever' } },
  },
  exceptions,
});
const page: Author = { address: '192.0.2.1', by: 'page' };
const importer: Author = { address: '192.0.2.1', by: 'import' };
const feed: Author = { address: '', by: 'subscription' };

/** Starts a server with one account and a clock that the test sets. */
async function startWithCalendar({ databaseUrl }: Pick<TestStorage, 'databaseUrl'>) {
  const clock = { now: Temporal.Instant.from('2026-11-21T12:00:00Z') };
  const { server, context } = await startServerWithContext({ databaseUrl, now: () => clock.now });
  const anna = await server.createAccount('anna');
  const account = (await context.identity.findAccountByName('anna'))?.id ?? 0;
  return {
    server,
    anna,
    context,
    account,
    clock,
    calendar: createCalendar(context),
    tables: context.database.db.$extendTables<CalendarTables>(),
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  };
}
testOnBothDatabases('a saved event is read back unchanged', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account } = fixture;
  const changes = [
    createChange(
      { tags: ['b', 'a'], pinned: 'a', time: '09:00', endTime: '10:00' },
      { uid: 'some uid/1', resource: 'x.ics' },
    ),
    createChange(createWeekly([toDay('10-12-2026'), toDay('17-12-2026')]), {
      uid: 'plain@example.net',
      source: 'BEGIN:VEVENT',
    }),
    createChange({
      pattern: {
        kind: 'foreign',
        rule: 'RRULE:X',
        words: 'oddly',
        days: ['01-12-2026', '04-12-2026', '09-12-2026'].map(toDay),
      },
      exceptions: [toDay('04-12-2026')],
    }),
    createChange({ pattern: { kind: 'duration', duration: { amount: 3, unit: 'days' } } }),
  ];
  const saved = await calendar.save(account, changes, page);
  expect(saved.map(({ resource }) => resource)).toEqual([
    'x.ics',
    'plain@example.net.ics',
    `${saved[2]?.uid}.ics`,
    `${saved[3]?.uid}.ics`,
  ]);
  expect(saved[0]).toMatchObject({ tags: ['a', 'b'], pinned: 'a' });
  for (const event of saved) expect(await calendar.read(account, event.id)).toEqual(event);
  expect(await collect(calendar.iterate(account))).toEqual(saved);
  expect(await calendar.listByUid(account, ['some uid/1', 'other'])).toEqual([saved[0]]);
  expect(await calendar.listByResource(account, ['plain@example.net.ics'])).toEqual([saved[1]]);
  const ids = saved.map(({ id }) => id);
  expect([...(await calendar.loadSources(account, ids))]).toEqual([
    [saved[1]?.id, { text: 'BEGIN:VEVENT', revision: saved[1]?.revision }],
  ]);
  expect(await calendar.getRevision(account)).toBe(4);
  // An exception of a foreign rule can be removed again.
  const [event] = await calendar.save(
    account,
    [{ id: ids[2] ?? 0, draft: createDraft({ ...saved[2], exceptions: [] }) }],
    page,
  );
  expect(await calendar.listBetween(account, toDay('04-12-2026'), toDay('04-12-2026'))).toEqual(
    [saved[3], event].toSorted((one, other) => (one?.id ?? 0) - (other?.id ?? 0)),
  );
});

testOnBothDatabases('between returns only events that happen in the range', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account } = fixture;
  await calendar.save(
    account,
    [
      createChange({ name: 'single' }),
      createChange({ name: 'before', day: toDay('01-12-2026') }),
      createChange({ name: 'weekly', ...createWeekly(), day: toDay('05-11-2026') }),
      createChange({ name: 'weekly, not here', ...createWeekly(), day: toDay('06-11-2026') }),
      createChange({ name: 'weekly, left out', ...createWeekly([toDay('03-12-2026')]), day: toDay('05-11-2026') }),
      createChange({
        name: 'lasting',
        day: toDay('01-11-2026'),
        pattern: { kind: 'duration', duration: { amount: 2, unit: 'months' } },
      }),
      createChange({ name: 'subscribed' }, { subscription: 1 }),
    ],
    feed,
  );
  const events = await calendar.listBetween(account, toDay('02-12-2026'), toDay('03-12-2026'));
  expect(events.map(({ name }) => name)).toEqual(['single', 'weekly', 'lasting']);
});

testOnBothDatabases('a save is stored completely or not at all', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account } = fixture;
  const [event] = await calendar.save(account, [createChange({ tags: ['kept'] })], page);
  const id = event?.id ?? 0;
  for (const [bad, sentence] of [
    [createChange({ name: '' }), 'Enter a name for the event'],
    [{ id: 999, draft: PLAIN_DRAFT }, 'There is no such event'],
    [{ id, draft: PLAIN_DRAFT, seenRevision: 0 }, CHANGED_ELSEWHERE],
    [{ id, draft: PLAIN_DRAFT, seenRevision: 7 }, CHANGED_ELSEWHERE],
  ] as const)
    await expect(calendar.save(account, [createChange({ tags: ['lost'] }), bad], page), sentence).rejects.toThrow(
      sentence,
    );
  expect(await collect(calendar.iterate(account))).toEqual([event]);
  expect(await calendar.getRevision(account)).toBe(1);
  expect((await calendar.stores.tags.listUserTags(account)).map(({ name }) => name)).toEqual(['kept']);
});

testOnBothDatabases('five thousand events are saved and reported in one save', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account, server, anna } = fixture;
  await using socket = await openSocket(server, { token: anna.token });
  const changes = Array.from({ length: 5000 }, (_, number) =>
    createChange({
      name: `Event ${number}`,
      day: toDay('01-01-2026') + (number % 700),
      tags: [`tag ${number % 40}`],
      ...(number % 10 === 0 ? createWeekly([toDay('01-01-2026') + 7]) : {}),
    }),
  );
  const saved = await calendar.save(account, changes, importer);
  expect(saved.map(({ name }) => name)).toEqual(changes.map((change) => change.draft.name));
  expect(await socket.nextEvent(calendarChanged)).toEqual({ revision: 5000 });
  expect(await collect(calendar.iterate(account))).toEqual(saved);
  const renamed = await calendar.save(
    account,
    saved.map((event) => ({ id: event.id, seenRevision: event.revision, draft: { ...event, name: `${event.name}!` } })),
    importer,
  );
  expect(await calendar.read(account, saved[4321]?.id ?? 0)).toEqual(renamed[4321]);
  expect((await anna.call(getevents, { tz: 'UTC' })).revision).toBe(10_000);
  await calendar.remove(
    account,
    renamed.map(({ id }) => ({ id })),
    page,
  );
  expect(await collect(calendar.iterate(account))).toEqual([]);
});

testOnBothDatabases('changing one day of a repeat changes the repeat', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account } = fixture;
  const day = toDay('10-12-2026');
  const [repeat] = await calendar.save(account, [createChange(createWeekly([day]), { uid: 'one' })], page);
  const parent = repeat?.id ?? 0;
  const [child] = await calendar.save(
    account,
    [createChange({ name: 'Later', day: day + 1 }, { uid: 'one', parent, replaces: day })],
    page,
  );
  expect(await calendar.listChildren(account, [parent])).toEqual([child]);
  const touched = await calendar.read(account, parent);
  expect(touched?.revision).toBe(child?.revision);
  expect(await calendar.listByUid(account, ['one'])).toEqual([touched]);
  expect((await calendar.listChangedSince(account, repeat?.revision ?? 0))?.changed).toEqual([touched]);
  await expect(
    calendar.save(account, [{ id: parent, draft: PLAIN_DRAFT, seenRevision: repeat?.revision }], page),
  ).rejects.toThrow(CHANGED_ELSEWHERE);
  // Saved in the same transaction, the repeat keeps the revision that its source was stored with.
  await fixture.context.database.transaction(async (work) => {
    const [repeatEvent] = await calendar.save(
      account,
      [{ id: parent, draft: createDraft(createWeekly([day])), source: 'ICS' }],
      page,
      work,
    );
    await calendar.save(account, [{ id: child?.id ?? 0, draft: createDraft({ name: 'Even later' }) }], page, work);
    expect(repeatEvent?.revision).toBeGreaterThan(0);
  });
  const stored = await calendar.read(account, parent);
  expect((await calendar.loadSources(account, [parent])).get(parent)?.revision).toBe(stored?.revision);
  await calendar.remove(account, [{ id: parent }], page);
  expect(await calendar.listChildren(account, [parent])).toEqual([]);
  expect(await collect(calendar.iterate(account))).toEqual([]);
});

testOnBothDatabases('synchronizing clients learn of changes and deletions for a year', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account, clock, context } = fixture;
  const clear = createNightlyCleanup(context, calendar);
  const [one, two, three] = await calendar.save(
    account,
    ['one', 'two', 'three'].map((uid) => createChange({ name: uid }, { uid })),
    page,
  );
  async function listChanges(revision: number) {
    const changes = await calendar.listChangedSince(account, revision);
    return changes && [changes.changed.map(({ uid }) => uid), changes.deleted.map(({ resource }) => resource)];
  }
  expect(await listChanges(0)).toEqual([['one', 'two', 'three'], []]);
  expect(await listChanges(2)).toEqual([['three'], []]);
  expect(await listChanges(3)).toEqual([[], []]);
  expect(await listChanges(4)).toBeUndefined();
  await calendar.remove(account, [{ id: one?.id ?? 0 }, { id: two?.id ?? 0 }], page);
  expect(await listChanges(3)).toEqual([[], ['one.ics', 'two.ics']]);
  // Created again under its old name while the deleted event is in the bin.
  await calendar.save(account, [createChange({ name: 'one again' }, { uid: 'one' })], page);
  expect(await listChanges(3)).toEqual([['one'], ['two.ics']]);
  await clear();
  expect(await listChanges(3)).toEqual([['one'], ['two.ics']]);
  clock.now = clock.now.add({ hours: 31 * 24 });
  await clear();
  expect(await fixture.tables.selectFrom('calendar_event').select('uid').orderBy('id').execute()).toHaveLength(2);
  expect(await listChanges(3)).toEqual([['one'], ['two.ics']]);
  expect(await listChanges(0)).toEqual([['three', 'one'], ['two.ics']]);
  clock.now = clock.now.add({ hours: 366 * 24 });
  await clear();
  await clear();
  expect(await listChanges(3)).toBeUndefined();
  expect(await listChanges(5)).toEqual([['one'], []]);
  expect(await listChanges(6)).toEqual([[], []]);
  expect(await calendar.read(account, three?.id ?? 0)).toBeDefined();
});

testOnBothDatabases('a restored event gets new names if others have taken its names', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account } = fixture;
  const [old] = await calendar.save(account, [createChange({ name: 'old' }, { uid: 'same' })], page);
  await calendar.remove(account, [{ id: old?.id ?? 0 }], page);
  await calendar.save(account, [createChange({ name: 'new' }, { uid: 'same' })], page);
  const restored = await calendar.change(account, undefined, async (tx) =>
    restoreEvent(tx, calendar.stores, old?.id ?? 0, { account, author: page, now: 0 }),
  );
  expect(restored.uid).not.toBe('same');
  expect((await calendar.listByUid(account, ['same'])).map(({ name }) => name)).toEqual(['new']);
});

testOnBothDatabases('the nightly cleanup only removes tags deleted over 30 days ago', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account, clock, context, tables } = fixture;
  await calendar.save(account, [createChange({ tags: ['old', 'young', 'live'] })], page);
  const deleteTag = async (name: string) =>
    tables.updateTable('calendar_tag').set({ deleted: clock.now.epochMilliseconds }).where('name', '=', name).execute();
  await deleteTag('old');
  clock.now = clock.now.add({ hours: 20 * 24 });
  await deleteTag('young');
  clock.now = clock.now.add({ hours: 11 * 24 });
  await createNightlyCleanup(context, calendar)();
  expect((await calendar.stores.tags.listUserTags(account)).map(({ name }) => name)).toEqual(['young', 'live']);
});

testOnBothDatabases('only a subscription can change and remove its events', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account, anna, tables } = fixture;
  await fixture.context.database.db
    .$extendTables<{ calendar_subscription: Record<string, string | number> }>()
    .insertInto('calendar_subscription')
    .values({
      account,
      address: 'https://example.net/a.ics',
      name: 'Football, home',
      colour: '#112233',
      due: 0,
      failures: 0,
    })
    .execute();
  const { id: subscription } = await tables.selectFrom('calendar_subscription').select('id').executeTakeFirstOrThrow();
  const [match] = await calendar.save(
    account,
    [createChange({ name: 'Match', tags: ['sports'] }, { uid: 'm', subscription })],
    feed,
  );
  const [mine] = await calendar.save(account, [createChange({ name: 'Mine' })], page);
  const id = match?.id ?? 0;
  const event = (await anna.call(getevent, { id: String(id) })).data;
  expect(event).toMatchObject({ participants: ['Football home'], subscription: 'Football, home' });
  expect((await anna.call(getevents, {})).tags['Football home']).toMatchObject({ colour: '#112233', removable: 2 });
  const sentence = "This event is from a subscribed calendar and can't be changed here";
  await expect(anna.call(newevent, { data: { ...event, name: 'Other' } })).rejects.toThrow(sentence);
  await expect(calendar.remove(account, [{ id }], page)).rejects.toThrow(sentence);
  // Users can't give its tag to events.
  const { data } = await anna.call(newevent, {
    data: { id: 0, name: 'Own', date: '03-12-2026', participants: ['Football home', 'own'] },
  });
  expect(data.participants).toEqual(['own']);
  expect(await calendar.listByUid(account, ['m'])).toEqual([]);
  expect(await collect(calendar.iterate(account, subscription))).toEqual([match]);
  await calendar.save(account, [{ id, draft: createDraft({ name: 'Match moved' }) }], feed);
  await calendar.purge(account, [id, mine?.id ?? 0]);
  expect(await collect(calendar.iterate(account, subscription))).toEqual([]);
  expect((await collect(calendar.iterate(account))).map(({ name }) => name)).toEqual(['Mine', 'Own']);
});

testOnSqlite('a full calendar accepts no more events until some are removed', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account, context } = fixture;
  await calendar.save(account, [createChange({ name: 'first' })], page);
  await sql`insert into calendar_event (account, uid, resource, name, style, day, until_day, created, edited, revision, description)
    with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${sql.lit(MAX_EVENTS_PER_ACCOUNT - 2)})
    select ${sql.lit(account)}, 'u' || n, 'r' || n, 'n', 'calendar', 1, 1, 0, 0, 1, '' from counted`.execute(
    context.database.db,
  );
  // The server that wrote them would have counted them.
  const secondCalendar = createCalendar(context);
  const [last] = await secondCalendar.save(account, [createChange({ name: 'last' })], page);
  await expect(secondCalendar.save(account, [createChange({ name: 'beyond' })], page)).rejects.toThrow(
    'the maximum of 200,000 events',
  );
  await secondCalendar.save(account, [{ id: last?.id ?? 0, draft: createDraft({ name: 'changed' }) }], page);
  await context.database.db
    .$extendTables<CalendarTables>()
    .deleteFrom('calendar_event')
    .where('uid', 'in', ['u1', 'u2'])
    .execute();
  await secondCalendar.save(account, [createChange({ name: 'beyond' })], page);
});

testOnBothDatabases('the export has every event with its history, and every tag', async (storage) => {
  await using fixture = await startWithCalendar(storage);
  const { calendar, account, context } = fixture;
  const [remaining, deletedEvent] = await calendar.save(
    account,
    [
      createChange({ name: 'kept', tags: ['work'], pinned: 'work', ...createWeekly([toDay('10-12-2026')]) }),
      createChange({ name: 'gone' }),
    ],
    page,
  );
  await calendar.remove(account, [{ id: deletedEvent?.id ?? 0 }], page);
  const exported = (await createAccountExport(context, calendar)(account)) as {
    readonly events: AsyncIterable<unknown>;
  };
  expect(exported).toMatchObject({ tags: [{ name: 'work' }], subscriptions: [] });
  expect(await collect(exported.events)).toMatchObject([
    {
      id: remaining?.id,
      name: 'kept',
      date: '2026-12-03',
      repeat: { every: 1, unit: 'week', from: { type: 'forever' } },
      exceptions: ['2026-12-10'],
      tags: ['work'],
      pinned: 'work',
      history: [{ type: 'created', at: '2026-11-21T12:00:00.000Z', address: '192.0.2.1' }],
    },
    { name: 'gone', deleted: '2026-11-21T12:00:00.000Z', history: [{ type: 'created' }, { type: 'deleted' }] },
  ]);
});
