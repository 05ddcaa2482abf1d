import { expect } from 'vitest';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { createClient } from '#platform/contract/client.ts';
import { COMMAND_EVENT, type CommandEnvelope } from '#platform/contract/command.ts';
import { deviceHello } from '#platform/contract/device.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { pairUsageComputer, type UsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { revokedevice } from '#tools/devices/contract.ts';
import {
  deletetimetrackergoal,
  gettimetrackergoals,
  goalsChanged,
  limitNotice,
  modifyapplicationcatinfo,
  reportusage,
  restoretimetrackergoal,
  returnapplications,
  settimetrackergoal,
} from '../../contract.ts';

/** Saturday, 15:00 in Berlin. */
const now = () => Temporal.Instant.from('2026-11-21T14:00:00Z');
const tz = 'Europe/Berlin';

type Fields = RequestInputOf<typeof settimetrackergoal>;
const newFields: Fields = {
  goalid: '0',
  target: 'total',
  type: 'app',
  goalseconds: '36000',
  deviceid: '-1',
  daysaffected: '7',
  begindate: '',
  daysaffectedtype: '1',
  goaltype: '0',
};
const save = async (account: TestAccount, more: Partial<Fields> = {}) =>
  (await account.call(settimetrackergoal, { ...newFields, tz, ...more })).newgoal;
const goals = async (account: TestAccount, more: object = {}) =>
  (await account.call(gettimetrackergoals, { tz, ...more })).goals;
const listDone = async (account: TestAccount, more: object = {}) =>
  (await goals(account, more)).map(({ goalachievment }) => goalachievment.actualdone);

/** A week of Anna's usage, on Thursday and today. */
async function startAnna(server: { readonly origin: string }, anna: TestAccount) {
  await anna.call(returnapplications, { tz });
  const laptop = await pairUsageComputer(server, anna, 'Laptop');
  const desktop = await pairUsageComputer(server, anna, 'Desktop');
  await laptop.reportUse(
    // Across midnight in Berlin.
    ['code', 'on', '2026-11-18T22:00Z', '2026-11-19T01:00Z'],
    ['web', 'on', '2026-11-21T08:00Z', '2026-11-21T09:00Z'],
    ['code', 'on', '2026-11-21T09:00Z', '2026-11-21T09:30Z'],
    ['web', 'off', '2026-11-21T09:00Z', '2026-11-21T14:00Z'],
    ['web', 'on', '2026-11-21T09:30Z', '2026-11-21T09:45Z'],
  );
  await desktop.reportUse(['code', 'on', '2026-11-21T08:00Z', '2026-11-21T10:00Z']);
  return { laptop, desktop };
}

testOnBothDatabases(
  'a goal shows its progress, in the requested zone and for the requested computer',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    const { desktop } = await startAnna(server, anna);
    await using page = await openSocket(server, { token: anna.token });
    const total = await save(anna);
    expect(total).toEqual({
      goalid: expect.any(Number),
      goal: {
        target: 'total',
        typeoftarget: 'app',
        daysaffected: 7,
        goalseconds: 36_000,
        deviceid: -1,
        begindate: '',
        goaltype: 0,
        daysaffectedtype: 1,
        limit: false,
      },
      goalachievment: {
        header: 'total: 10 hours',
        maindesc: ['Time spent in all applications', 'last 7 days', 'All devices'],
        failed: 'var(--accent, #5b4bd4)',
        actualdone: '6h 45m of 10h',
        decdone: 0.675,
      },
      history: [],
    });
    await page.nextEvent(goalsChanged);
    await save(anna, { target: 'code', daysaffected: '3', deviceid: String(desktop.id) });
    await save(anna, { target: 'code', daysaffected: '1', goaltype: '1', goalseconds: '4' });
    await anna.call(modifyapplicationcatinfo, { keys: {}, cats: { work: ['code', 'web'] } });
    await save(anna, { target: 'work', type: 'cat', daysaffected: '1', goalseconds: '7200', limit: '1' });
    const all = await goals(anna);
    expect(all.map(({ goalachievment: { header, actualdone } }) => [header, actualdone])).toEqual([
      ['total: 10 hours', '6h 45m of 10h'],
      ['code: 10 hours', '2h 00m of 10h'],
      ['code: 4 times', '2 of 4 times'],
      ['work: 2 hours or less', '3h 45m, over by 1h 45m'],
    ]);
    expect(all[1]?.goalachievment.maindesc).toEqual(['Time spent in code', 'last 3 days', 'Desktop']);
    // Of Thursday's 17 to 19 h, only a part is on Thursday in Berlin; in Auckland, today started yesterday.
    await save(anna, { target: 'code', daysaffected: '3' });
    expect((await listDone(anna)).at(-1)).toBe('4h 30m of 10h');
    expect((await listDone(anna, { tz: 'UTC' })).at(-1)).toBe('3h 30m of 10h');
    await anna.call(gettimetrackergoals, { tz });
    expect((await listDone(anna, { tz: undefined, tzoffset: '-1.5' })).at(-1)).toBe('2h 30m of 10h');
    await anna.call(gettimetrackergoals, { tz });
    // With a computer selected, goals for all computers count only that one.
    const narrow = await goals(anna, { deviceid: String(desktop.id) });
    expect(narrow.map(({ goalachievment: { actualdone } }) => actualdone)).toEqual([
      '2h 00m of 10h',
      '2h 00m of 10h',
      '1 of 4 times',
      '2h 00m of 2h',
      '2h 00m of 10h',
    ]);
    expect(narrow[0]?.goalachievment.maindesc[2]).toBe('All devices (only Desktop)');
  },
);

