import { pino } from 'pino';
import { expect } from 'vitest';
import type { Database } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/database/migrate.ts';
import { createFakeChatPlatform, type FakeChatPlatform } from '#testing/kits/chat/chatPlatform.ts';
import { runDuringTransaction } from '#testing/kits/server/besideTransaction.ts';
import { testOnBothDatabases, testOnPostgres } from '#testing/kits/server/database.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { createPresence, OFFLINE, type Presence } from '../domain/status.ts';
import { trimHistory } from './index.ts';
import { migrations } from './migrations.ts';
import { closeOpenIntervals, GRACE_PERIOD_MS, createRecorder } from './recorder.ts';
import { createStatusStore } from './statusStore.ts';

const ANN = '100000000000000001';
const BEN = '100000000000000002';
const ONLINE: Presence = { both: 'online', pc: 'online', mobile: 'offline' };
const START = Temporal.Instant.from('2026-11-20T08:00:00Z');

/** Starts a recorder on a fake platform with its own clock. */
async function startRecorder(database: Database, platform: FakeChatPlatform, from = START) {
  const clock = { now: from };
  const timers = createManualTimers();
  const log = pino({ level: 'silent' });
  await closeOpenIntervals({ database });
  const recorder = createRecorder(
    { database, log, timers, now: () => clock.now, pageAddress: 'https://example.org/sleepstatus' },
    platform,
  );
  recorder.start();
  const { sendCommand } = platform;
  return {
    recorder,
    timers,
    sendCommand,
    /** Advances the clock with a heartbeat every minute. */
    advanceMinutes: (minutes: number): void => {
      for (let left = minutes; left > 0; left -= 1) {
        clock.now = clock.now.add({ seconds: Math.round(Math.min(1, left) * 60) });
        platform.sendHeartbeat();
      }
    },
    /** Advances the clock without heartbeats. */
    advanceSilently: (minutes: number): void => {
      clock.now = clock.now.add({ seconds: minutes * 60 });
    },
    /** Returns the stored history of a person: 'minute status' since the start. */
    readHistory: async (person = ANN): Promise<readonly string[]> => {
      await recorder.waitUntilSettled();
      const store = createStatusStore(database.db);
      const member = await store.findMember('Fake', person);
      const changes = member ? await store.listChanges(member.id) : [];
      return changes.map(
        ({ at, presence: { both, pc, mobile } }) =>
          `${(at - START.epochMilliseconds / 1000) / 60} ${[both, pc, mobile].join(' ')}`,
      );
    },
  };
}
async function migrateTables(database: Database): Promise<void> {
  await migrate(database, [{ name: 'chatstatus', migrations }]);
}

testOnBothDatabases('only people who opted in are recorded, only changes, and until they stop it', async ({ open }) => {
  await using database = await open();
  await migrateTables(database);
  const platform = createFakeChatPlatform();
  const { sendCommand, advanceMinutes, readHistory } = await startRecorder(database, platform);
  platform.setPresence(ANN, ONLINE);
  platform.setPresence(BEN, ONLINE);
  expect(await sendCommand(ANN, 'start')).toMatch(
    /^Your status is now being recorded .*`((\w{4}-){3}\w{4})`\. Open <https:\/\/example\.org\/sleepstatus#\1>/,
  );
  expect(await sendCommand(ANN, 'start')).toMatch(/^Your status is already being recorded/);
  advanceMinutes(10);
  platform.setPresence(ANN, ONLINE);
  platform.setPresence(BEN, createPresence('dnd'));
  advanceMinutes(10);
  platform.setPresence(ANN, OFFLINE);
  advanceMinutes(10);
  expect(await sendCommand(ANN, 'stop')).toMatch(/^Recording stopped/);
  expect(await sendCommand(ANN, 'stop')).toBe('Your status is not being recorded');
  platform.setPresence(ANN, ONLINE);
  expect(await readHistory()).toEqual([
    '0 online online offline',
    '20 offline offline offline',
    '30 unknown unknown unknown',
  ]);
  expect(await readHistory(BEN)).toEqual([]);
  advanceMinutes(10);
  expect(await sendCommand(ANN, 'start')).toMatch(/^Your status is being recorded again/);
  expect((await readHistory()).at(-1)).toBe('40 online online offline');
});

