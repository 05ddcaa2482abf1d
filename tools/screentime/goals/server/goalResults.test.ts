import type { Kysely } from 'kysely';
import { expect } from 'vitest';
import type { StartedServerTool } from '#platform/server/tool.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, TEST_PASSWORD, type TestAccount } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { pairUsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { deleteaccount, exportaccount } from '#tools/accounts/contract.ts';
import { serverTools } from '../../../../apps/server/tools.ts';
import {
  deletetimetrackergoal,
  gettimetrackergoals,
  modifyapplicationcatinfo,
  restoretimetrackergoal,
  settimetrackergoal,
} from '../../contract.ts';

const tz = 'Europe/Berlin';
const goal = {
  goalid: '0',
  target: 'game',
  type: 'app',
  goalseconds: '3600',
  deviceid: '-1',
  daysaffected: '1',
  daysaffectedtype: '1',
  goaltype: '0',
  tz,
};
async function listHistory(account: TestAccount) {
  const { goals } = await account.call(gettimetrackergoals, { tz });
  return goals.map(({ history }) =>
    history.map(({ date, decdone, limit }) => `${date.slice(8)} ${decdone}${limit ? ' limit' : ''}`),
  );
}

testOnBothDatabases('results of a goal survive its edits, and include late reports', async (storage) => {
  const { databaseUrl } = storage;
  let time = Temporal.Instant.from('2026-11-16T14:00:00Z');
  let nightly: StartedServerTool['nightly'];
  let db: Kysely<unknown> | undefined;
  const tools = serverTools.map((tool) => ({
    ...tool,
    start: (...args: Parameters<typeof tool.start>): StartedServerTool => {
      const started = tool.start(...args);
      if (tool.name === 'screentime') {
        ({ db } = args[0].database);
        nightly = started.nightly;
      }
      return started;
    },
  }));
  await using server = await startServer({ databaseUrl, tools, now: () => time });
  const anna = await server.createAccount('anna');
  await anna.call(gettimetrackergoals, { tz });
  const laptop = await pairUsageComputer(server, anna, 'Laptop');
  async function reportPlaying(date: string, minutes: number): Promise<void> {
    const start = Temporal.Instant.from(`${date}T09:00Z`);
    await laptop.reportUse(['game', 'on', start.toString(), start.add({ minutes }).toString()]);
  }
  /** Runs the nightly task before a day. */
  async function runNightly(date: string): Promise<void> {
    time = Temporal.Instant.from(`${date}T03:00Z`);
    await nightly?.();
  }
  await reportPlaying('2026-11-16', 30);
  const { newgoal } = await anna.call(settimetrackergoal, goal);
  expect(await listHistory(anna)).toEqual([[]]);
  await runNightly('2026-11-17');
  expect(await listHistory(anna)).toEqual([['16 0.5']]);
  // On Wednesday it becomes a limit of two hours; the server is off for two nights.
  time = Temporal.Instant.from('2026-11-18T12:00:00Z');
  await reportPlaying('2026-11-17', 60);
  await reportPlaying('2026-11-18', 60);
  const change = { ...goal, goalid: String(newgoal.goalid), goalseconds: '7200', limit: '1' };
  await anna.call(settimetrackergoal, change);
  await runNightly('2026-11-20');
  const days = ['16 0.5', '17 1', '18 0.5 limit', '19 0 limit'];
  expect(await listHistory(anna)).toEqual([days]);
  await reportPlaying('2026-11-19', 120);
  await runNightly('2026-11-21');
  expect(await listHistory(anna)).toEqual([[...days.slice(0, 3), '19 1 limit', '20 0 limit']]);

  // A deleted goal is hidden; restored, it is unchanged and has the night in between.
  const named = { goalid: String(newgoal.goalid) };
  time = time.add({ hours: 9 });
  await anna.call(deletetimetrackergoal, named);
  expect(await listHistory(anna)).toEqual([]);
  await runNightly('2026-11-22');
  await anna.call(restoretimetrackergoal, named);
  await expect(anna.call(restoretimetrackergoal, named)).rejects.toThrow('There is no such goal');
  await runNightly('2026-11-23');
  const since = await listHistory(anna);
  expect(since).toEqual([[...days.slice(0, 3), '19 1 limit', '20 0 limit', '21 0 limit', '22 0 limit']]);
  // A second goal is removed a day after its deletion, with its results.
  const { newgoal: second } = await anna.call(settimetrackergoal, goal);
  await runNightly('2026-11-24');
  await anna.call(deletetimetrackergoal, { goalid: String(second.goalid) });
  time = time.add({ hours: 24 });
  await expect(anna.call(restoretimetrackergoal, { goalid: String(second.goalid) })).rejects.toThrow(
    'There is no such goal',
  );
  await nightly?.();
  const stored = db?.$extendTables<{ screentime_goal_day: { goal: number } }>();
  const remainingGoals = await stored?.selectFrom('screentime_goal_day').select('goal').distinct().execute();
  expect(remainingGoals).toEqual([{ goal: newgoal.goalid }]);

  // The account's export contains it, with the sorting.
  await anna.call(modifyapplicationcatinfo, {
    keys: { play: { up: 'F9', down: '', mute: '' } },
    cats: { play: ['game'] },
  });
  const { content } = await anna.call(exportaccount, { password: TEST_PASSWORD });
  const exported = readJsonFromZip(readZip(await content.bytes()), 'screentime.json');
  expect(exported).toMatchObject({
    categories: [{ name: 'play', up: 'F9', applications: ['game'] }],
    rules: [],
    goals: [
      { version: 1, since: '2026-11-16', amount: 3600, isLimit: false },
      { version: 2, since: '2026-11-18', amount: 7200, isLimit: true },
    ],
    goalResults: [
      {
        goal: newgoal.goalid,
        days: expect.arrayContaining([{ date: '2026-11-16', done: 1800, amount: 3600, isLimit: false }]),
      },
    ],
  });

  // Deleting the account removes everything.
  await anna.call(deleteaccount, { password: TEST_PASSWORD, username: 'anna' });
  const tables = (await db?.introspection.getTables()) ?? [];
  const own = tables.map(({ name }) => name).filter((name) => /^screentime_(?!migration)/.test(name));
  expect(own.length).toBeGreaterThan(10);
  for (const name of own)
    expect([
      name,
      await db
        ?.selectFrom(name as never)
        .selectAll()
        .execute(),
    ]).toEqual([name, []]);
  await runNightly('2026-11-26');
  expect(server.log.filter((line) => line.includes('results_unsaved'))).toEqual([]);
});
