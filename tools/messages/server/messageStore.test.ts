import { expect } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import { createToolTables, testOnBothDatabases } from '#testing/kits/server/database.ts';
import type { Message } from '../domain/message.ts';
import { MAX_STORED_MESSAGES, createMessageStore } from './messageStore.ts';
import { migrations } from './migrations.ts';

const createTables = (database: Database): Promise<void> =>
  createToolTables(database, { name: 'messages', migrations });

const createMessage = (text: string, overrides: Partial<Message> = {}): Message => ({
  account: 1,
  device: 1,
  sender: 'person',
  from: undefined,
  type: 1,
  text,
  timesent: 1_795_000_000.25,
  ...overrides,
});

const createConversation = (account: number, device: number) => ({
  account,
  device,
  isBrowser: false,
  reader: undefined,
});

testOnBothDatabases('a key is unique within a conversation, and can be in several', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const store = createMessageStore(database);
  const hostile = createMessage("<img src=x onerror=alert(1)> '; -- 👋\u202e\u2028", { sender: 'device', type: 3 });
  const stored = await store.insert(hostile, 'key', 1);
  expect(stored).toMatchObject(hostile);
  expect(await store.insert(createMessage('again'), 'key', 1)).toBeUndefined();
  expect(await store.insert(createMessage('other', { device: 2 }), 'key', 1)).toMatchObject({ text: 'other' });
  const all = { limit: 200 };
  expect(await store.listNewest(createConversation(1, 1), all)).toEqual([stored]);
  expect(await store.listNewest(createConversation(2, 1), all)).toEqual([]);
  expect(await store.listByAccount(1)).toHaveLength(2);
  expect(await store.listByAccount(2)).toEqual([]);
});

testOnBothDatabases('the newest messages are returned oldest first, and older ones are deleted', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const store = createMessageStore(database);
  const last = MAX_STORED_MESSAGES + 130;
  const rows = Array.from({ length: last - 1 }, (_, index) => ({
    account: 1,
    device: 1,
    sender: 'person',
    inputtype: 1,
    text: `${index + 1}`,
    timesent: 1,
    key: `${index + 1}`,
  }));
  const db = database.db.$extendTables<{ messages_message: (typeof rows)[number] }>();
  for (let start = 0; start < rows.length; start += 500)
    await db
      .insertInto('messages_message')
      .values(rows.slice(start, start + 500))
      .execute();
  await store.insert(createMessage(`${last}`), `${last}`, 1);
  await store.removeExpired(1, 1);
  const newest = await store.listNewest(createConversation(1, 1), { limit: 3 });
  expect(newest.map(({ text }) => text)).toEqual([`${last - 2}`, `${last - 1}`, `${last}`]);
  const all = await store.listByAccount(1);
  expect([all.length, all[0]?.text]).toEqual([MAX_STORED_MESSAGES, '131']);
});

testOnBothDatabases(
  'a conversation of two browsers has the messages of both, before or after a message',
  async ({ open }) => {
    await using database = await open();
    await createTables(database);
    const store = createMessageStore(database);
    const write = async (device: number, from: number | undefined, text: string): Promise<number> =>
      (await store.insert(createMessage(text, { device, from }), text, 1))?.id ?? 0;
    const first = await write(2, 1, 'there');
    const second = await write(1, 2, 'and back');
    await write(2, 2, 'note');
    await write(2, undefined, 'from a program');
    const listTexts = async (device: number, reader: number | undefined, range = {}) =>
      (await store.listNewest({ account: 1, device, isBrowser: true, reader }, { limit: 9, ...range })).map(
        ({ text }) => text,
      );
    expect(await listTexts(2, 1)).toEqual(['there', 'and back']);
    expect(await listTexts(1, 2)).toEqual(['there', 'and back']);
    expect(await listTexts(2, 2)).toEqual(['note', 'from a program']);
    expect(await listTexts(2, undefined)).toEqual(['there', 'and back', 'note', 'from a program']);
    expect(await listTexts(2, 1, { after: first })).toEqual(['and back']);
    expect(await listTexts(2, 1, { before: second })).toEqual(['there']);
    expect(await store.countUnread({ account: 1, device: 2, isBrowser: true, reader: 1 }, { limit: 5 })).toBe(1);
    expect((await store.listLastIds(1)).length).toBe(4);
  },
);