testOnBothDatabases('forget deletes everything, and a new start has no history', async ({ open }) => {
  await using database = await open();
  await migrateTables(database);
  const platform = createFakeChatPlatform();
  const { sendCommand, readHistory } = await startRecorder(database, platform);
  expect(await sendCommand(ANN, 'forget')).toBe('You have no recorded days');
  expect(await sendCommand(ANN, 'code')).toMatch(/`\/schedule start` to start recording/);
  await sendCommand(ANN, 'start');
  expect(await sendCommand(ANN, 'forget')).toMatch(/^All your recorded days and your code were deleted/);
  platform.setPresence(ANN, ONLINE);
  expect(await readHistory()).toEqual([]);
  await sendCommand(ANN, 'start');
  expect(await readHistory()).toEqual(['0 online online offline']);
});

testOnBothDatabases('while the connection is lost, presence is unknown from that moment on', async ({ open }) => {
  await using database = await open();
  await migrateTables(database);
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { sendCommand, advanceMinutes, readHistory, timers } = await startRecorder(database, platform);
  await sendCommand(ANN, 'start');
  advanceMinutes(10);
  platform.disconnect();
  advanceMinutes(0.1);
  platform.reconnect();
  timers.advance(GRACE_PERIOD_MS);
  expect(await readHistory()).toEqual(['0 online online offline']);
  advanceMinutes(9.9);
  platform.disconnect();
  timers.advance(GRACE_PERIOD_MS);
  platform.setPresence(ANN, OFFLINE);
  advanceMinutes(60);
  platform.reconnect();
  expect(await readHistory()).toEqual([
    '0 online online offline',
    '20 unknown unknown unknown',
    '80 offline offline offline',
  ]);
});

/** Wraps a database whose next transaction rolls back at its end if an error is set. */
function createBreakable(database: Database) {
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
}

testOnPostgres('a command whose transaction restarts takes effect once, and completely', async ({ open }) => {
  await using opened = await open();
  await migrateTables(opened);
  const { database, fail } = createBreakable(opened);
  const failRetryably = () => fail(Object.assign(new Error('stopped for another’s sake'), { code: '40001' }));
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { sendCommand, advanceMinutes, readHistory } = await startRecorder(database, platform);
  failRetryably();
  expect(await sendCommand(ANN, 'start')).toMatch(/^Your status is now being recorded/);
  advanceMinutes(10);
  failRetryably();
  expect(await sendCommand(ANN, 'stop')).toMatch(/^Recording stopped/);
  expect(await readHistory()).toEqual(['0 online online offline', '10 unknown unknown unknown']);
  advanceMinutes(10);
  failRetryably();
  await sendCommand(ANN, 'start');
  expect((await readHistory()).at(-1)).toBe('20 online online offline');
});

testOnBothDatabases('a failed command changes nothing', async ({ open }) => {
  await using opened = await open();
  await migrateTables(opened);
  const { database, fail } = createBreakable(opened);
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { sendCommand, advanceMinutes, readHistory } = await startRecorder(database, platform);
  fail(new Error('no'));
  await expect(sendCommand(ANN, 'start')).rejects.toThrow('no');
  platform.setPresence(ANN, OFFLINE);
  expect(await readHistory()).toEqual([]);
  await sendCommand(ANN, 'start');
  advanceMinutes(10);
  fail(new Error('no'));
  await expect(sendCommand(ANN, 'forget')).rejects.toThrow('no');
  platform.setPresence(ANN, ONLINE);
  expect(await readHistory()).toEqual(['0 offline offline offline', '10 online online offline']);
});

const createGap = (from: number, until: number) => [
  `${from} unknown unknown unknown`,
  `${until} online online offline`,
];

testOnBothDatabases('sleep of the computer leaves a gap, however it is detected afterwards', async ({ open }) => {
  await using database = await open();
  await migrateTables(database);
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { recorder, sendCommand, advanceMinutes, advanceSilently, readHistory } = await startRecorder(
    database,
    platform,
  );
  await sendCommand(ANN, 'start');
  const readNewest = async (): Promise<readonly string[]> => (await readHistory()).slice(-2);
  advanceMinutes(10);
  advanceSilently(90);
  await recorder.saveHeartbeat();
  expect((await readNewest()).at(-1)).toBe('10 unknown unknown unknown');
  advanceMinutes(1);
  expect(await readNewest()).toEqual(createGap(10, 101));

  advanceMinutes(9);
  advanceSilently(90);
  platform.sendHeartbeat();
  expect(await readNewest()).toEqual(createGap(110, 200));

  advanceMinutes(10);
  advanceSilently(90);
  platform.disconnect();
  platform.reconnect();
  expect(await readNewest()).toEqual(createGap(210, 300));

  advanceMinutes(10);
  platform.disconnect();
  advanceSilently(90); // the grace timer sleeps as well
  platform.reconnect();
  expect(await readNewest()).toEqual(createGap(310, 400));

  advanceMinutes(10);
  advanceSilently(90);
  platform.reconnect();
  expect(await readNewest()).toEqual(createGap(410, 500));

  advanceMinutes(10);
  advanceSilently(90);
  await recorder.stop();
  expect(
    (await createStatusStore(database.db).listLastChanges()).map(({ at }) => at - START.epochMilliseconds / 1000),
  ).toEqual([510 * 60]);
});

