import { setImmediate as waitForEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { command, COMMAND_EVENT, type CommandEnvelope, NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { clock, commandProgress, deviceChanged, deviceHello, RECONNECT_TIMEOUT_MS } from '#platform/contract/device.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startTestPlatform, type TestPlatform } from '#testing/kits/server/serverContext.ts';
import { openSocket, type TestSocket } from '#testing/kits/server/socket.ts';

const echo = command({
  name: 'say',
  request: z.object({ text: z.string() }),
  answer: z.object({ text: z.string() }),
});
const moved = serverEvent({ name: 'moved', delivery: 'newest', data: z.object({ by: z.int() }) });
const description = { version: '1', system: 'Debian 12', abilities: { keyboard: { able: true } } };

type AnswerCommand = (envelope: CommandEnvelope, answer: (response: unknown) => void) => void;
const answerOk: AnswerCommand = ({ data }, answer) =>
  answer({ message: 'ok', text: (data as { readonly text: string }).text });

/** Connects an agent whose answers the test decides. */
async function connect(
  testPlatform: TestPlatform,
  token: string,
  answerCommand: AnswerCommand = answerOk,
): Promise<TestSocket> {
  const socket = await openSocket(testPlatform, { token, takes: { [COMMAND_EVENT]: answerCommand } });
  await socket.request(deviceHello, description);
  return socket;
}

async function startPlatformWithLaptop() {
  const testPlatform = await startTestPlatform();
  const ann = await testPlatform.createAccount('Ann');
  const { device, token } = await testPlatform.pairDevice(ann.id, 'Laptop');
  async function waitForState(state: string): Promise<void> {
    while (testPlatform.devices.getState(device.id) !== state) await waitForEventLoop();
  }
  return {
    testPlatform,
    ann,
    device,
    token,
    waitForState,
    [Symbol.asyncDispose]: () => testPlatform[Symbol.asyncDispose](),
  };
}

test('a device is Connected after its hello, Reconnecting for 15 s after its connection is lost, then Disconnected', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, ann, device, token, waitForState } = setup;
  await using page = await openSocket(testPlatform, { token: ann.token });
  const deviceFields = { id: device.id, name: 'Laptop' };
  const silent = await openSocket(testPlatform, { token });
  expect(testPlatform.devices.getState(device.id)).toBe('Disconnected');
  expect(await silent.request(deviceHello, description)).toEqual({ ...deviceFields, agentDigest: 'digest' });
  expect(testPlatform.devices.getState(device.id)).toBe('Connected');
  expect(await page.nextEvent(deviceChanged)).toEqual({ ...deviceFields, state: 'Connected' });

  silent.raw.disconnect();
  await waitForState('Reconnecting');
  expect(await page.nextEvent(deviceChanged)).toEqual({ ...deviceFields, state: 'Reconnecting' });
  testPlatform.timers.advance(RECONNECT_TIMEOUT_MS - 1);
  expect(testPlatform.devices.getState(device.id)).toBe('Reconnecting');

  await using reconnected = await connect(testPlatform, token);
  expect(await page.nextEvent(deviceChanged)).toEqual({ ...deviceFields, state: 'Connected' });
  testPlatform.timers.advance(RECONNECT_TIMEOUT_MS);
  expect(testPlatform.devices.getState(device.id)).toBe('Connected');

  reconnected.raw.disconnect();
  await waitForState('Reconnecting');
  testPlatform.timers.advance(RECONNECT_TIMEOUT_MS);
  expect(testPlatform.devices.getState(device.id)).toBe('Disconnected');
  expect(await page.nextEvent(deviceChanged)).toEqual({ ...deviceFields, state: 'Reconnecting' });
  expect(await page.nextEvent(deviceChanged)).toEqual({ ...deviceFields, state: 'Disconnected' });
  const [listed] = await testPlatform.devices.list(ann.id);
  expect(listed).toMatchObject({ version: '1', system: 'Debian 12', abilities: description.abilities });
  expect(listed?.lastSeen).toBeDefined();
});

