import { createServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { COMMAND_EVENT } from '#platform/contract/command.ts';
import { clock, deviceHello } from '#platform/contract/device.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { signup } from '#platform/contract/session.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice, type TestDevice } from '#testing/kits/desktop/device.ts';
import { startServer, TEST_PASSWORD, type TestAccount } from '#testing/kits/server/server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { checkdevices, devicedetails, revokedevice } from '#tools/devices/contract.ts';
import { setLevels } from '#tools/mixer/contract.ts';
import { keyboardinput } from '#tools/remote/contract.ts';
import { assembleServer } from '../../apps/server/assemble.ts';
import { startAgent } from './agent.ts';
import { AGENT_PAUSED_MESSAGE } from './commandQueue.ts';
import { createFakeDrivers } from './drivers/fakeDrivers.ts';
import { resolveAllowed } from './settings.ts';
import type { AgentContext } from './tool.ts';

const server = await startServer();
afterAll(() => server[Symbol.asyncDispose]());

let accountCount = 0;
const createAccount = (): Promise<TestAccount> => server.createAccount(`agent${(accountCount += 1)}`);
let sent = 1_800_000_000;
const send = (account: TestAccount, { target }: { readonly target: string }, text: string, inputtype: 1 | 2 = 1) =>
  account.call(keyboardinput, { content: { inputtype, inputValue: text, target, timesent: (sent += 1) } });
async function findState(account: TestAccount, { target }: TestDevice): Promise<string | undefined> {
  const { status } = await account.call(checkdevices, {});
  return status.find(([id]) => id === target)?.[2];
}

test('a text is answered once the computer has typed it', async () => {
  const account = await createAccount();
  await using device = await startDevice(server, account);
  await send(account, device, 'Grüße 👋');
  expect(device.drivers.listTypedTexts()).toEqual(['Grüße 👋']);
});

test('a shortcut is pressed', async () => {
  const account = await createAccount();
  await using device = await startDevice(server, account);
  await send(account, device, '[[keys]]Ctrl-Alt-T', 2);
  expect(device.drivers.actions).toContainEqual({ kind: 'press', keys: ['Ctrl', 'Alt', 't'] });
});

test('what the computer can’t do is refused in its own words', async () => {
  const account = await createAccount();
  await using device = await startDevice(server, account);
  device.drivers.behave({ gone: 'Nobody is signed in to that desktop' });
  await expect(send(account, device, 'a')).rejects.toThrow('Nobody is signed in to that desktop');
});

test('what its owner switched off is refused, and listed with the reason', async () => {
  const account = await createAccount();
  await using device = await startDevice(server, account, { allow: { keyboard: false, scripts: false } });
  await expect(send(account, device, 'a')).rejects.toThrow('--no-keyboard');
  const { devices } = await account.call(devicedetails, {});
  const description = devices.find(({ id }) => id === device.id);
  expect(description?.abilities.keyboard).toEqual({ able: false, reason: expect.stringContaining('--no-keyboard') });
  expect(description?.abilities.scripts).toEqual({ able: false, reason: expect.stringContaining('--allow-scripts') });
  expect(description?.abilities.mouse).toEqual({ able: true });
});

test('a paused agent types nothing, says so, and continues later', async () => {
  const account = await createAccount();
  await using device = await startDevice(server, account);
  device.setPaused(true);
  await expect(send(account, device, 'a')).rejects.toThrow(AGENT_PAUSED_MESSAGE);
  device.setPaused(false);
  await waitFor('the server knows', async () => {
    const { devices } = await account.call(devicedetails, {});
    return devices.find(({ id }) => id === device.id)?.abilities.keyboard?.able;
  });
  await send(account, device, 'b');
  expect(device.drivers.listTypedTexts()).toEqual(['b']);
});

test('a revoked device ends for good and releases everything', async () => {
  const account = await createAccount();
  await using device = await startDevice(server, account);
  await account.call(revokedevice, { id: device.id });
  expect(await device.ended).toBe('revoked');
  await device.drivers.waitForActions((actions) => actions.some(({ kind }) => kind === 'release'));
});

test('a second agent with the same token takes over, and the first one ends instead of reconnecting', async () => {
  const account = await createAccount();
  await using first = await startDevice(server, account);
  await using second = await startDevice(server, account, { again: first });
  expect(await first.ended).toBe('replaced');
  await send(account, second, 'a');
  expect(second.drivers.listTypedTexts()).toEqual(['a']);
  expect(first.drivers.listTypedTexts()).toEqual([]);
});

test('an agent that stops is disconnected immediately for the account', async () => {
  const account = await createAccount();
  const device = await startDevice(server, account);
  expect(await findState(account, device)).toBe('Connected');
  await device[Symbol.asyncDispose]();
  await waitFor('it is not connected any more', async () => (await findState(account, device)) !== 'Connected');
});

test('the agent reconnects after a restart of the server, without pairing again', async () => {
  const dataDir = await createTempFolder();
  const options = { dataDir, passwordHash: 'test', logLevel: 'silent', busyAfterMs: 0 } as const;
  const first = await assembleServer(options);
  const origin = await first.listen({ port: 0, host: '127.0.0.1' });
  const { token } = await createClient({ origin })(signup, { username: 'anna', password: TEST_PASSWORD });
  const call = createClient({ origin, token: () => token });
  const account = { name: 'anna', password: TEST_PASSWORD, token, call };
  await using device = await startDevice({ origin }, account);
  await first.stop();
  const second = await assembleServer(options);
  await second.listen({ port: Number(new URL(origin).port), host: '127.0.0.1' });
  await waitFor('it is connected again', async () => (await findState(account, device)) === 'Connected');
  await send(account, device, 'a');
  expect(device.drivers.listTypedTexts()).toEqual(['a']);
  await second.stop();
});

/** A server that only has the wire protocol, and can be made to misbehave. */
async function startWireServer(): Promise<{
  readonly origin: string;
  readonly io: Server;
  readonly next: () => Promise<Socket>;
}> {
  const http = createServer();
  const io = new Server(http, { path: SOCKET_PATH, transports: ['websocket'] });
  const pendingResolves: ((socket: Socket) => void)[] = [];
  const waitingSockets: Socket[] = [];
  io.on('connection', (socket) => {
    socket.on(clock.name, (_: unknown, answer: (response: object) => void) =>
      answer({ message: 'ok', now: Date.now() }),
    );
    socket.on(deviceHello.name, (_: unknown, answer: (response: object) => void) => {
      answer({ message: 'ok', id: 1, name: 'Laptop', agentDigest: '' });
      const resolve = pendingResolves.shift();
      if (resolve) resolve(socket);
      else waitingSockets.push(socket);
    });
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  onTestFinished(async () => {
    await io.close();
  });
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    io,
    next: () => {
      const socket = waitingSockets.shift();
      return socket ? Promise.resolve(socket) : new Promise((resolve) => pendingResolves.push(resolve));
    },
  };
}

async function connectTo(origin: string): Promise<TestDevice> {
  const stateDir = await createTempFolder();
  // Never queried: the wire has no accounts.
  const anonymous = { name: '', password: '', token: '', call: () => Promise.reject(new Error('no account')) };
  return startDevice({ origin }, anonymous, { drivers: createFakeDrivers(), again: { stateDir, token: 'pgd_test' } });
}

const createTypeCommand = (id: string, text: string, sentAt = Date.now()) => ({
  id,
  name: 'type',
  sentAt,
  data: { text },
});

test('a connection that the server closes is opened again', async () => {
  const wire = await startWireServer();
  await using device = await connectTo(wire.origin);
  const first = await wire.next();
  first.disconnect(true);
  const second = await wire.next();
  expect(await second.emitWithAck(COMMAND_EVENT, createTypeCommand('1', 'a'))).toEqual({ message: 'ok', dropped: [] });
  expect(device.drivers.listTypedTexts()).toEqual(['a']);
});

test('the same command over an old and a new connection runs once', async () => {
  const wire = await startWireServer();
  await using device = await connectTo(wire.origin);
  const first = await wire.next();
  first.emit(COMMAND_EVENT, createTypeCommand('1', 'a'));
  await device.drivers.waitForActions((actions) => actions.some(({ kind }) => kind === 'type'));
  first.disconnect(true);
  const second = await wire.next();
  expect(await second.emitWithAck(COMMAND_EVENT, createTypeCommand('1', 'a'))).toEqual({ message: 'ok', dropped: [] });
  expect(device.drivers.listTypedTexts()).toEqual(['a']);
});

test('a command that is older than the server waits is not run', async () => {
  const wire = await startWireServer();
  await using device = await connectTo(wire.origin);
  const socket = await wire.next();
  expect(await socket.emitWithAck(COMMAND_EVENT, createTypeCommand('1', 'a', Date.now() - 5000))).toEqual({
    message: 'too late',
    code: 'device.command_too_late',
  });
  expect(device.drivers.listTypedTexts()).toEqual([]);
});

test('everything is released when the connection is lost', async () => {
  const wire = await startWireServer();
  await using device = await connectTo(wire.origin);
  const socket = await wire.next();
  socket.emit('motion', {
    orientation: { alpha: 0, beta: 0, gamma: 0 },
    reset: { lmb: true, lift: false, scroll: false },
    controller: 1,
  });
  await device.drivers.waitForActions((actions) => actions.some((action) => action.kind === 'button' && action.down));
  socket.disconnect(true);
  await device.drivers.waitForActions((actions) => actions.some((action) => action.kind === 'button' && !action.down));
});

test('every event is acknowledged, also malformed ones, as newest-wins delivery needs it', async () => {
  const wire = await startWireServer();
  await using device = await connectTo(wire.origin);
  const socket = await wire.next();
  await socket.timeout(30_000).emitWithAck('motion', { orientation: 'up' });
  expect(device.drivers.actions).toEqual([]);
});

const createMotion = (lmb: boolean, sentAt: number) => ({
  orientation: { alpha: 0, beta: 0, gamma: 0 },
  reset: { lmb, lift: false, scroll: false },
  controller: 1,
  sentAt,
});

test('motion that is older than 250 ms moves nothing, and its button is not pressed', async () => {
  const wire = await startWireServer();
  await using device = await connectTo(wire.origin);
  const socket = await wire.next();
  // The first event makes the agent measure the clock.
  await socket.timeout(30_000).emitWithAck('motion', createMotion(false, Date.now()));
  const answer = await socket.timeout(30_000).emitWithAck(COMMAND_EVENT, createTypeCommand('1', 'a'));
  expect(answer).toMatchObject({ message: 'ok' });
  await socket.timeout(30_000).emitWithAck('motion', createMotion(true, Date.now() - 400));
  expect(device.drivers.actions).toEqual([{ kind: 'type', text: 'a' }]);
  await waitFor('motion of now presses it', async () => {
    await socket.timeout(30_000).emitWithAck('motion', createMotion(true, Date.now()));
    return device.drivers.actions.some((action) => action.kind === 'button' && action.which === 'left' && action.down);
  });
});

test('a late level is set nevertheless, because it is valid until the next one', async () => {
  const wire = await startWireServer();
  await using device = await connectTo(wire.origin);
  device.drivers.play({ sessions: [{ name: 'Film', level: 50, muted: false, colour: '#777777' }], outputs: [] });
  const socket = await wire.next();
  // The event before it makes the agent measure the clock.
  await socket.timeout(30_000).emitWithAck(COMMAND_EVENT, createTypeCommand('1', 'a'));
  const late = { sessions: { Film: { level: 10, muted: false } }, outputs: {}, sentAt: Date.now() - 4000 };
  await socket.timeout(30_000).emitWithAck(setLevels.name, late);
  const set = { kind: 'level', group: 'sessions', name: 'Film', level: 10, muted: false };
  await device.drivers.waitForActions((actions) => actions.some(({ kind }) => kind === 'level'));
  expect(device.drivers.actions).toContainEqual(set);
});

test('a tool reports to the server, gets its answer, and is notified of each new connection', async () => {
  const wire = await startWireServer();
  const stateDir = await createTempFolder();
  const contexts: AgentContext[] = [];
  const connected: string[] = [];
  await using agent = startAgent({
    origin: wire.origin,
    token: 'pgd_test',
    version: 'test',
    drivers: createFakeDrivers(),
    allowed: resolveAllowed({ origin: '', token: '', name: '' }, {}),
    tools: [
      {
        name: 'probe',
        start: (context) => {
          contexts.push(context);
          context.onConnect(() => void connected.push('new'));
          return {};
        },
      },
    ],
    stateDir,
    print: () => undefined,
  });
  const [context] = contexts;
  if (!context) throw new Error('the tool was not started');
  await expect(context.report(clock, {})).rejects.toThrow('The server cannot be reached');
  const first = await wire.next();
  await waitFor('it is connected', agent.isConnected);
  expect((await context.report(clock, {})).now).toBeGreaterThan(1_700_000_000_000);
  first.removeAllListeners(clock.name);
  first.on(clock.name, (_: unknown, answer: (response: object) => void) => answer({ message: 'too much at once' }));
  await expect(context.report(clock, {})).rejects.toThrow('too much at once');
  agent.sendDescription();
  expect(connected, 'introducing itself again is no new connection').toEqual(['new']);
  first.disconnect(true);
  await wire.next();
  await waitFor('it is notified', () => connected.length === 2);
});