testOnBothDatabases(
  'goals are changed and deleted by their own account, and refusals are sentences',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
    const { laptop } = await startAnna(server, anna);
    const { goalid } = await save(anna);
    const id = String(goalid);
    const saved = await save(anna, { goalid: id, target: 'code', daysaffected: '1', deviceid: String(laptop.id) });
    expect(await goals(anna)).toEqual([saved]);
    expect(saved).toMatchObject({ goalid, goal: { target: 'code', deviceid: laptop.id } });
    for (const [invalidGoal, sentence] of [
      [{ goalid: '4711' }, 'There is no such goal'],
      [{ goalid: 'x' }, 'There is no such goal'],
      [{ goalid: '99999999999' }, 'There is no such goal'],
      [{ target: 'nano' }, 'There is no application “nano”'],
      [{ target: 'total (app)' }, 'There is no application'],
      [{ target: '' }, 'There is no application'],
      [{ target: 'a\0\ud800' }, 'There is no application'],
      [{ target: 'a\0', type: 'cat' }, 'There is no category'],
      [{ target: 'play', type: 'cat' }, 'There is no category “play”'],
      [{ deviceid: '4711' }, 'There is no such device'],
      [{ goalseconds: '901' }, 'goalseconds: must be 15'],
      [{ daysaffectedtype: '0' }, 'not implemented (or ever)'],
    ] as const)
      await expect(save(anna, invalidGoal), sentence).rejects.toThrow(sentence);
    await expect(goals(anna, { deviceid: '4711' })).rejects.toThrow('There is no such device');
    await expect(save(ben, { goalid: id })).rejects.toThrow('There is no such goal');
    await expect(save(ben, { deviceid: String(laptop.id) })).rejects.toThrow('There is no such device');
    for (const goal of [id, '0', '4711'])
      for (const act of [deletetimetrackergoal, restoretimetrackergoal])
        await expect(ben.call(act, { goalid: goal })).rejects.toThrow('There is no such goal');
    expect(await goals(anna)).toEqual([saved]);
    // Two tabs send at the same time: each change is based on the current state, and one is last.
    await Promise.all(['1', '2', '3', '4'].map(async (daysaffected) => save(anna, { goalid: id, daysaffected })));
    expect(['1', '2', '3', '4']).toContain(String((await goals(anna))[0]?.goal.daysaffected));
    const [last] = await goals(anna);
    await anna.call(deletetimetrackergoal, { goalid: id });
    expect(await goals(anna)).toEqual([]);
    await expect(save(anna, { goalid: id })).rejects.toThrow('There is no such goal');
    await expect(ben.call(restoretimetrackergoal, { goalid: id })).rejects.toThrow('There is no such goal');
    await anna.call(restoretimetrackergoal, { goalid: id });
    expect(await goals(anna)).toEqual([last]);
  },
);

