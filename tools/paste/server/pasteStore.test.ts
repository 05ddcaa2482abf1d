import { expect } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import { createToolTables, testOnBothDatabases } from '#testing/kits/server/database.ts';
import { migrations } from './migrations.ts';
import { createPasteStore, type PasteOwner, type Paste } from './pasteStore.ts';

const now = Temporal.Instant.from('2026-11-21T12:00:00Z');
const HOUR = { hours: 1 };

const createTables = (database: Database): Promise<void> => createToolTables(database, { name: 'paste', migrations });

const createPaste = (code: string, overrides: Partial<Paste> = {}): Paste => ({
  code,
  text: `text of ${code}`,
  bytes: 1,
  isEncrypted: false,
  burns: false,
  created: now,
  expires: now.add(HOUR),
  ...overrides,
});
const anna: PasteOwner = { account: 1, visitor: 'browser a' };
const ben: PasteOwner = { account: 2, visitor: 'browser b' };
const visitor: PasteOwner = { account: undefined, visitor: 'browser a' };
const anonymous: PasteOwner = { account: undefined, visitor: undefined };

testOnBothDatabases('any text is returned unchanged', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const store = createPasteStore(database);
  const texts = [
    "<b>hé</b>'; --\r\n\t👋\u202e\u2028",
    '\0',
    'a\0b\ud800',
    '\udfff',
    '"\\u0000"',
    '\uFEFF',
    '🙂'.repeat(1000),
  ];
  for (const [index, text] of texts.entries()) {
    const storedPaste = createPaste(`code${index}`, { text });
    expect(await store.insert(storedPaste, visitor)).toBe(true);
    expect(await store.read(storedPaste.code, now)).toEqual(storedPaste);
  }
  const large = createPaste('large', { text: '\0'.repeat(2 ** 20) });
  await store.insert(large, anna);
  expect((await store.read('large', now))?.text).toBe(large.text);
});

testOnBothDatabases('a code that is taken is not overwritten', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const store = createPasteStore(database);
  expect(await store.insert(createPaste('a'), anna)).toBe(true);
  expect(await store.insert(createPaste('a', { text: 'other' }), ben)).toBe(false);
  expect((await store.read('a', now))?.text).toBe('text of a');
});

testOnBothDatabases('each owner can access only its own pastes, and an unknown owner none', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const store = createPasteStore(database);
  await store.insert(createPaste('before'), visitor);
  await store.insert(createPaste('mine'), anna);
  await store.insert(createPaste('sealed', { isEncrypted: true }), anna);
  await store.insert(createPaste('burner', { burns: true }), anna);
  await store.insert(createPaste('theirs'), ben);
  await store.insert(createPaste('lost'), anonymous);
  expect((await store.findNewest(anna, now))?.code).toBe('mine');
  expect((await store.findNewest(visitor, now))?.code).toBe('before');
  expect(await store.findNewest(anonymous, now)).toBeUndefined();
  expect((await store.list(anna, now, 3)).map(({ code }) => code)).toEqual(['burner', 'sealed', 'mine']);
  expect((await store.list(visitor, now, 20)).map(({ code }) => code)).toEqual(['before']);
  expect(await store.list(anonymous, now, 20)).toEqual([]);
  expect(await store.remove(ben, 'mine', now)).toBe(false);
  expect(await store.remove(anonymous, 'mine', now)).toBe(false);
  expect(await store.remove(anna, 'mine', now)).toBe(true);
  expect(await store.remove(anna, 'mine', now)).toBe(false);
  const exported: string[] = [];
  for await (const { code } of store.iterateByAccount(1, now)) exported.push(code);
  expect(exported).toEqual(['sealed', 'burner']);
});

testOnBothDatabases('only one of several concurrent readers gets a paste that burns', async ({ open }) => {
  await using database = await open();
  await createTables(database);
  const store = createPasteStore(database);
  for (let round = 0; round < 10; round += 1) {
    const code = `code${round}`;
    await store.insert(createPaste(code, { burns: true, text: 'a\0b' }), anna);
    expect(await store.read(code, now)).toBeUndefined();
    const results = await Promise.all(Array.from({ length: 8 }, () => store.consume(code, now)));
    expect(results.filter((paste) => paste?.text === 'a\0b')).toHaveLength(1);
    expect(results.filter((paste) => paste === undefined)).toHaveLength(7);
    expect(await store.findSummary(code, now)).toBeUndefined();
  }
  await store.insert(createPaste('stays'), anna);
  expect(await store.consume('stays', now)).toBeUndefined();
});

testOnBothDatabases(
  'an expired paste is hidden from everyone, and the cleanup deletes all of them',
  async ({ open }) => {
    await using database = await open();
    await createTables(database);
    const store = createPasteStore(database);
    for (let count = 0; count < 120; count += 1)
      await store.insert(createPaste(`old${count}`, { burns: count % 2 === 0 }), anna);
    await store.insert(createPaste('young', { expires: now.add({ hours: 2 }) }), anna);
    const later = now.add(HOUR);
    for (const code of ['old0', 'old1']) {
      expect(await store.findSummary(code, later)).toBeUndefined();
      expect(await store.read(code, later)).toBeUndefined();
      expect(await store.consume(code, later)).toBeUndefined();
      expect(await store.remove(anna, code, later)).toBe(false);
    }
    expect((await store.list(anna, later, 200)).map(({ code }) => code)).toEqual(['young']);
    await store.removeExpired(later);
    // Deleted pastes are also invisible to a caller with an earlier clock.
    expect((await store.list(anna, now, 200)).map(({ code }) => code)).toEqual(['young']);
  },
);
