import { expect } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import { createToolTables, testOnBothDatabases } from '#testing/kits/server/database.ts';
import { migrations } from './migrations.ts';
import { MAX_STORED_VISITOR_MESSAGES, createVisitorStore } from './visitorStore.ts';

const NOW = Temporal.Instant.from('2026-11-21T10:00:00.123Z');

const createTables = (database: Database): Promise<void> =>
  createToolTables(database, { name: 'messages', migrations });

testOnBothDatabases(
  'a message is stored unchanged, readable by its account only, and deleted with it',
  async ({ open }) => {
    await using database = await open();
    await createTables(database);
    const store = createVisitorStore(database);
    const hostile = { name: "'; -- <b>", text: '<img src=x onerror=alert(1)> 👋\u202e\u2028\n' };
    const stored = await store.insert(1, hostile, NOW);
    expect(stored).toEqual({ id: stored.id, ...hostile, received: NOW });
    await store.insert(2, { name: 'other', text: 'x' }, NOW);
    expect(await store.listNewest(1, 10)).toEqual([stored]);
    expect(await store.listByAccount(1)).toEqual([stored]);
    expect(await store.remove(2, stored.id)).toBe(false);
    expect(await store.remove(1, stored.id)).toBe(true);
    expect(await store.remove(1, stored.id)).toBe(false);
    await store.insert(1, hostile, NOW);
    await database.db.$extendTables<{ account: { id: number } }>().deleteFrom('account').where('id', '=', 1).execute();
    expect(await store.listByAccount(1)).toEqual([]);
    expect(await store.listByAccount(2)).toHaveLength(1);
  },
);

testOnBothDatabases('the newest messages are returned oldest first, and older ones are deleted', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const store = createVisitorStore(database);
  const last = MAX_STORED_VISITOR_MESSAGES + 130;
  const rows = Array.from({ length: last - 1 }, (_, index) => ({
    account: 1,
    name: 'x',
    text: `${index + 1}`,
    received: index,
  }));
  const db = database.db.$extendTables<{ messages_visitor: (typeof rows)[number] }>();
  for (let start = 0; start < rows.length; start += 500)
    await db
      .insertInto('messages_visitor')
      .values(rows.slice(start, start + 500))
      .execute();
  await store.insert(1, { name: 'x', text: `${last}` }, NOW);
  expect((await store.listNewest(1, 3)).map(({ text }) => text)).toEqual([`${last - 2}`, `${last - 1}`, `${last}`]);
  const all = await store.listByAccount(1);
  expect([all.length, all[0]?.text]).toEqual([MAX_STORED_VISITOR_MESSAGES, '131']);
});
