import { expect, test } from 'vitest';
import { deviceHello } from '#platform/contract/device.ts';
import { INVALID_TOKEN_MESSAGE } from '#platform/contract/refusal.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice, type TestDevice } from '#testing/kits/desktop/device.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { openSocket, type TestSocket } from '#testing/kits/server/socket.ts';
import { revokedevice } from '#tools/devices/contract.ts';
import { audioReport, audioset, mixerargs, setvolumefront } from '../contract.ts';

const createLevel = (level: number, muted = false) => ({ level, muted, colour: '#4f86f7' });
const film = { sessions: [{ name: 'Film', ...createLevel(40) }], outputs: [{ name: 'Master', ...createLevel(70) }] };
const fetchLevels = (account: TestAccount, target?: string) =>
  account.call(mixerargs, { type: 'client', ...(target !== undefined && { target }) });

/** Starts Anna’s laptop with a film, and waits until the server has its levels. */
async function startLaptop(
  server: { readonly origin: string },
  anna: TestAccount,
  name = 'Laptop',
): Promise<TestDevice> {
  const laptop = await startDevice(server, anna, { name });
  laptop.drivers.play(film);
  await waitFor('the server knows', async () => 'Film' in (await fetchLevels(anna, laptop.target)).data);
  return laptop;
}

/** Records both arguments of every `setvolumefront`, without the time. */
async function openPage(server: { readonly origin: string }, account: TestAccount) {
  const events: [unknown, { readonly target: string }][] = [];
  const socket = await openSocket(server, { token: account.token, takes: { [setvolumefront.name]: () => undefined } });
  socket.raw.off(setvolumefront.name).on(setvolumefront.name, (data, metadata, acknowledge) => {
    events.push([data, { ...metadata, sentAt: undefined }]);
    acknowledge();
  });
  return { ...socket, events };
}

test('the page receives the sessions of the computer; changes reach the computer and all pages', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startLaptop(server, anna);
  expect(await fetchLevels(anna)).toEqual({
    data: { Film: createLevel(40) },
    outputs: { Master: createLevel(70) },
    target: laptop.target,
  });
  await using first = await openPage(server, anna);
  await using second = await openPage(server, anna);
  const nothing = { sessions: [], outputs: [] };
  // One after another: changes during a report are part of the next one.
  async function expectBoth(count: number, event: readonly unknown[]): Promise<void> {
    for (const { events } of [first, second]) {
      await waitFor('the page receives the event', () => events.length >= count);
      expect(events.slice(count - 1)).toEqual([event]);
    }
  }
  await first.request(audioset, { audio: { Film: { level: 10, muted: true } }, target: laptop.target });
  await expectBoth(1, [{ Film: { level: 10, muted: true } }, { target: laptop.target, outputs: {}, gone: nothing }]);
  await first.request(audioset, { audio: {}, outputs: { Master: { level: 5, muted: false } } });
  const master = { Master: { level: 5, muted: false } };
  await expectBoth(2, [{}, { target: laptop.target, outputs: master, gone: nothing }]);
  laptop.drivers.play({ ...film, sessions: [{ name: 'Game', ...createLevel(1) }] });
  await waitFor('the pages know', () => second.events.length >= 3);
  expect(second.events[2]).toEqual([
    { Game: createLevel(1) },
    {
      target: laptop.target,
      outputs: { Master: { level: 70, muted: false } },
      gone: { sessions: ['Film'], outputs: [] },
    },
  ]);
});

test('the computer is selected by its target, or is the only one; without one the page gets a refusal', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  await expect(fetchLevels(anna)).rejects.toThrow('no device selected');
  const laptop = await startLaptop(server, anna);
  await using desktop = await startLaptop(server, anna, 'Desktop');
  for (const target of ['', 'no id']) expect((await fetchLevels(anna, target)).target).toBe(desktop.target);
  expect((await fetchLevels(anna, laptop.target)).target).toBe(laptop.target);
  for (const target of ['4711', 'x'])
    await expect(fetchLevels(anna, target)).rejects.toThrow('There is no such device');
  await expect(fetchLevels(ben, laptop.target)).rejects.toThrow('There is no such device');
  await laptop[Symbol.asyncDispose]();
  await waitFor('it is gone', async () => {
    const message = await fetchLevels(anna, laptop.target).catch((error: Error) => error.message);
    return message === 'Laptop is not connected';
  });
});