test('the newer of two agents with one token wins, and the older is closed as replaced', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device, token } = setup;
  await using older = await connect(testPlatform, token, (_envelope, answer) =>
    answer({ message: 'ok', text: 'older' }),
  );
  await using newer = await connect(testPlatform, token, (_envelope, answer) =>
    answer({ message: 'ok', text: 'newer' }),
  );
  expect(await older.closed).toBe('replaced');
  expect(testPlatform.devices.getState(device.id)).toBe('Connected');
  expect(await testPlatform.devices.send(device, echo, { text: '' })).toEqual({ text: 'newer' });
  expect(newer.raw.connected).toBe(true);
});

test('a removed device disappears immediately, without Reconnecting', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, ann, device, token } = setup;
  await using agent = await connect(testPlatform, token);
  await testPlatform.devices.remove(ann.id, device.id);
  expect(testPlatform.devices.getState(device.id)).toBe('Disconnected');
  expect(await agent.closed).toBe('session ended');
  await expect(openSocket(testPlatform, { token })).rejects.toThrow(InvalidTokenRefusal);
  await expect(testPlatform.devices.getOwned(ann.id, String(device.id))).rejects.toThrow('There is no such device');
  expect(await testPlatform.devices.list(ann.id)).toEqual([]);
});

test('a device whose session ends while it is Reconnecting is Disconnected', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, ann, device, token, waitForState } = setup;
  const agent = await connect(testPlatform, token);
  agent.raw.disconnect();
  await waitForState('Reconnecting');
  await testPlatform.identity.endSessions(ann.id, { device: device.id });
  expect(testPlatform.devices.getState(device.id)).toBe('Disconnected');
});

test('a command returns the answer of the device, and its refusals unchanged', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device, token } = setup;
  const answers: unknown[] = [
    { message: 'ok', text: 'yes' },
    { message: 'Scripts are not allowed on this computer' },
    { message: 'too late' },
    { message: 'ok' },
    'nonsense',
  ];
  await connect(testPlatform, token, (_envelope, answer) => answer(answers.shift()));
  const sendTestCommand = () => testPlatform.devices.send(device, echo, { text: '' });
  expect(await sendTestCommand()).toEqual({ text: 'yes' });
  await expect(sendTestCommand()).rejects.toThrow('Scripts are not allowed on this computer');
  await expect(sendTestCommand()).rejects.toThrow(NO_ANSWER_MESSAGE);
  await expect(sendTestCommand()).rejects.toThrow('The device sent a response');
  await expect(sendTestCommand()).rejects.toThrow('The device sent a response');
});

test('a refusal names the device that is not connected', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device } = setup;
  await expect(testPlatform.devices.send(device, echo, { text: '' })).rejects.toThrow('Laptop is not connected');
});

test('a silent device times out after 5 s, and its late answer is ignored', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device, token } = setup;
  const received = Promise.withResolvers<(response: unknown) => void>();
  await connect(testPlatform, token, (_envelope, answer) => received.resolve(answer));
  const sent = testPlatform.devices.send(device, echo, { text: '' });
  const refused = expect(sent).rejects.toThrow(NO_ANSWER_MESSAGE);
  const answer = await received.promise;
  testPlatform.timers.advance(4999);
  testPlatform.timers.advance(1);
  await refused;
  answer({ message: 'ok', text: 'late' });
});

test('a device that reports progress gets more time, and gets the command again with the same id', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device, token } = setup;
  const requests = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let commandCount = 0;
  const agent = await connect(testPlatform, token, (envelope, answer) => {
    requests[commandCount]?.resolve(envelope.id);
    commandCount += 1;
    if (commandCount === 2) answerOk(envelope, answer);
  });
  const sent = testPlatform.devices.send(device, echo, { text: 'long' }, 'command-1');
  expect(await requests[0]?.promise).toBe('command-1');
  testPlatform.timers.advance(4000);
  await agent.request(commandProgress, { ids: ['command-1', 'another'] });
  testPlatform.timers.advance(4000);
  expect(await requests[1]?.promise).toBe('command-1');
  expect(await sent).toEqual({ text: 'long' });
});

