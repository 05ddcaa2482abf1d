import { pino } from 'pino';
import { expect } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { createFakeChatPlatform, type FakeChatPlatform } from '#testing/kits/chat/chatPlatform.ts';
import { runDuringTransaction } from '#testing/kits/server/besideTransaction.ts';
import { onBothDatabases, onPostgres } from '#testing/kits/server/database.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { createPresence, OFFLINE, type Presence } from '../domain/status.ts';
import { trimHistory } from './index.ts';
import { migrations } from './migrations.ts';
import { endLastRun, GRACE_MS, createRecorder } from './recorder.ts';
import { statusStore } from './statusStore.ts';

const ANN = '100000000000000001';
const BEN = '100000000000000002';
const ONLINE: Presence = { both: 'online', pc: 'online', mobile: 'offline' };
const START = Temporal.Instant.from('2026-11-20T08:00:00Z');

/** Starts a recorder on a fake platform with its own clock. */
const startRecorder = async (database: Database, platform: FakeChatPlatform, from = START) => {
  const clock = { now: from };
  const timers = createManualTimers();
  const log = pino({ level: 'silent' });
  await endLastRun({ database });
  const recorder = createRecorder(
    { database, log, timers, now: () => clock.now, page: 'https://example.org/sleepstatus' },
    platform,
  );
  recorder.start();
  const order = platform.sendCommand;
  return {
    recorder,
    timers,
    order,
    /** Advances the clock with a heartbeat every minute. */
    later: (minutes: number): void => {
      for (let left = minutes; left > 0; left -= 1) {
        clock.now = clock.now.add({ seconds: Math.round(Math.min(1, left) * 60) });
        platform.sendHeartbeat();
      }
    },
    /** Advances the clock without heartbeats. */
    silence: (minutes: number): void => {
      clock.now = clock.now.add({ seconds: minutes * 60 });
    },
    /** Returns the stored history of a person: 'minute status' since the start. */
    history: async (person = ANN): Promise<readonly string[]> => {
      await recorder.settled();
      const store = statusStore(database.db);
      const member = await store.findMember('Fake', person);
      const changes = member ? await store.listChanges(member.id) : [];
      return changes.map(
        ({ at, presence: { both, pc, mobile } }) =>
          `${(at - START.epochMilliseconds / 1000) / 60} ${[both, pc, mobile].join(' ')}`,
      );
    },
  };
};
const prepare = async (database: Database): Promise<void> => {
  await migrate(database, [{ name: 'chatstatus', migrations }]);
};

onBothDatabases('only people who opted in are recorded, only changes, and until they stop it', async ({ open }) => {
  await using database = await open();
  await prepare(database);
  const platform = createFakeChatPlatform();
  const { order, later, history } = await startRecorder(database, platform);
  platform.setPresence(ANN, ONLINE);
  platform.setPresence(BEN, ONLINE);
  expect(await order(ANN, 'start')).toMatch(
    /^Your status is now being recorded .*`((\w{4}-){3}\w{4})`\. Open <https:\/\/example\.org\/sleepstatus#\1>/,
  );
  expect(await order(ANN, 'start')).toMatch(/^Your status is already being recorded/);
  later(10);
  platform.setPresence(ANN, ONLINE);
  platform.setPresence(BEN, createPresence('dnd'));
  later(10);
  platform.setPresence(ANN, OFFLINE);
  later(10);
  expect(await order(ANN, 'stop')).toMatch(/^Recording stopped/);
  expect(await order(ANN, 'stop')).toBe('Your status is not being recorded');
  platform.setPresence(ANN, ONLINE);
  expect(await history()).toEqual([
    '0 online online offline',
    '20 offline offline offline',
    '30 unknown unknown unknown',
  ]);
  expect(await history(BEN)).toEqual([]);
  later(10);
  expect(await order(ANN, 'start')).toMatch(/^Your status is being recorded again/);
  expect((await history()).at(-1)).toBe('40 online online offline');
});