testOnBothDatabases('a connection that dies silently leaves a gap from its last heartbeat on', async ({ open }) => {
  await using database = await open();
  await migrateTables(database);
  const platform = createFakeChatPlatform();
  platform.setPresence(ANN, ONLINE);
  const { recorder, sendCommand, advanceMinutes, advanceSilently, readHistory, timers } = await startRecorder(
    database,
    platform,
  );
  await sendCommand(ANN, 'start');
  advanceMinutes(10);
  advanceSilently(1.5);
  await recorder.saveHeartbeat();
  platform.disconnect();
  platform.reconnect();
  await readHistory();
  advanceMinutes(8.5);
  advanceSilently(1.5);
  platform.disconnect();
  timers.advance(GRACE_PERIOD_MS);
  expect(await readHistory()).toEqual([
    '0 online online offline',
    '10 unknown unknown unknown',
    '11.5 online online offline',
    '20 unknown unknown unknown',
  ]);
  expect(await createStatusStore(database.db).readHeartbeats()).toEqual(
    new Map([['Fake', START.epochMilliseconds / 1000 + 690]]),
  );
});

testOnBothDatabases(
  'a stopped server leaves a gap from then on, a killed one from its last heartbeat on',
  async ({ open }) => {
    await using database = await open();
    await migrateTables(database);
    const first = createFakeChatPlatform();
    first.setPresence(ANN, ONLINE);
    const one = await startRecorder(database, first);
    await one.sendCommand(ANN, 'start');
    one.advanceMinutes(30);
    await one.recorder.stop();

    const second = createFakeChatPlatform({ isDown: true });
    second.setPresence(ANN, ONLINE);
    const two = await startRecorder(database, second, START.add({ minutes: 90 }));
    expect((await two.readHistory()).at(-1)).toBe('30 unknown unknown unknown');
    second.reconnect();
    await two.readHistory();
    two.advanceMinutes(5);
    await two.recorder.saveHeartbeat();
    // The server is killed here, so nothing reports the end.

    const third = createFakeChatPlatform();
    const three = await startRecorder(database, third, START.add({ minutes: 200 }));
    expect(await three.readHistory()).toEqual([
      '0 online online offline',
      '30 unknown unknown unknown',
      '90 online online offline',
      '95 unknown unknown unknown',
      '200 offline offline offline',
    ]);
  },
);

testOnBothDatabases(
  'a year of history is stored with its initial status, and members without history are removed',
  async ({ open }) => {
    await using database = await open();
    await migrateTables(database);
    const platform = createFakeChatPlatform();
    const { sendCommand, advanceMinutes, readHistory } = await startRecorder(database, platform);
    await sendCommand(ANN, 'start');
    await sendCommand(BEN, 'start');
    advanceMinutes(60);
    platform.setPresence(ANN, ONLINE);
    await sendCommand(BEN, 'stop');
    advanceMinutes(60);
    platform.setPresence(ANN, OFFLINE);
    await readHistory();
    const year = START.epochMilliseconds / 1000 + 365 * 86_400;
    await trimHistory(database, year + 90 * 60);
    expect(await readHistory()).toEqual(['90 online online offline', '120 offline offline offline']);
    expect(await sendCommand(BEN, 'code')).toMatch(/^You have no recorded days/);
  },
);

testOnBothDatabases('a member who starts again during the nightly cleanup stays', async ({ open }) => {
  await using database = await open();
  await migrateTables(database);
  const platform = createFakeChatPlatform();
  const { sendCommand, advanceMinutes, recorder } = await startRecorder(database, platform);
  await sendCommand(ANN, 'start');
  advanceMinutes(60);
  await sendCommand(ANN, 'stop');
  await recorder.waitUntilSettled();
  const store = createStatusStore(database.db);
  const { id = 0 } = (await store.findMember('Fake', ANN)) ?? {};
  await runDuringTransaction(database, {
    change: (tx) => createStatusStore(tx).setRecorded(id, true),
    other: () => trimHistory(database, START.epochMilliseconds / 1000 + 366 * 86_400),
  });
  expect(await store.findMember('Fake', ANN)).toMatchObject({ id, isRecorded: true });
});