test('a computer without sound says why, and works again once it has sound', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using page = await openSocket(server, anna);
  const set = (target: string) => page.request(audioset, { audio: { Film: { level: 1, muted: false } }, target });
  await using mute = await startDevice(server, anna, { name: 'Mute', allow: { sound: false } });
  mute.drivers.play(film);
  await expect(fetchLevels(anna, mute.target)).rejects.toThrow('--no-sound');
  await expect(set(mute.target)).rejects.toThrow('--no-sound');

  await using laptop = await startLaptop(server, anna);
  laptop.drivers.behave({ gone: 'The agent lost the sound server of that computer' });
  laptop.agent.sendDescription();
  await waitFor('the reason is reported', async () => {
    const message = await fetchLevels(anna, laptop.target).catch((error: Error) => error.message);
    return message === 'The agent lost the sound server of that computer';
  });
  await expect(set(laptop.target)).rejects.toThrow('lost the sound server');
  laptop.drivers.behave('well');
  laptop.agent.sendDescription();
  await waitFor('the levels are available again', async () => fetchLevels(anna, laptop.target).catch(() => undefined));
  await set(laptop.target);
  await laptop.drivers.waitForActions((acts) => acts.some(({ kind }) => kind === 'level'));
  expect(mute.drivers.actions.some(({ kind }) => kind === 'level')).toBe(false);
});

test('an invalid level is refused, and an unknown name sets nothing', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startLaptop(server, anna);
  await using page = await openSocket(server, anna);
  async function emitRaw(data: object): Promise<string> {
    const { message } = (await page.raw.timeout(30_000).emitWithAck(audioset.name, data)) as {
      readonly message: string;
    };
    return message;
  }
  for (const level of [-1, 101, 1.5, '50', null, Number.NaN, Infinity])
    expect(await emitRaw({ audio: { Film: { level, muted: false } } }), String(level)).toMatch(/^audio\.Film\.level: /);
  expect(await emitRaw({ audio: { Film: { level: 5 } } })).toMatch(/^audio\.Film\.muted: /);
  expect(await emitRaw({})).toMatch(/^audio: /);
  const levels = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`n${at}`, { level: 1, muted: false }]));
  expect(await emitRaw({ audio: levels })).toMatch(/^audio: more than 200/);
  expect(
    await emitRaw(JSON.parse('{"audio":{"__proto__":{"level":1,"muted":false},"Nothing":{"level":1,"muted":true}}}')),
  ).toBe('ok');
  expect(await emitRaw({ audio: { Film: { level: 3, muted: false } } })).toBe('ok');
  await laptop.drivers.waitForActions((acts) => acts.some(({ kind }) => kind === 'level'));
  expect(laptop.drivers.actions).toEqual([{ kind: 'level', group: 'sessions', name: 'Film', level: 3, muted: false }]);
  await expect(anna.call(mixerargs, { type: 'agent' as 'client' })).rejects.toThrow(/^type: /);
  await using visitor = await openSocket(server);
  await expect(visitor.request(audioset, { audio: {} })).rejects.toThrow(INVALID_TOKEN_MESSAGE);
});

const report = (level: number, name = 'Film') => ({
  isWhole: false,
  sessions: { [name]: createLevel(level) },
  outputs: {},
  gone: { sessions: [], outputs: [] },
});
/** Connects a program that has a device’s token and sends invalid data. */
async function openRogueDevice(server: { readonly origin: string }, { token }: TestDevice): Promise<TestSocket> {
  const rogue = await openSocket(server, { token });
  await rogue.request(deviceHello, { version: '1', system: 'x', abilities: { sound: { able: true } } });
  return rogue;
}

test('a rogue device does no harm: too large reports are refused, and 200 sliders are the maximum', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startLaptop(server, anna);
  await using rogue = await openRogueDevice(server, laptop);
  const createLevels = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`name ${from + at}`, createLevel(1)]));
  const invalidReports: readonly object[] = [
    { ...report(1), sessions: createLevels(0, 41) },
    { ...report(1), sessions: { ['x'.repeat(201)]: createLevel(1) } },
    { ...report(101) },
    { ...report(1), sessions: { Film: { level: 1, muted: false, colour: 'x'.repeat(41) } } },
    { ...report(1), gone: { sessions: [5.5], outputs: [] } },
    { ...report(1), gone: { sessions: Array.from({ length: 41 }, String), outputs: [] } },
    { sessions: {} },
  ];
  for (const invalid of invalidReports)
    await expect(rogue.request(audioReport, invalid as never)).rejects.toThrow(/: /);
  for (let part = 0; part < 10; part += 1)
    await rogue.request(audioReport, { ...report(1), sessions: createLevels(part * 40, 40) });
  const { data } = await fetchLevels(anna, laptop.target);
  expect(Object.keys(data)).toHaveLength(200);
  await rogue.request(audioReport, { ...report(7), isWhole: true });
  expect((await fetchLevels(anna, laptop.target)).data).toEqual({ Film: createLevel(7) });
});

