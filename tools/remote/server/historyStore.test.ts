import { expect } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import { createToolTables, testOnBothDatabases } from '#testing/kits/server/database.ts';
import { createHistoryStore, MAX_STORED_MESSAGES, type Message } from './historyStore.ts';
import { migrations } from './migrations.ts';
import { MAX_SCRIPTS_PER_ACCOUNT, createScriptStore } from './scriptStore.ts';

const createTables = (database: Database): Promise<void> => createToolTables(database, { name: 'remote', migrations });

const createMessage = (text: string, extra: Partial<Message> = {}): Message => ({
  account: 1,
  device: 1,
  type: 1,
  text,
  timesent: 1_795_000_000.123_456,
  ...extra,
});

testOnBothDatabases('the same message has one row, before and after it is done', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const history = createHistoryStore(database);
  const hostile = createMessage('<b> \'; drop table "remote_message"; -- 👋\u202e\\u0000');
  const id = await history.insert(hostile, 1);
  expect(await history.insert(hostile, 1)).toBe(id);
  expect(await history.find(hostile)).toEqual({ ...hostile, id, received: 1, outcome: '', isDone: false });
  await history.saveOutcome(1, id, 'ok', true);
  expect(await history.insert(hostile, 1)).toBe(id);
  expect(await history.find(hostile)).toEqual({ ...hostile, id, received: 1, outcome: 'ok', isDone: true });
  expect(await history.find({ ...hostile, timesent: hostile.timesent + 0.000_01 })).toBeUndefined();
  expect(await history.find({ ...hostile, type: 2 })).toBeUndefined();
  expect(await history.find({ ...hostile, account: 2 })).toBeUndefined();
});

testOnBothDatabases('the last hundred messages of each device are stored', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const history = createHistoryStore(database);
  await history.insert(createMessage('other', { device: 2 }), 1);
  for (let count = 1; count <= 130; count += 1) await history.insert(createMessage(`${count}`), 1);
  const stored = await history.listByDevice(1, 1);
  expect(stored.map(({ text }) => text)).toEqual(
    Array.from({ length: MAX_STORED_MESSAGES }, (_, index) => `${index + 31}`),
  );
  expect(await history.listByDevice(2, 1)).toEqual([]);
  const all = await history.listByAccount(1);
  expect(all[0]).toMatchObject({ text: 'other', device: 2 });
  expect(all.length).toBeLessThan(1 + MAX_STORED_MESSAGES + 20);
});

testOnBothDatabases(
  'a script of the same name is replaced, and one of another account is not visible',
  async ({ open }) => {
    await using database = await open();
    await createTables(database);
    const scripts = createScriptStore(database);
    const [early, late] = [1000, 2000].map((ms) => Temporal.Instant.fromEpochMilliseconds(ms));
    if (!early || !late) throw new Error('two times');
    await scripts.save(1, 'a10.sh', 'old', early);
    await scripts.save(1, 'a9.sh', 'é\r\n\t', early);
    await scripts.save(2, 'a10.sh', 'foreign', early);
    await scripts.save(1, 'a10.sh', 'new', late);
    expect(await scripts.list(1)).toEqual([
      { name: 'a9.sh', bytes: 5, changed: early },
      { name: 'a10.sh', bytes: 3, changed: late },
    ]);
    expect(await scripts.getText(1, 'a9.sh')).toBe('é\r\n\t');
    await scripts.remove(1, 'a10.sh');
    await expect(scripts.remove(1, 'a10.sh')).rejects.toThrow("There is no script called 'a10.sh'");
    await expect(scripts.getText(1, 'a10.sh')).rejects.toThrow("There is no script called 'a10.sh'");
    expect(await scripts.getText(2, 'a10.sh')).toBe('foreign');
  },
);

testOnBothDatabases('an account stores at most two thousand scripts, and can still replace them', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const scripts = createScriptStore(database);
  const now = Temporal.Instant.fromEpochMilliseconds(0);
  const rows = Array.from({ length: MAX_SCRIPTS_PER_ACCOUNT }, (_, index) => ({
    account: 1,
    name: `${index}.sh`,
    text: 'x',
    bytes: 1,
    changed: 0,
  }));
  const db = database.db.$extendTables<{ remote_script: (typeof rows)[number] }>();
  for (let from = 0; from < rows.length; from += 500)
    await db
      .insertInto('remote_script')
      .values(rows.slice(from, from + 500))
      .execute();
  await expect(scripts.save(1, 'more.sh', 'x', now)).rejects.toThrow(
    'You have the maximum of 2,000 scripts. Delete one first',
  );
  await scripts.save(1, '7.sh', 'new', now);
  expect(await scripts.getText(1, '7.sh')).toBe('new');
  await scripts.save(2, 'more.sh', 'x', now);
});

testOnBothDatabases('messages are deleted with their device, and scripts with their account', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const [history, scripts] = [createHistoryStore(database), createScriptStore(database)];
  await history.insert(createMessage('x'), 1);
  await scripts.save(1, 'a.sh', 'x', Temporal.Instant.fromEpochMilliseconds(0));
  const db = database.db.$extendTables<{ account: { id: number }; device: { id: number } }>();
  await db.deleteFrom('device').where('id', '=', 1).execute();
  expect(await history.listByAccount(1)).toEqual([]);
  await db.deleteFrom('account').where('id', '=', 1).execute();
  expect(await scripts.list(1)).toEqual([]);
});
