import { expect } from 'vitest';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { StartedServerTool } from '#platform/server/tool.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { listStory } from '#testing/kits/usage/reports.ts';
import { pairUsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { checkdevices, revokedevice } from '#tools/devices/contract.ts';
import { serverTools } from '../../../../apps/server/tools.ts';
import {
  changeusage,
  deletecomputerusage,
  exportusage,
  getsoundinfo,
  gettimetrackergoals,
  importactivitywatch,
  mergecomputers,
  returnapplications,
  settimetrackergoal,
  undoimport,
  usagecomputers,
  usagedays,
} from '../../contract.ts';

const tz = 'UTC';
const DAY = '2026-11-16';
const event = (app: string, time: string, minutes: number, date = DAY) => ({
  timestamp: `${date}T${time}:00Z`,
  duration: minutes * 60,
  app,
});
const goal = {
  goalid: '0',
  target: 'total',
  type: 'app',
  goalseconds: '3600',
  deviceid: '-1',
  daysaffected: '1',
  daysaffectedtype: '1',
  goaltype: '0',
  tz,
};

/** Starts the whole server, with the parts of screen time that no page reaches. */
async function start(databaseUrl: string | undefined) {
  let time = Temporal.Instant.from('2026-11-16T20:00:00Z');
  let parts: StartedServerTool | undefined;
  const tools = serverTools.map((tool) => ({
    ...tool,
    start: (...given: Parameters<typeof tool.start>): StartedServerTool => {
      const started = tool.start(...given);
      if (tool.name === 'screentime') parts = started;
      return started;
    },
  }));
  const server = await startServer({ databaseUrl, tools, now: () => time });
  return {
    server,
    goTo: (text: string) => void (time = Temporal.Instant.from(text)),
    nightly: async () => parts?.nightly?.(),
    /** Counts differences from a recount of the intervals. */
    countProblems: async () => parts?.checkData?.(false),
  };
}

type Computer = AnswerOf<typeof usagecomputers>['computers'][number];
const listComputers = async (account: TestAccount): Promise<readonly string[]> =>
  (await account.call(usagecomputers, {})).computers.map(
    ({ name, origin, seconds }: Computer) => `${name} ${origin} ${seconds / 60}`,
  );
const findId = async (account: TestAccount, name: string): Promise<number> =>
  (await account.call(usagecomputers, {})).computers.find((one) => one.name === name)?.id ?? 0;
const importIds = async (account: TestAccount): Promise<readonly number[]> =>
  (await account.call(usagecomputers, {})).imports.map(({ id }) => id);

/** Returns everything that pages, goals and exports show of an account's time, in minutes. */
async function everything(account: TestAccount) {
  const { days } = await account.call(usagedays, { from: '1990-01-01', until: '2027-01-01', tz });
  const { data } = await account.call(getsoundinfo, { tz });
  const { flat, order } = await account.call(returnapplications, { tz });
  const { goals } = await account.call(gettimetrackergoals, { tz });
  const file = await account.call(exportusage, { from: '1990-01-01', until: '2027-01-01', tz, format: 'csv' });
  return {
    days,
    sound: data.soundata,
    names: flat.map(({ name }) => name).toSorted(),
    first: order.order.at(-1),
    goals: goals.map(({ goalachievment, history }) => [goalachievment.decdone, history.map((day) => day.decdone)]),
    lines: (await new Response(file.content).text()).trim().split('\n').slice(1).toSorted(),
  };
}

// Two nights and four imports take longer than other tests on a busy machine.
testOnBothDatabases(
  'undoing an import also undoes everything counted from it',
  async ({ databaseUrl }) => {
    const { server: opened, goTo, nightly, countProblems } = await start(databaseUrl);
    await using server = opened;
    const anna = await server.createAccount('anna');
    const laptop = await pairUsageComputer(server, anna, 'Laptop');
    await laptop.reportUse(['Code', 'on', `${DAY}T10:00Z`, `${DAY}T10:30Z`]);
    await anna.call(settimetrackergoal, goal);
    goTo('2026-11-17T03:00:00Z');
    await nightly();
    // Ten nights later its result is final.
    goTo('2026-11-26T12:00:00Z');
    await nightly();
    const before = await everything(anna);
    expect(before.goals).toEqual([[0, [0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0]]]);

    const first = await anna.call(importactivitywatch, {
      hostname: 'desk',
      window: [event('Firefox', '10:00', 60), event('Game', '09:00', 10, '2019-03-02')],
      away: [],
    });
    const { importid } = first;
    const second = await anna.call(importactivitywatch, {
      hostname: 'desk',
      window: [event('Mail', '11:00', 30), event('Firefox', '10:00', 60)],
      away: [],
      importid,
    });
    expect([first, second]).toEqual([
      { taken: 2, skipped: 0, importid },
      { taken: 1, skipped: 1, importid },
    ]);
    expect(await listComputers(anna)).toEqual(['Laptop paired 30', 'desk imported 100']);
    expect((await anna.call(usagecomputers, {})).imports).toEqual([
      expect.objectContaining({ id: importid, seconds: 6000, first: '2019-03-02', last: DAY }),
    ]);
    expect(await countProblems()).toEqual([]);
    const full = await everything(anna);
    expect(full.days).toEqual({ '2019-03-02': 600, [DAY]: 7200 });

    // A part was deleted by hand: undoing removes the rest.
    const at = (time: string): number => Temporal.Instant.from(`${DAY}T${time}Z`).epochMilliseconds;
    await anna.call(changeusage, {
      device: await findId(anna, 'desk'),
      remove: [{ application: 'Mail', status: 'on', from: at('11:00'), until: at('11:10') }],
      add: [],
    });
    await anna.call(undoimport, { id: importid ?? 0 });
    expect(await everything(anna)).toEqual(before);
    expect(await countProblems()).toEqual([]);
    expect(await listComputers(anna)).toEqual(['Laptop paired 30']);
    expect((await anna.call(checkdevices, {})).status.map(([, name]) => name)).toEqual(['Laptop']);
    await expect(anna.call(undoimport, { id: importid ?? 0 })).rejects.toThrow('no such import');
    for (const unknown of [importid, 2 ** 31])
      await expect(
        anna.call(importactivitywatch, { hostname: 'den', window: [], away: [], importid: unknown }),
      ).rejects.toThrow('no such import');
  },
  { timeout: 240_000 },
);

testOnBothDatabases('undoing an import keeps usage that was there before', async ({ databaseUrl }) => {
  const { server: opened, countProblems } = await start(databaseUrl);
  await using server = opened;
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const one = await anna.call(importactivitywatch, {
    hostname: 'desk',
    window: [event('Firefox', '10:00', 30)],
    away: [],
  });
  const other = await anna.call(importactivitywatch, {
    hostname: 'desk',
    window: [event('Firefox', '10:00', 60), event('Code', '10:15', 60)],
    away: [],
  });
  // Without new usage there is no import.
  expect(
    await anna.call(importactivitywatch, { hostname: 'desk', window: [event('Firefox', '10:00', 5)], away: [] }),
  ).toEqual({ taken: 0, skipped: 1 });
  await anna.call(undoimport, { id: other.importid ?? 0 });
  expect(await listStory(anna, DAY)).toEqual(['Firefox on 10:00:00 10:30:00']);
  expect(await importIds(anna)).toEqual([one.importid]);
  await expect(bob.call(undoimport, { id: one.importid ?? 0 })).rejects.toThrow('no such import');
  expect(await countProblems()).toEqual([]);
});

testOnBothDatabases('a revoked computer is listed, and can be deleted with its usage', async ({ databaseUrl }) => {
  const { server: opened, goTo, nightly, countProblems } = await start(databaseUrl);
  await using server = opened;
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const laptop = await pairUsageComputer(server, anna, 'Laptop');
  await laptop.reportUse(['Code', 'on', `${DAY}T10:00Z`, `${DAY}T10:30Z`]);
  const before = await everything(anna);
  const old = await pairUsageComputer(server, anna, 'Old');
  await old.reportUse(
    ['Mail', 'on', `${DAY}T11:00Z`, `${DAY}T11:30Z`, 'a title'],
    ['Mail', 's', `${DAY}T11:00Z`, `${DAY}T11:30Z`],
  );
  await anna.call(settimetrackergoal, { ...goal, deviceid: String(old.id) });
  goTo('2026-11-17T03:00:00Z');
  await nightly();
  await anna.call(revokedevice, { id: old.id });
  expect(await listComputers(anna)).toEqual(['Laptop paired 30', 'Old removed 30']);
  expect((await anna.call(usagedays, { from: DAY, until: DAY, tz, deviceid: String(old.id) })).days).toEqual({
    [DAY]: 1800,
  });
  await expect(bob.call(deletecomputerusage, { id: old.id })).rejects.toThrow('There is no such device');
  await anna.call(deletecomputerusage, { id: old.id });
  // The only other difference are two weeks that start a day later.
  expect({ ...(await everything(anna)), goals: [], first: before.first }).toEqual(before);
  expect((await everything(anna)).goals).toEqual([[0, [0]]]);
  expect(await listComputers(anna)).toEqual(['Laptop paired 30']);
  expect(await countProblems()).toEqual([]);

  // A paired computer stays paired, and its uploaded usage does not return with the next report.
  await anna.call(deletecomputerusage, { id: laptop.id });
  expect((await everything(anna)).days).toEqual({});
  goTo('2026-11-17T12:00:00Z');
  await laptop.reportUse(['Code', 'on', '2026-11-17T10:00Z', '2026-11-17T10:01Z']);
  expect((await everything(anna)).days).toEqual({ '2026-11-17': 60 });
  expect(await countProblems()).toEqual([]);
});

testOnBothDatabases('merging computers counts overlaps once, and moves goals and imports', async ({ databaseUrl }) => {
  const { server: opened, countProblems } = await start(databaseUrl);
  await using server = opened;
  const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
  const laptop = await pairUsageComputer(server, anna, 'Laptop');
  await laptop.reportUse(['Code', 'on', `${DAY}T10:00Z`, `${DAY}T10:30Z`]);
  const bobs = await pairUsageComputer(server, bob, 'Laptop');
  const { importid } = await anna.call(importactivitywatch, {
    hostname: 'desk',
    // Forty days, so that they are moved in several transactions.
    window: [
      ...Array.from({ length: 40 }, (_, day) =>
        event('Game', '23:50', 20, Temporal.PlainDate.from('2026-01-01').add({ days: day }).toString()),
      ),
      event('Code', '10:15', 30),
    ],
    away: [],
  });
  const desk = await findId(anna, 'desk');
  await anna.call(settimetrackergoal, { ...goal, deviceid: String(desk) });
  for (const [from, into, reason] of [
    [laptop.id, desk, 'Laptop is still paired'],
    [desk, desk, 'two different'],
    [desk, bobs.id, 'There is no such device'],
    [bobs.id, laptop.id, 'There is no such device'],
  ] as const)
    await expect(anna.call(mergecomputers, { from, into })).rejects.toThrow(reason);
  expect(await anna.call(mergecomputers, { from: desk, into: laptop.id })).toEqual({
    moved: 40 * 1200 + 900,
    overlapping: 900,
  });
  expect(await listComputers(anna)).toEqual([`Laptop paired ${40 * 20 + 45}`]);
  expect(await listStory(anna, DAY)).toEqual(['Code on 10:00:00 10:45:00']);
  expect(await countProblems()).toEqual([]);
  const { goals } = await anna.call(gettimetrackergoals, { tz });
  expect(goals.map(({ goal: { deviceid }, goalachievment }) => [deviceid, goalachievment.decdone])).toEqual([
    [laptop.id, 0.75],
  ]);
  // Later imports of the same computer go to the same target.
  await anna.call(importactivitywatch, { hostname: 'desk', window: [event('Mail', '12:00', 10)], away: [] });
  expect(await listComputers(anna)).toEqual([`Laptop paired ${40 * 20 + 55}`]);
  // Undoing removes what the import added, not what the laptop measured itself.
  await anna.call(undoimport, { id: importid ?? 0 });
  expect(await listStory(anna, DAY)).toEqual(['Code on 10:00:00 10:30:00', 'Mail on 12:00:00 12:10:00']);
  expect(await listComputers(anna)).toEqual(['Laptop paired 40']);
  expect(await countProblems()).toEqual([]);
});