test('an answer after the timeout goes to the listener for late answers', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device, token } = setup;
  const first = Promise.withResolvers<void>();
  let commandCount = 0;
  await connect(testPlatform, token, (envelope, answer) => {
    commandCount += 1;
    if (commandCount === 1) first.resolve();
    else answerOk(envelope, answer);
  });
  const late = Promise.withResolvers<{ readonly text: string }>();
  const sent = testPlatform.devices.send(
    device,
    echo,
    { text: 'late' },
    { id: 'command-1', onLateAnswer: late.resolve },
  );
  const refused = expect(sent).rejects.toThrow(NO_ANSWER_MESSAGE);
  await first.promise;
  testPlatform.timers.advance(5000);
  await refused;
  expect(await late.promise).toEqual({ text: 'late' });
});

test('a command whose connection breaks is resent on the next one, with the same id and time', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device, token } = setup;
  const first = Promise.withResolvers<CommandEnvelope>();
  const firstAgent = await connect(testPlatform, token, (envelope) => first.resolve(envelope));
  const sent = testPlatform.devices.send(device, echo, { text: 'hello' }, 'command-1');
  const before = await first.promise;
  firstAgent.raw.disconnect();
  const second = Promise.withResolvers<CommandEnvelope>();
  await connect(testPlatform, token, (envelope, answer) => {
    second.resolve(envelope);
    answerOk(envelope, answer);
  });
  expect(await sent).toEqual({ text: 'hello' });
  expect(await second.promise).toEqual(before);
  expect(before).toMatchObject({ id: 'command-1', name: 'say', data: { text: 'hello' } });
});

test('a command waits for a Reconnecting device, but for no more than 5 s in total', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device, token, waitForState } = setup;
  const agent = await connect(testPlatform, token);
  agent.raw.disconnect();
  await waitForState('Reconnecting');
  const pendingAnswer = testPlatform.devices.send(device, echo, { text: 'in time' });
  await using reconnected = await connect(testPlatform, token);
  expect(await pendingAnswer).toEqual({ text: 'in time' });
  reconnected.raw.disconnect();
  await waitForState('Reconnecting');
  const refused = expect(testPlatform.devices.send(device, echo, { text: '' })).rejects.toThrow(NO_ANSWER_MESSAGE);
  await waitForEventLoop();
  testPlatform.timers.advance(5000);
  await refused;
});

test('16 commands run concurrently, and the next ones follow in order', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device, token } = setup;
  const pendingAnswers: (() => void)[] = [];
  const order: string[] = [];
  await connect(testPlatform, token, (envelope, answer) => {
    order.push((envelope.data as { readonly text: string }).text);
    pendingAnswers.push(() => answerOk(envelope, answer));
  });
  const texts = Array.from({ length: 40 }, (_, index) => String(index));
  const answers = Promise.all(texts.map((text) => testPlatform.devices.send(device, echo, { text })));
  let maxRunningCount = 0;
  for (let answeredCount = 0; answeredCount < 40; answeredCount += 1) {
    while (pendingAnswers.length === 0) await waitForEventLoop();
    maxRunningCount = Math.max(maxRunningCount, order.length - answeredCount);
    pendingAnswers.shift()?.();
  }
  expect((await answers).map(({ text }) => text)).toEqual(texts);
  expect(order).toEqual(texts);
  expect(maxRunningCount).toBeLessThanOrEqual(16);
});

test('relayed events reach a connected device, and are dropped otherwise', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, device, token } = setup;
  testPlatform.devices.relay(device.id, moved, { by: 1 });
  await using agent = await openSocket(testPlatform, { token });
  testPlatform.devices.relay(device.id, moved, { by: 2 });
  await agent.request(deviceHello, description);
  testPlatform.devices.relay(device.id, moved, { by: 3 });
  expect(await agent.nextEvent(moved)).toEqual({ by: 3 });
});