onBothDatabases('forget deletes everything, and a new start has no history', async ({ open }) => {
  await using database = await open();
  await prepare(database);
  const platform = createFakeChatPlatform();
  const { order, history } = await startRecorder(database, platform);
  expect(await order(ANN, 'forget')).toBe('You have no recorded days');
  expect(await order(ANN, 'code')).toMatch(/`\/schedule start` to start recording/);
  await order(ANN, 'start');
  expect(await order(ANN, 'forget')).toMatch(/^All your recorded days and your code were deleted/);
  platform.setPresence(ANN, ONLINE);
  expect(await history()).toEqual([]);
  await order(ANN, 'start');
  expect(await history()).toEqual(['0 online online offline']);
});

onBothDatabases('while the connection is lost, presence is unknown from that moment on', async ({ open }) => {
  await using database = await open();
  await prepare(database);
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { order, later, history, timers } = await startRecorder(database, platform);
  await order(ANN, 'start');
  later(10);
  platform.disconnect();
  later(0.1);
  platform.reconnect();
  timers.advance(GRACE_MS);
  expect(await history()).toEqual(['0 online online offline']);
  later(9.9);
  platform.disconnect();
  timers.advance(GRACE_MS);
  platform.setPresence(ANN, OFFLINE);
  later(60);
  platform.reconnect();
  expect(await history()).toEqual([
    '0 online online offline',
    '20 unknown unknown unknown',
    '80 offline offline offline',
  ]);
});

/** Wraps a database whose next transaction rolls back at its end if an error is set. */
const createBreakable = (database: Database) => {
  let error: Error | undefined;
  return {
    fail: (next: Error): void => {
      error = next;
    },
    database: {
      ...database,
      transaction: (work) =>
        database.transaction(async (given) => {
          const result = await work(given);
          const now = error;
          error = undefined;
          if (now) throw now;
          return result;
        }),
    } satisfies Database,
  };
};

onPostgres('an order whose transaction is begun anew is done once, and wholly', async ({ open }) => {
  await using opened = await open();
  await prepare(opened);
  const { database, fail } = createBreakable(opened);
  const again = () => fail(Object.assign(new Error('stopped for another’s sake'), { code: '40001' }));
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { order, later, history } = await startRecorder(database, platform);
  again();
  expect(await order(ANN, 'start')).toMatch(/^Your status is now being recorded/);
  later(10);
  again();
  expect(await order(ANN, 'stop')).toMatch(/^Recording stopped/);
  expect(await history()).toEqual(['0 online online offline', '10 unknown unknown unknown']);
  later(10);
  again();
  await order(ANN, 'start');
  expect((await history()).at(-1)).toBe('20 online online offline');
});

onBothDatabases('a failed command changes nothing', async ({ open }) => {
  await using opened = await open();
  await prepare(opened);
  const { database, fail } = createBreakable(opened);
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { order, later, history } = await startRecorder(database, platform);
  fail(new Error('no'));
  await expect(order(ANN, 'start')).rejects.toThrow('no');
  platform.setPresence(ANN, OFFLINE);
  expect(await history()).toEqual([]);
  await order(ANN, 'start');
  later(10);
  fail(new Error('no'));
  await expect(order(ANN, 'forget')).rejects.toThrow('no');
  platform.setPresence(ANN, ONLINE);
  expect(await history()).toEqual(['0 offline offline offline', '10 online online offline']);
});

const hole = (from: number, until: number) => [`${from} unknown unknown unknown`, `${until} online online offline`];

onBothDatabases('sleep of the computer leaves a gap, however it is detected afterwards', async ({ open }) => {
  await using database = await open();
  await prepare(database);
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { recorder, order, later, silence, history } = await startRecorder(database, platform);
  await order(ANN, 'start');
  const newest = async (): Promise<readonly string[]> => (await history()).slice(-2);
  later(10);
  silence(90);
  await recorder.beat();
  expect((await newest()).at(-1)).toBe('10 unknown unknown unknown');
  later(1);
  expect(await newest()).toEqual(hole(10, 101));

  later(9);
  silence(90);
  platform.sendHeartbeat();
  expect(await newest()).toEqual(hole(110, 200));

  later(10);
  silence(90);
  platform.disconnect();
  platform.reconnect();
  expect(await newest()).toEqual(hole(210, 300));

  later(10);
  platform.disconnect();
  silence(90); // the grace timer sleeps as well
  platform.reconnect();
  expect(await newest()).toEqual(hole(310, 400));

  later(10);
  silence(90);
  platform.reconnect();
  expect(await newest()).toEqual(hole(410, 500));

  later(10);
  silence(90);
  await recorder.stop();
  expect(
    (await statusStore(database.db).listLastChanges()).map(({ at }) => at - START.epochMilliseconds / 1000),
  ).toEqual([510 * 60]);
});

