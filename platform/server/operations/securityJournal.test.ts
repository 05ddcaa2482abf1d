import { expect } from 'vitest';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { createLocalSignUp, startIdentity } from '#testing/security/identity.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { createLogger, logSecurityEvent } from './logger.ts';
import { securityMigrations } from './securityEventStore.ts';
import { createSecurityJournal } from './securityJournal.ts';

const START = Temporal.Instant.from('2026-11-21T12:00:00Z');

/** Creates two accounts, 1 and 2, and a journal with a manual clock. */
async function setUpJournal(database: Database) {
  const identity = await startIdentity(database);
  await migrate(database, [{ name: 'security', migrations: securityMigrations }]);
  const ids: number[] = [];
  for (const name of ['ada', 'bob']) ids.push((await identity.signUp(createLocalSignUp(name))).account.id);
  const [ada = 0, bob = 0] = ids;
  const clock = { now: START };
  const timers = createManualTimers();
  const log = createLogger({ level: 'silent' });
  const journal = createSecurityJournal({ database, log, timers, now: () => clock.now });
  const logFailure = (account: number, address: string) => logSecurityEvent(log, 'login.failed', { account, address });
  return { identity, ada, bob, clock, timers, log, journal, logFailure };
}

testOnBothDatabases('each account sees its own events, the owner all, also after a restart', async ({ open }) => {
  {
    await using database = await open();
    const { ada, bob, log, journal, logFailure } = await setUpJournal(database);
    logFailure(ada, '192.0.2.1');
    logFailure(bob, '192.0.2.2');
    logSecurityEvent(log, 'host.refused', { id: 'request-1', address: '192.0.2.3' });
    await journal[Symbol.asyncDispose]();
  }
  await using database = await open();
  const log = createLogger({ level: 'silent' });
  const journal = createSecurityJournal({ database, log, now: () => START, timers: createManualTimers() });
  expect(await journal.listByAccount(2)).toMatchObject([
    { event: 'login.failed', address: '192.0.2.2', username: 'bob' },
  ]);
  expect((await journal.listAll()).map(({ address, account }) => [address, account])).toEqual([
    ['192.0.2.3', undefined],
    ['192.0.2.2', 2],
    ['192.0.2.1', 1],
  ]);
});

testOnBothDatabases(
  'repetitions from the same network are counted, and listed again after ten minutes',
  async ({ open }) => {
    await using database = await open();
    const { ada, clock, journal, logFailure } = await setUpJournal(database);
    logFailure(ada, '2001:db8::1');
    logFailure(ada, '2001:db8::2');
    expect(await journal.listByAccount(ada)).toMatchObject([{ times: 2, address: '2001:db8::2' }]);
    clock.now = START.add({ minutes: 9 });
    logFailure(ada, '2001:db8::3');
    expect(await journal.listByAccount(ada)).toMatchObject([
      { times: 3, address: '2001:db8::3', time: clock.now.epochMilliseconds },
    ]);
    clock.now = START.add({ minutes: 20 });
    logFailure(ada, '2001:db8::3');
    logFailure(ada, '2001:db8:1::');
    expect((await journal.listByAccount(ada)).map(({ times }) => times)).toEqual([1, 1, 3]);
  },
);

testOnBothDatabases(
  'the newest 200 events of each account are stored, whatever happens to others',
  async ({ open }) => {
    await using database = await open();
    const { ada, bob, clock, journal, logFailure } = await setUpJournal(database);
    logFailure(bob, '192.0.2.1');
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 100; at += 1) {
        clock.now = clock.now.add({ seconds: 1 });
        logFailure(ada, `198.51.${round}.${at}`);
      }
      await journal.listAll();
    }
    const stored = (await journal.listByAccount(ada)).map(({ address }) => address);
    expect([stored.length, stored[0], stored.at(-1)]).toEqual([200, '198.51.2.99', '198.51.1.0']);
    expect(await journal.listByAccount(bob)).toHaveLength(1);
    expect(await journal.listAll()).toHaveLength(200);
  },
);

testOnBothDatabases('a flood is counted without its addresses, and hides no event of an account', async ({ open }) => {
  await using database = await open();
  const { ada, log, journal } = await setUpJournal(database);
  for (let at = 0; at < 1000; at += 1)
    logSecurityEvent(log, 'host.refused', { address: `198.51.${at % 200}.${Math.floor(at / 200)}` });
  logSecurityEvent(log, 'device.paired', { account: ada, device: 7, address: '192.0.2.1' });
  expect(await journal.listByAccount(ada)).toMatchObject([{ event: 'device.paired', device: 7, times: 1 }]);
  const refused = (await journal.listAll()).filter(({ event }) => event === 'host.refused');
  expect(refused.length).toBeLessThanOrEqual(200);
  expect(Math.max(...refused.map(({ times }) => times))).toBe(800);
});

testOnBothDatabases('events are deleted with their account, and late ones cause no error', async ({ open }) => {
  await using database = await open();
  const { identity, ada, bob, journal, logFailure } = await setUpJournal(database);
  logFailure(ada, '192.0.2.1');
  logFailure(bob, '192.0.2.2');
  expect(await journal.listAll()).toHaveLength(2);
  await identity.deleteAccount(bob);
  logFailure(bob, '192.0.2.3');
  logFailure(ada, '192.0.2.4');
  expect((await journal.listAll()).map(({ address }) => address)).toEqual(['192.0.2.4', '192.0.2.1']);
});

testOnBothDatabases('events are written some seconds later, many in one transaction', async ({ open }) => {
  await using database = await open();
  let transactionCount = 0;
  const countingDatabase: Database = {
    ...database,
    transaction: (work) => {
      transactionCount += 1;
      return database.transaction(work);
    },
  };
  const { ada, timers, logFailure, journal } = await setUpJournal(countingDatabase);
  transactionCount = 0;
  for (let at = 0; at < 50; at += 1) logFailure(ada, `192.0.2.${at}`);
  timers.advance(4999);
  expect(transactionCount).toBe(0);
  timers.advance(1);
  expect(await journal.listByAccount(ada)).toHaveLength(50);
  expect(transactionCount).toBe(1);
});

testOnBothDatabases('events that could not be written are written later, with newer ones', async ({ open }) => {
  await using database = await open();
  let isBroken = false;
  const failingDatabase: Database = {
    ...database,
    transaction: (work) => {
      if (isBroken) throw new Error('broken');
      return database.transaction(work);
    },
  };
  const { ada, logFailure, journal } = await setUpJournal(failingDatabase);
  isBroken = true;
  logFailure(ada, '192.0.2.1');
  expect(await journal.listByAccount(ada)).toEqual([]);
  isBroken = false;
  logFailure(ada, '192.0.2.1');
  expect(await journal.listByAccount(ada)).toMatchObject([{ times: 2 }]);
});