testOnBothDatabases('a goal survives its category and its computer, and says so', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const { desktop } = await startAnna(server, anna);
  await anna.call(modifyapplicationcatinfo, { keys: {}, cats: { work: ['code'] } });
  const { goalid } = await save(anna, { target: 'work', type: 'cat', deviceid: String(desktop.id), daysaffected: '1' });
  await anna.call(modifyapplicationcatinfo, { keys: {}, cats: {} });
  await anna.call(revokedevice, { id: desktop.id });
  const [goal] = await goals(anna);
  expect(goal?.goalachievment).toMatchObject({
    maindesc: ['Time spent in work (deleted category)', 'Today', 'Desktop (removed computer)'],
    actualdone: '0m of 10h',
  });
  // Other fields can be changed, and it counts again once a category has that name.
  const again = { goalid: String(goalid), target: 'work', type: 'cat', deviceid: String(desktop.id) };
  expect((await save(anna, { ...again, daysaffected: '2' })).goal.daysaffected).toBe(2);
  await anna.call(modifyapplicationcatinfo, { keys: {}, cats: { work: ['code'] } });
  expect(await listDone(anna)).toEqual(['2h 00m of 10h']);
});

/** Connects a computer that shows notifications or refuses them. */
async function connect(server: { readonly origin: string }, { token }: UsageComputer, shows = () => true) {
  const shown: string[] = [];
  const socket = await openSocket(server, {
    token,
    takes: {
      [COMMAND_EVENT]: ({ name, data }: CommandEnvelope, acknowledge) => {
        if (name !== limitNotice.name) return;
        if (shows()) shown.push(limitNotice.request.parse(data).title);
        acknowledge({ message: shows() ? 'ok' : 'There is no desktop' });
      },
    },
  });
  await socket.request(deviceHello, { version: '1', system: 'x', abilities: { notifications: { able: true } } });
  return { ...socket, shown };
}

testOnBothDatabases('a limit is notified at 80 and 100 percent, once each, also after a restart', async (storage) => {
  const { databaseUrl, dataDir } = storage;
  let time = now();
  const options = { databaseUrl, dataDir, now: () => time };
  const started: { laptop: UsageComputer } = await (async () => {
    await using server = await startServer(options);
    const anna = await server.createAccount('anna');
    await anna.call(returnapplications, { tz });
    const laptop = await pairUsageComputer(server, anna, 'Laptop');
    const desktop = await pairUsageComputer(server, anna, 'Desktop');
    await using screen = await connect(server, laptop);
    await using other = await connect(server, desktop);
    await laptop.reportUse(['game', 'on', '2026-11-21T09:00Z', '2026-11-21T09:40Z']);
    await save(anna, {
      target: 'game',
      goalseconds: '3600',
      daysaffected: '1',
      limit: '1',
      deviceid: String(laptop.id),
    });
    await laptop.reportUse(['game', 'on', '2026-11-21T09:40Z', '2026-11-21T09:50Z']);
    await waitFor('a notification is shown', () => screen.shown.length > 0);
    expect(screen.shown).toEqual(['10m left until the limit']);
    await laptop.reportUse(['game', 'on', '2026-11-21T09:50Z', '2026-11-21T09:55Z']);
    // Usage of the other computer does not count; and a goal is not a limit.
    await desktop.reportUse(['game', 'on', '2026-11-21T09:00Z', '2026-11-21T12:00Z']);
    expect([screen.shown.length, other.shown.length]).toEqual([1, 0]);
    return { laptop };
  })();

  await using server = await startServer(options);
  let isAble = false;
  await using screen = await connect(server, started.laptop, () => isAble);
  let seq = 0;
  async function report(from: string, until: string): Promise<void> {
    seq += 1;
    const [begins, ends] = [from, until].map((text) => Temporal.Instant.from(text).epochMilliseconds);
    const segments = [{ app: 'game', status: 'on' as const, from: begins ?? 0, until: ends ?? 0 }];
    await createClient({ origin: server.origin, token: () => started.laptop.token })(reportusage, {
      boot: 'after-the-restart',
      seq,
      segments,
    });
  }
  await report('2026-11-21T09:55Z', '2026-11-21T09:57Z');
  isAble = true;
  await report('2026-11-21T09:57Z', '2026-11-21T10:02Z');
  await waitFor('a notification is shown', () => screen.shown.length > 0);
  await report('2026-11-21T10:02Z', '2026-11-21T10:30Z');
  time = time.add({ hours: 24 });
  await report('2026-11-22T09:00Z', '2026-11-22T10:10Z');
  await waitFor('a notification is shown the next day', () => screen.shown.length > 1);
  expect(screen.shown).toEqual(['Limit exceeded', 'Limit exceeded']);
});