onBothDatabases('a connection that dies silently leaves a gap from its last heartbeat on', async ({ open }) => {
  await using database = await open();
  await prepare(database);
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { recorder, order, later, silence, history, timers } = await startRecorder(database, platform);
  await order(ANN, 'start');
  later(10);
  silence(1.5);
  await recorder.beat();
  platform.disconnect();
  platform.reconnect();
  await history();
  later(8.5);
  silence(1.5);
  platform.disconnect();
  timers.advance(GRACE_MS);
  expect(await history()).toEqual([
    '0 online online offline',
    '10 unknown unknown unknown',
    '11.5 online online offline',
    '20 unknown unknown unknown',
  ]);
  expect(await statusStore(database.db).readHeartbeats()).toEqual(
    new Map([['Fake', START.epochMilliseconds / 1000 + 690]]),
  );
});

onBothDatabases(
  'a stopped server leaves a gap from then on, a killed one from its last heartbeat on',
  async ({ open }) => {
    await using database = await open();
    await prepare(database);
    const first = createFakeChatPlatform();
    first.setPresence(ANN, ONLINE);
    const one = await startRecorder(database, first);
    await one.order(ANN, 'start');
    one.later(30);
    await one.recorder.stop();

    const second = createFakeChatPlatform({ isDown: true });
    second.setPresence(ANN, ONLINE);
    const two = await startRecorder(database, second, START.add({ minutes: 90 }));
    expect((await two.history()).at(-1)).toBe('30 unknown unknown unknown');
    second.reconnect();
    await two.history();
    two.later(5);
    await two.recorder.beat();
    // The server is killed here, so nothing reports the end.

    const third = createFakeChatPlatform();
    const three = await startRecorder(database, third, START.add({ minutes: 200 }));
    expect(await three.history()).toEqual([
      '0 online online offline',
      '30 unknown unknown unknown',
      '90 online online offline',
      '95 unknown unknown unknown',
      '200 offline offline offline',
    ]);
  },
);

onBothDatabases(
  'a year of history is stored with its initial status, and members without history are removed',
  async ({ open }) => {
    await using database = await open();
    await prepare(database);
    const platform = createFakeChatPlatform();
    const { order, later, history } = await startRecorder(database, platform);
    await order(ANN, 'start');
    await order(BEN, 'start');
    later(60);
    platform.setPresence(ANN, ONLINE);
    await order(BEN, 'stop');
    later(60);
    platform.setPresence(ANN, OFFLINE);
    await history();
    const year = START.epochMilliseconds / 1000 + 365 * 86_400;
    await trimHistory(database, year + 90 * 60);
    expect(await history()).toEqual(['90 online online offline', '120 offline offline offline']);
    expect(await order(BEN, 'code')).toMatch(/^You have no recorded days/);
  },
);

onBothDatabases('a member who starts again during the nightly cleanup stays', async ({ open }) => {
  await using database = await open();
  await prepare(database);
  const platform = createFakeChatPlatform();
  const { order, later, recorder } = await startRecorder(database, platform);
  await order(ANN, 'start');
  later(60);
  await order(ANN, 'stop');
  await recorder.settled();
  const store = statusStore(database.db);
  const { id = 0 } = (await store.findMember('Fake', ANN)) ?? {};
  await runDuringTransaction(database, {
    change: (tx) => statusStore(tx).setRecorded(id, true),
    other: () => trimHistory(database, START.epochMilliseconds / 1000 + 366 * 86_400),
  });
  expect(await store.findMember('Fake', ANN)).toMatchObject({ id, isRecorded: true });
});
