import { expect } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { MAX_RECENT_ANSWERS } from '../contract.ts';
import { createAnswerStore, RETENTION_DAYS } from './answerStore.ts';
import { migrations } from './migrations.ts';

async function prepare(database: Database) {
  await migrate(database, [{ name: 'ai', migrations }]);
  return createAnswerStore(database);
}
const noon = Temporal.Instant.from('2026-11-21T12:00:00Z');

testOnBothDatabases('an answer is stored unchanged, for its room only', async ({ open }) => {
  await using database = await open();
  const store = await prepare(database);
  const id = await store.insert('a', "what's '; -- 👋", noon);
  expect(await store.listNewest('a')).toEqual([
    { id, prompt: "what's '; -- 👋", text: '', thoughts: '', state: 'running', error: undefined, created: noon },
  ]);
  await store.update(id, { text: '<b>\u202e', thoughts: 'hm', state: 'failed', error: 'cut' });
  expect(await store.listNewest('a')).toMatchObject([
    { text: '<b>\u202e', thoughts: 'hm', state: 'failed', error: 'cut' },
  ]);
  expect(await store.listNewest('b')).toEqual([]);
});

testOnBothDatabases('a room’s listed and running answers stay, and the others are removed', async ({ open }) => {
  await using database = await open();
  const store = await prepare(database);
  const other = await store.insert('b', 'other', noon);
  const running = await store.insert('a', 'runs on', noon);
  for (let number = 1; number <= MAX_RECENT_ANSWERS + 2; number += 1) {
    const id = await store.insert('a', `${number}`, noon);
    await store.update(id, { text: '', thoughts: '', state: 'done', error: undefined });
  }
  await store.removeUnlisted('a');
  const prompts = (await store.listNewest('a')).map(({ prompt }) => prompt);
  expect([prompts.length, prompts[0], prompts.at(-1)]).toEqual([MAX_RECENT_ANSWERS, '3', `${MAX_RECENT_ANSWERS + 2}`]);
  const rows = await database.db
    .$extendTables<{ ai_answer: { id: number } }>()
    .selectFrom('ai_answer')
    .select('id')
    .execute();
  const ids = rows.map(({ id }) => id);
  expect(ids).toHaveLength(MAX_RECENT_ANSWERS + 2);
  expect(ids).toEqual(expect.arrayContaining([other, running]));
});

testOnBothDatabases('a restart ends running answers, and removes those older than 30 days', async ({ open }) => {
  await using database = await open();
  const store = await prepare(database);
  await store.insert('a', 'old', noon.subtract({ hours: RETENTION_DAYS * 24 + 1 }));
  await store.insert('a', 'kept', noon.subtract({ hours: RETENTION_DAYS * 24 - 1 }));
  const ended = await store.insert('a', 'ended', noon);
  await store.update(ended, { text: 'x', thoughts: '', state: 'done', error: undefined });
  await store.failRunning('The server was restarted. Ask again');
  await store.removeExpired(noon);
  expect(await store.listNewest('a')).toMatchObject([
    { prompt: 'kept', state: 'failed', error: 'The server was restarted. Ask again' },
    { prompt: 'ended', state: 'done', error: undefined },
  ]);
});
