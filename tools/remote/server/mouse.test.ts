import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { COMMAND_EVENT } from '#platform/contract/command.ts';
import { deviceHello } from '#platform/contract/device.ts';
import type { ClientEvent, EventInputOf } from '#platform/contract/event.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { startTestPlatform, type TestPlatform } from '#testing/kits/server/serverContext.ts';
import { openSocket, type TestSocket } from '#testing/kits/server/socket.ts';
import {
  controllerGone,
  motion,
  motionInit,
  motionToDevice,
  pointer,
  pointerToDevice,
  presskeys,
} from '../contract.ts';
import { createPasswordFocus, createDelayDetector, createRemoteListeners } from './remoteEvents.ts';

let testPlatform: TestPlatform;
beforeEach(async () => {
  testPlatform = await startTestPlatform();
  testPlatform.realtime.addListeners(
    createRemoteListeners(
      { devices: testPlatform.devices, cluster: testPlatform.cluster, now: Temporal.Now.instant },
      createPasswordFocus(testPlatform),
    ),
  );
});

const able = { able: true };
const reset = { lmb: false, lift: false, scroll: false };
const createTilt = (alpha: unknown) => ({ orientation: { alpha, beta: 1, gamma: 0 }, reset });
const still = { stream: 1, x: 0, y: 0, wheelX: 0, wheelY: 0, turns: { left: 0, middle: 0, right: 0 } };

/** Sends values that a page would never send. */
const send = (socket: TestSocket, event: ClientEvent, data: unknown): Promise<unknown> =>
  socket.request(event, data as EventInputOf<typeof event>);

/** Sets up an account with a computer and a phone. */
async function startSetup() {
  const anna = await testPlatform.createAccount('anna');
  const { device, token } = await testPlatform.pairDevice(anna.id, 'Laptop');
  const pressed: unknown[] = [];
  const laptop = await openSocket(testPlatform, {
    token,
    takes: {
      [COMMAND_EVENT]: ({ data }: { readonly data: unknown }, acknowledge) => {
        pressed.push(data);
        acknowledge({ message: 'ok' });
      },
    },
  });
  await laptop.request(deviceHello, { version: '1', system: 'Test', abilities: { mouse: able, keyboard: able } });
  const phone = await openSocket(testPlatform, { token: anna.token });
  onTestFinished(async () => {
    await phone[Symbol.asyncDispose]();
    await laptop[Symbol.asyncDispose]();
    await testPlatform[Symbol.asyncDispose]();
  });
  return { anna, laptop, phone, pressed, target: String(device.id) };
}

test('angles that are NaN, infinite, huge, text or missing are refused, counted, and do no harm', async () => {
  const { phone, laptop } = await startSetup();
  const wrong = [Number.NaN, Infinity, -Infinity, 1e308, -361, '12', null, undefined, [], {}, true];
  for (const alpha of wrong)
    await expect(send(phone, motion, createTilt(alpha)), JSON.stringify(alpha)).rejects.toThrow(
      /^orientation\.alpha: /,
    );
  for (const [data, field] of [
    [{ ...createTilt(1), acceleration: { x: Infinity, y: 0, z: 0 } }, 'acceleration.x'],
    [{ ...createTilt(1), acceleration: { x: 1e300, y: 0, z: 0 } }, 'acceleration.x'],
    [{ ...createTilt(1), sensitivity: 1000 }, 'sensitivity'],
    [{ ...createTilt(1), recentered: -1 }, 'recentered'],
    [{ ...createTilt(1), reset: { lmb: 'yes', lift: false, scroll: false } }, 'reset.lmb'],
    ['text', 'data'],
  ] as const)
    await expect(send(phone, motion, data), field).rejects.toThrow(new RegExp(`^${field}: `));
  expect(testPlatform.realtime.getMetrics()).toMatchObject({ malformed: wrong.length + 6 });
  // Without `motioninit` the only connected computer is selected.
  await send(phone, motion, createTilt(12.3));
  expect(await laptop.nextEvent(motionToDevice)).toMatchObject(createTilt(12.3));
});