test('a device’s report reaches only its own account, and only if the device is connected', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  const laptop = await startLaptop(server, anna);
  await using bensLaptop = await startLaptop(server, ben);
  await using page = await openPage(server, ben);
  await using annasPage = await openPage(server, anna);
  // It sends no hello, so its disconnection would not be noticed.
  await using anonymousSocket = await openSocket(server, { token: laptop.token });
  await laptop[Symbol.asyncDispose]();
  await waitFor('it is gone', () =>
    fetchLevels(anna, laptop.target).then(
      () => false,
      () => true,
    ),
  );
  await anonymousSocket.request(audioReport, report(1));
  await using rogue = await openRogueDevice(server, laptop);
  await rogue.request(audioReport, report(9));
  await waitFor('its own account receives the event', () => annasPage.events.length > 0);
  expect(annasPage.events.map(([data]) => data)).toEqual([{ Film: { level: 9, muted: false } }]);
  bensLaptop.drivers.play({ sessions: [], outputs: [] });
  await waitFor('the other account receives its own event', () => page.events.length > 0);
  expect(page.events.map(([, { target }]) => target)).toEqual([bensLaptop.target]);
  await expect(page.request(audioset, { audio: {}, target: laptop.target })).rejects.toThrow('There is no such device');
  await expect(page.request(audioReport as never, report(1) as never)).rejects.toThrow(INVALID_TOKEN_MESSAGE);
});

test('nothing remains of a removed device', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startLaptop(server, anna);
  await using page = await openSocket(server, anna);
  await anna.call(revokedevice, { id: laptop.id });
  await expect(fetchLevels(anna, laptop.target)).rejects.toThrow('There is no such device');
  await expect(fetchLevels(anna)).rejects.toThrow('no device selected');
  const request = { audio: { Film: { level: 1, muted: false } }, target: laptop.target };
  await expect(page.request(audioset, request)).rejects.toThrow('There is no such device');
});

test('after a lost connection the computer reports everything again', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  const laptop = await startLaptop(server, anna);
  const { stateDir, token } = laptop;
  await using reconnected = await startDevice(server, anna, { again: { stateDir, token } });
  reconnected.drivers.play({ sessions: [{ name: 'Game', ...createLevel(3) }], outputs: [] });
  await waitFor('the server knows', async () => {
    const { data, outputs } = await fetchLevels(anna, reconnected.target);
    return 'Game' in data && !('Film' in data) && Object.keys(outputs).length === 0;
  });
  await laptop[Symbol.asyncDispose]();
});

test('pages are notified of the output that Master controls, and of its changes', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  await using laptop = await startLaptop(server, anna);
  await using page = await openPage(server, anna);
  const createMasterReport = (device: string) => ({
    sessions: [],
    outputs: [{ name: 'Master', ...createLevel(70), device }],
  });
  laptop.drivers.play(createMasterReport('Speakers'));
  await waitFor('the page knows', () => page.events.length >= 1);
  expect((await fetchLevels(anna)).outputs).toEqual({ Master: { ...createLevel(70), device: 'Speakers' } });
  expect(page.events.at(-1)?.[1]).toMatchObject({
    outputs: { Master: { level: 70, muted: false, device: 'Speakers' } },
  });
  laptop.drivers.play(createMasterReport('Headset'));
  await waitFor('the page knows', () => page.events.length >= 2);
  expect(page.events.at(-1)?.[1]).toMatchObject({
    outputs: { Master: { level: 70, muted: false, device: 'Headset' } },
  });
  // A changed level does not repeat it.
  laptop.drivers.play({ sessions: [], outputs: [{ name: 'Master', ...createLevel(71), device: 'Headset' }] });
  await waitFor('the page knows', () => page.events.length >= 3);
  expect(page.events.at(-1)?.[1]).toMatchObject({ outputs: { Master: { level: 71, muted: false } } });
});