test('devices may ask for the time of the server, pages may not', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, ann, token } = setup;
  await using agent = await connect(testPlatform, token);
  await using page = await openSocket(testPlatform, { token: ann.token });
  expect((await agent.request(clock, {})).now).toBeGreaterThan(1_700_000_000_000);
  await expect(page.request(clock, {})).rejects.toThrow(InvalidTokenRefusal);
});

test('the selected device is the target, or else the most recently used connected one', async () => {
  await using setup = await startPlatformWithLaptop();
  const { testPlatform, ann, device, token } = setup;
  const other = await testPlatform.pairDevice(ann.id, 'Media box');
  await expect(testPlatform.devices.getSelected(ann.id, undefined)).rejects.toThrow('no device selected');
  await connect(testPlatform, token);
  expect(await testPlatform.devices.getSelected(ann.id, 'no id')).toMatchObject({ name: 'Laptop' });
  await connect(testPlatform, other.token);
  expect(await testPlatform.devices.getSelected(ann.id, undefined)).toMatchObject({ name: 'Media box' });
  await testPlatform.devices.send(device, echo, { text: '' });
  expect(await testPlatform.devices.getSelected(ann.id, undefined)).toMatchObject({ name: 'Laptop' });
  expect(await testPlatform.devices.getSelected(ann.id, String(other.device.id))).toMatchObject({ name: 'Media box' });
});

testOnBothDatabases('a device of another account is refused like one that does not exist', async ({ databaseUrl }) => {
  await using testPlatform = await startTestPlatform({ databaseUrl });
  const ann = await testPlatform.createAccount('Ann');
  const ben = await testPlatform.createAccount('Ben');
  const { device } = await testPlatform.pairDevice(ann.id, 'Laptop');
  await testPlatform.devices.getOwned(ann.id, String(device.id));
  for (const target of [String(device.id), '999', '2147483648', '9999999999', '-1', '0', '1e0', ' 1', 'x'.repeat(20)]) {
    await expect(testPlatform.devices.getOwned(ben.id, target)).rejects.toThrow('There is no such device');
    await expect(testPlatform.devices.getSelected(ben.id, target)).rejects.toThrow('There is no such device');
  }
  for (const id of [device.id, 999, Number.MAX_SAFE_INTEGER]) {
    await expect(testPlatform.devices.rename(ben.id, id, 'Mine')).rejects.toThrow('There is no such device');
    await expect(testPlatform.devices.remove(ben.id, id)).rejects.toThrow('There is no such device');
  }
  expect(await testPlatform.devices.list(ann.id)).toMatchObject([{ name: 'Laptop' }]);
});

testOnBothDatabases('names of devices are unique, also if several are paired concurrently', async ({ databaseUrl }) => {
  await using testPlatform = await startTestPlatform({ databaseUrl });
  const ann = await testPlatform.createAccount('Ann');
  const ben = await testPlatform.createAccount('Ben');
  const paired = await Promise.all(['box', 'Box', 'BOX', 'box'].map((name) => testPlatform.pairDevice(ann.id, name)));
  const names = paired.map(({ device }) => device.name.toLowerCase()).toSorted();
  expect(names).toEqual(['box', 'box 2', 'box 3', 'box 4']);
  expect((await testPlatform.pairDevice(ben.id, 'box')).device.name).toBe('box');
  const [first] = await testPlatform.devices.list(ann.id);
  await expect(testPlatform.devices.rename(ann.id, first?.id ?? 0, 'bOx 3')).rejects.toThrow(
    'already have a device with that name',
  );
  await testPlatform.devices.rename(ann.id, first?.id ?? 0, 'Study');
  expect(await testPlatform.devices.getOwned(ann.id, String(first?.id))).toMatchObject({ name: 'Study' });
});
