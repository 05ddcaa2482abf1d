import { expect } from 'vitest';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import {
  deletedevents,
  deleteevent,
  emptybin,
  eventsbetween,
  eventssearch,
  getevent,
  getevents,
  newevent,
  restoreevent,
  settags,
} from '../../contract/events.ts';

const NOW = Temporal.Instant.from('2026-11-21T12:00:00Z');
const now = () => NOW;

type Data = RequestInputOf<typeof newevent>['data'];

const saveEvent = async (account: TestAccount, data: Partial<Data>) =>
  (await account.call(newevent, { data: { id: 0, name: 'Dentist', date: '03-12-2026', tz: 'UTC', ...data } })).data;
const read = async (account: TestAccount, id: number) => (await account.call(getevent, { id: String(id) })).data;
const listDays = async (account: TestAccount): Promise<readonly string[]> =>
  Object.keys((await account.call(eventsbetween, { from: '2026-12-01', until: '2027-01-31' })).dates);

testOnBothDatabases('a deleted event is only in the bin, and can be restored completely', async ({ databaseUrl }) => {
  let clock = NOW;
  await using server = await startServer({ databaseUrl, now: () => clock });
  const anna = await server.createAccount('anna');
  const created = [
    await saveEvent(anna, { name: 'Single', participants: ['work'], pinned: 'work', description: 'kept' }),
    await saveEvent(anna, { name: 'Repeat', style: 'repeat', exceptions: ['10-12-2026'], repeatevery: 'week' }),
    await saveEvent(anna, { name: 'Lasting', style: 'duration' }),
  ];
  const before = await anna.call(getevents, { tz: 'UTC' });
  for (const { id } of created) {
    await anna.call(deleteevent, { id });
    clock = clock.add({ seconds: 1 });
  }
  expect(await listDays(anna)).toEqual([]);
  expect((await anna.call(getevents, {})).datesduration).toEqual([]);
  expect((await anna.call(eventssearch, { searchterm: 'single' })).names).toEqual([]);
  await expect(read(anna, created[0]?.id ?? 0)).rejects.toThrow('There is no such event');
  const { events } = await anna.call(deletedevents, {});
  expect(events.map(({ name, type }) => [name, type])).toEqual([
    ['Lasting', 'duration'],
    ['Repeat', 'repeat'],
    ['Single', 'calendar'],
  ]);
  expect(events[2]).toMatchObject({ date: '03-12-2026', deleted: '2026-11-21T12:00:00.000Z' });
  for (const { id } of events) await anna.call(restoreevent, { id });
  const after = await anna.call(getevents, { tz: 'UTC' });
  expect({ dates: after.dates, lasting: after.datesduration }).toEqual({
    dates: before.dates,
    lasting: before.datesduration,
  });
  expect((await anna.call(eventssearch, { searchterm: 'single' })).names).toHaveLength(1);
  const single = await read(anna, created[0]?.id ?? 0);
  expect(single).toMatchObject({ participants: ['work', 'Pinned'], description: 'kept' });
  const types = single.edithistory.flatMap(({ edits }) => edits.map(({ type }) => type));
  expect(types).toEqual(['created', 'deleted', 'restored', 'accessed']);
  await expect(anna.call(restoreevent, { id: single.id })).rejects.toThrow('There is no such event in the bin');
});

testOnBothDatabases('deleting a day adds an exception; the last day deletes the repeat', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const single = await saveEvent(anna, {});
  const { id } = await saveEvent(anna, {
    style: 'repeat',
    repeatfromtype: 'forever',
    repeatuntilltype: 'relative',
    repeatuntill: 1,
    date: '01-01-0001',
    repeatevery: 'year',
    repeateveryamount: 1000,
  });
  await expect(anna.call(deleteevent, { id: single.id, occurrence: '03-12-2026' })).rejects.toThrow(
    'occurrence: only a repeating event has single days to delete',
  );
  await expect(anna.call(deleteevent, { id, occurrence: '02-01-0001' })).rejects.toThrow(
    'does not take place on that date',
  );
  await expect(anna.call(deleteevent, { id, occurrence: '30-02-2026' })).rejects.toThrow('is not a date');
  // The page's zone is new to the server.
  await anna.call(deleteevent, { id, occurrence: '01-01-0001', tz: 'Asia/Tokyo' });
  expect((await read(anna, id)).exceptions).toEqual(['01-01-0001']);
  await expect(anna.call(deleteevent, { id, occurrence: '01-01-0001' })).rejects.toThrow(
    'does not take place on that date',
  );
  await anna.call(deleteevent, { id, occurrence: '01-01-1001' });
  await expect(read(anna, id)).rejects.toThrow('There is no such event');
  expect((await anna.call(deletedevents, {})).events.map((event) => event.id)).toEqual([id]);
});

testOnBothDatabases('the bin of one account can be emptied, one event or all at a time', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const bert = await server.createAccount('bert');
  const [one, two, third] = [
    await saveEvent(anna, { participants: ['work'] }),
    await saveEvent(anna, {}),
    await saveEvent(anna, {}),
  ];
  await anna.call(settags, { tags: [] });
  for (const { id } of [one, two]) await anna.call(deleteevent, { id });
  expect(await bert.call(emptybin, { id: one.id })).toEqual({ removed: 0 });
  expect(await bert.call(emptybin, {})).toEqual({ removed: 0 });
  expect(await anna.call(emptybin, { id: third.id })).toEqual({ removed: 0 });
  expect(await anna.call(emptybin, { id: one.id })).toEqual({ removed: 1 });
  expect((await anna.call(deletedevents, {})).events.map(({ id }) => id)).toEqual([two.id]);
  // The other event and the tag.
  expect(await anna.call(emptybin, {})).toEqual({ removed: 2 });
  expect(await anna.call(deletedevents, {})).toEqual({ events: [], tags: [] });
  await expect(anna.call(restoreevent, { id: one.id })).rejects.toThrow('There is no such event in the bin');
  expect((await read(anna, third.id)).id).toBe(third.id);
});

testOnBothDatabases('the bin of another account is not accessible', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const bert = await server.createAccount('bert');
  const { id } = await saveEvent(anna, {});
  await anna.call(deleteevent, { id });
  expect((await bert.call(deletedevents, {})).events).toEqual([]);
  await expect(bert.call(restoreevent, { id })).rejects.toThrow('There is no such event in the bin');
  await expect(bert.call(restoreevent, { id: 2 ** 40 })).rejects.toThrow('There is no such event in the bin');
});
