import type { Kysely } from 'kysely';
import { expect } from 'vitest';
import { runDuringTransaction } from '#testing/kits/server/besideTransaction.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { getevent, getevents, moveevent, newevent } from '../../contract/events.ts';
import { createEditStore } from './store/editStore.ts';

testOnBothDatabases(
  'a history has every edit and one access for each day and address, until now',
  async ({ databaseUrl }) => {
    let clock = Temporal.Instant.from('2026-11-01T12:00:00Z');
    await using server = await startServer({ databaseUrl, now: () => clock, trustProxy: ['loopback'] });
    const anna = await server.createAccount('anna');
    const { data: created } = await anna.call(newevent, { data: { id: 0, name: 'Dentist', date: '03-12-2026' } });
    const read = async (width?: string) =>
      (await anna.call(getevent, { id: String(created.id), ...(width === undefined ? {} : { width }) })).data;
    const readFrom = async (address: string) =>
      fetch(`${server.origin}${getevent.path}?id=${created.id}`, {
        headers: { authorization: `Bearer ${anna.token}`, 'x-forwarded-for': address },
      });
    await read();
    await read();
    await readFrom('192.0.2.7');
    clock = clock.add({ hours: 24 });
    await Promise.all([readFrom('192.0.2.7'), readFrom('192.0.2.7'), readFrom('192.0.2.7')]);
    clock = clock.add({ hours: 24 * 8 });
    await anna.call(newevent, { data: { id: created.id, name: 'Dentist again', date: '03-12-2026' } });
    clock = clock.add({ hours: 24 });
    await anna.call(moveevent, { id: created.id, from: '03-12-2026', to: '04-12-2026' });
    const event = await read('264');
    expect(
      event.edithistory.map(({ binnumber, edits }) => [binnumber, edits.map(({ type, ip }) => `${type} ${ip}`)]),
    ).toEqual([
      [0, ['created 127.0.0.1', 'accessed 127.0.0.1', 'accessed 192.0.2.7']],
      [1, ['accessed 192.0.2.7']],
      [9, ['edited 127.0.0.1']],
      [10, ['moved 127.0.0.1', 'accessed 127.0.0.1']],
    ]);
    expect(event.edithistory[0]?.edits[0]?.date).toBe('2026-11-01T12:00:00.000Z');
    // Viewing an event is no edit.
    expect(event.editedon).toBe('2026-11-11T12:00:00.000Z');
    for (const [width, last] of [
      ['120', 4],
      ['0', 4],
      ['nonsense', 29],
      ['99999999', 165],
    ] as const)
      expect((await read(width)).edithistory.at(-1)?.binnumber, width).toBe(last);
    const { editcolours } = await anna.call(getevents, {});
    expect(Object.keys(editcolours)).toEqual(
      expect.arrayContaining([
        'created',
        'edited',
        'moved',
        'accessed',
        'deleted',
        'restored',
        'imported',
        'caldav',
        'subscription',
      ]),
    );
  },
);

const extendTables = (db: Kysely<unknown>) => db.$extendTables<{ calendar_event: { id: number; account: number } }>();

testOnBothDatabases('an event that is removed while it is viewed has no history', async (storage) => {
  const { server, context } = await startServerWithContext(storage);
  await using _ = server;
  const anna = await server.createAccount('anna');
  const { data } = await anna.call(newevent, { data: { id: 0, name: 'Dentist', date: '03-12-2026' } });
  const { database } = context;
  const event = extendTables(database.db).selectFrom('calendar_event').selectAll();
  const { account, id } = await event.where('id', '=', data.id).executeTakeFirstOrThrow();
  const edits = createEditStore(database);
  await runDuringTransaction(database, {
    change: async (tx) => void (await extendTables(tx).deleteFrom('calendar_event').where('id', '=', id).execute()),
    other: () => edits.recordAccess(account, id, { at: Date.now(), address: '192.0.2.7' }),
  });
  expect(await edits.list(account, id)).toEqual([]);
});