test('impossible sums and counts of a touchpad are refused and counted', async () => {
  const { phone, laptop } = await startSetup();
  for (const [data, field] of [
    [{ ...still, x: Number.NaN }, 'x'],
    [{ ...still, wheelY: 1e12 }, 'wheelY'],
    [{ ...still, stream: -1 }, 'stream'],
    [{ ...still, turns: { left: 1.5, middle: 0, right: 0 } }, 'turns.left'],
    [{ ...still, modifiers: ['a'] }, 'modifiers.0'],
    [{ ...still, modifiers: ['Ctrl', 'Ctrl', 'Ctrl', 'Ctrl', 'Ctrl'] }, 'modifiers'],
  ] as const)
    await expect(send(phone, pointer, data), field).rejects.toThrow(new RegExp(`^${field}: `));
  expect(testPlatform.realtime.getMetrics().malformed).toBe(6);
  await send(phone, pointer, { ...still, x: 12.5, modifiers: ['Ctrl'] });
  expect(await laptop.nextEvent(pointerToDevice)).toMatchObject({ ...still, x: 12.5, modifiers: ['Ctrl'] });
});

test('a thousand events per second are limited to what a socket may send, and do not delay other phones', async () => {
  const { anna, phone, laptop } = await startSetup();
  const other = await openSocket(testPlatform, { token: anna.token });
  for (let count = 0; count < 1000; count++) phone.raw.emit(motion.name, createTilt(100));
  // Accepted in the middle of the flood.
  await other.request(motion, { orientation: { alpha: 4, beta: 1, gamma: 0 }, reset });
  await expect.poll(() => testPlatform.realtime.getMetrics().overRate).toBe(800);
  await other.request(motion, { orientation: { alpha: 5, beta: 1, gamma: 0 }, reset });
  for (;;) {
    const { orientation } = await laptop.nextEvent(motionToDevice);
    if (orientation.alpha === 5) break;
  }
  // After the flood the bucket fills again.
  testPlatform.timers.advance(1000);
  await send(phone, motion, createTilt(7));
  await other[Symbol.asyncDispose]();
});

test('foreign and unknown targets are refused in the same way', async () => {
  const { target } = await startSetup();
  const ben = await testPlatform.createAccount('ben');
  const otherSocket = await openSocket(testPlatform, { token: ben.token });
  for (const foreign of [target, '4711', '-1', 'x']) {
    const refusal = new Refusal('device.not_found', 'There is no such device');
    await expect(otherSocket.request(motionInit, { target: foreign })).rejects.toThrow(refusal);
    await expect(send(otherSocket, motion, { ...createTilt(1), target: foreign })).rejects.toThrow(refusal);
    await expect(otherSocket.request(pointer, { ...still, target: foreign })).rejects.toThrow(refusal);
    await expect(otherSocket.request(presskeys, { keys: ['a'], target: foreign })).rejects.toThrow(refusal);
  }
  await otherSocket[Symbol.asyncDispose]();
});

test('keys are pressed immediately, and their names are checked', async () => {
  const { phone, pressed } = await startSetup();
  await phone.request(presskeys, { keys: ['ctrl', 'LEFT'] });
  expect(pressed).toEqual([{ keys: ['Ctrl', 'Left'] }]);
  await expect(phone.request(presskeys, { keys: ['Hyper'] })).rejects.toThrow("There is no key called 'Hyper'");
  await expect(send(phone, presskeys, { keys: [] })).rejects.toThrow(/^keys: /);
});

test('two phones are two controllers, and the computer is notified when one is gone', async () => {
  const { anna, phone, laptop } = await startSetup();
  const other = await openSocket(testPlatform, { token: anna.token });
  await phone.request(pointer, still);
  const { controller: first } = await laptop.nextEvent(pointerToDevice);
  await other.request(pointer, still);
  const { controller: second } = await laptop.nextEvent(pointerToDevice);
  expect(second).not.toBe(first);
  await other[Symbol.asyncDispose]();
  expect(await laptop.nextEvent(controllerGone)).toEqual({ controller: second });
});

test('delayed events are not relayed, unless the sender’s clock has moved', () => {
  let now = 1_000_000;
  const delays = createDelayDetector(() => now);
  const connection = { id: 'a', onClose: () => undefined };
  /** Sends an event by the sender's clock, this long ago. */
  const isLate = (ago: number, clock = -5000): boolean => delays.isLate(connection, now + clock - ago);
  expect([isLate(20), isLate(5), isLate(200), isLate(400)]).toEqual([false, false, false, true]);
  now += 100;
  expect(isLate(10)).toBe(false);
  // The phone slept, and its clock stopped.
  expect(isLate(10, -9000)).toBe(true);
  now += 1100;
  expect(isLate(10, -9000)).toBe(false);
  now += 100;
  expect([isLate(20, -9000), isLate(400, -9000)]).toEqual([false, true]);
});
