import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import { deviceHello } from '#platform/contract/device.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { INVALID_TOKEN_MESSAGE } from '#platform/contract/refusal.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { pairdevice, requestpairing, takepairing } from '#tools/devices/contract.ts';
import { motion, motionInit, motionToDevice } from '../contract.ts';

function open({ origin }: TestServer, token?: string) {
  const options = { path: SOCKET_PATH, transports: ['websocket'], forceNew: true };
  const socket = io(origin, token === undefined ? options : { ...options, auth: { token } });
  return {
    socket,
    request: (event: string, data: object): Promise<{ readonly message: string; readonly target?: string }> =>
      socket.timeout(30_000).emitWithAck(event, data),
    [Symbol.dispose]: () => void socket.disconnect(),
  };
}

interface ReceivedMotion {
  readonly sentAt: number;
  readonly controller: number;
}

/** Starts a computer that records the motion it receives, without the sending time and the controller. */
async function startComputer(server: TestServer, account: TestAccount, name: string, isMouseAble = true) {
  const { code, secret } = await account.call(requestpairing, { name, system: 'Test' });
  const { id } = await account.call(pairdevice, { code });
  const { token = '' } = await account.call(takepairing, { secret });
  const device = open(server, token);
  const moved: unknown[] = [];
  const controllers: number[] = [];
  const waiting = new Set<() => void>();
  device.socket.on(motionToDevice.name, (raw: ReceivedMotion, acknowledge: unknown) => {
    const { sentAt, controller, ...data } = raw;
    if (typeof acknowledge === 'function') acknowledge();
    expect(Math.abs(Date.now() - sentAt)).toBeLessThan(60_000);
    moved.push(data);
    controllers.push(controller);
    for (const checkCount of waiting) checkCount();
  });
  const mouse = isMouseAble ? { able: true } : { able: false, reason: 'No mouse on this computer' };
  await device.request(deviceHello.name, { version: '1', system: 'Test', abilities: { mouse } });
  return {
    ...device,
    target: String(id),
    moved,
    /** The controllers of the events. */
    controllers,
    /** Waits until that many events have arrived. */
    waitForCount: (count: number) =>
      new Promise<void>((resolve) => {
        function checkCount(): void {
          if (moved.length >= count) resolve();
        }
        waiting.add(checkCount);
        checkCount();
      }),
  };
}

const still = { lmb: false, lift: false, scroll: false };
const createTilt = (alpha: number) => ({ orientation: { alpha, beta: -12.3, gamma: 0 }, reset: still });

test('motion reaches the device as it was sent, without the token', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  using laptop = await startComputer(server, anna, 'Laptop');
  using phone = open(server);
  const { token } = anna;
  await expect.poll(() => phone.request(motionInit.name, { token })).toEqual({ message: 'ok', target: laptop.target });
  const acceleration = { x: 12, y: -3, z: 98 };
  expect(await phone.request(motion.name, { ...createTilt(1), token })).toEqual({ message: 'ok' });
  await laptop.waitForCount(1);
  expect(await phone.request(motion.name, { ...createTilt(2), acceleration, token, target: laptop.target })).toEqual({
    message: 'ok',
  });
  await laptop.waitForCount(2);
  expect(laptop.moved).toEqual([createTilt(1), { ...createTilt(2), acceleration }]);
});

test('motion goes to the device named at the start, or in the motion itself', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  using laptop = await startComputer(server, anna, 'Laptop');
  using desktop = await startComputer(server, anna, 'Desktop');
  using phone = open(server, anna.token);
  expect(await phone.request(motionInit.name, { target: laptop.target })).toMatchObject({ target: laptop.target });
  await phone.request(motion.name, createTilt(1));
  await phone.request(motion.name, { ...createTilt(2), target: desktop.target });
  await laptop.waitForCount(1);
  await desktop.waitForCount(1);
  expect([laptop.moved, desktop.moved]).toEqual([[createTilt(1)], [createTilt(2)]]);
});

test('a foreign, unknown or missing device is refused, and gets no motion', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  using laptop = await startComputer(server, anna, 'Laptop');
  using phone = open(server, ben.token);
  for (const target of [laptop.target, '4711', 'x']) {
    expect(await phone.request(motionInit.name, { target })).toEqual({
      message: 'There is no such device',
      code: 'device.not_found',
    });
    expect(await phone.request(motion.name, { ...createTilt(1), target })).toEqual({
      message: 'There is no such device',
      code: 'device.not_found',
    });
  }
  for (const extra of [{}, { target: 'no id' }, { target: '' }])
    expect(await phone.request(motionInit.name, extra)).toEqual({
      message: 'no device selected',
      code: 'message.no_device',
    });
  expect(await phone.request(motion.name, createTilt(1))).toEqual({
    message: 'no device selected',
    code: 'message.no_device',
  });
  using annasPhone = open(server, anna.token);
  await annasPhone.request(motion.name, createTilt(2));
  await laptop.waitForCount(1);
  expect(laptop.moved).toEqual([createTilt(2)]);
});

test('a socket that changes its account loses the device of the first one', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  using laptop = await startComputer(server, anna, 'Laptop');
  using phone = open(server);
  await phone.request(motionInit.name, { token: anna.token });
  const bensToken = { token: ben.token };
  expect(await phone.request(motion.name, { ...createTilt(1), ...bensToken })).toEqual({
    message: 'no device selected',
    code: 'message.no_device',
  });
  expect(await phone.request(motion.name, { ...createTilt(1), ...bensToken, target: laptop.target })).toEqual({
    message: 'There is no such device',
    code: 'device.not_found',
  });
  expect(laptop.moved).toEqual([]);
});

test('motion without a token, of another form, or to a computer without a mouse is refused', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  using bare = await startComputer(server, anna, 'Bare', false);
  using otherController = open(server);
  expect(await otherController.request(motionInit.name, {})).toEqual({
    message: INVALID_TOKEN_MESSAGE,
    code: 'auth.invalid_token',
  });
  expect(await otherController.request(motion.name, createTilt(1))).toEqual({
    message: INVALID_TOKEN_MESSAGE,
    code: 'auth.invalid_token',
  });
  using phone = open(server, anna.token);
  expect(await phone.request(motionInit.name, {})).toEqual({
    message: 'No mouse on this computer',
    code: 'device.feature_off',
  });
  for (const [wrong, field] of [
    [{ reset: still }, 'orientation'],
    [{ ...createTilt(361) }, 'orientation.alpha'],
    [{ ...createTilt(1), reset: {} }, 'reset.lmb'],
  ] as const)
    expect((await phone.request(motion.name, wrong)).message).toMatch(new RegExp(`^${field}: `));
  expect(bare.moved).toEqual([]);
});
