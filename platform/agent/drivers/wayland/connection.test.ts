import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFakeCompositor } from '#testing/kits/desktop/fakeCompositor.ts';
import { openLibc } from '../native/libc.ts';
import { connectWayland } from './connection.ts';
import { encodeRequest, type Argument } from './wire.ts';

const DISPLAY_ID = 1;
const REGISTRY_ID = 2;

const encodeEvent = (objectId: number, opcode: number, kinds: string, args: readonly Argument[]): Buffer =>
  encodeRequest(objectId, opcode, { name: '', kinds }, args).data;
const countDescriptors = (): number => readdirSync('/proc/self/fd').length;

/** Connects to a compositor with two seats. Returns its socket, and the numbers of globals that were bound. */
async function connectToFake() {
  const bound: unknown[] = [];
  const fake = await startFakeCompositor({
    globals: [
      ['wl_seat', 7],
      ['wl_seat', 7],
    ],
    onRequest: (_name, request, [number]) => {
      if (request === 'bind') bound.push(number);
    },
  });
  const connection = await connectWayland(fake.path);
  onTestFinished(async () => {
    await connection[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });
  const [compositor] = fake.listConnections();
  if (!compositor) throw new Error('there is no connection');
  return { connection, compositor, bound };
}

describe('a connection to a compositor', () => {
  test('uses the first of several seats, and the next one after it was removed', async () => {
    const { connection, compositor, bound } = await connectToFake();
    connection.bind('wl_seat', 5);
    await connection.sync();
    expect(bound).toEqual([1]);
    compositor.write(encodeEvent(REGISTRY_ID, 1, 'u', [1]));
    await expect.poll(() => connection.bind('wl_seat', 5) && connection.sync().then(() => bound.at(-1))).toBe(2);
    expect(connection.getVersion('wl_seat')).toBe(7);
    expect(connection.bind('wl_shm', 1)).toBeUndefined();
  });

  test('ignores events of unknown objects, and unknown events', async () => {
    const { connection, compositor } = await connectToFake();
    compositor.write(Buffer.concat([encodeEvent(4711, 3, 'us', [5, 'text']), encodeEvent(DISPLAY_ID, 99, '', [])]));
    await connection.sync();
  });

  test.each([
    ['ends', (compositor: Socket) => compositor.destroy(), /closed the connection|sendmsg failed/],
    [
      'refuses a request',
      (compositor: Socket) => compositor.write(encodeEvent(DISPLAY_ID, 0, 'ous', [{ id: 9 }, 3, 'bad keymap'])),
      'the compositor refused a request (3 on object 0: bad keymap)',
    ],
    ['sends nonsense', (compositor: Socket) => compositor.write(Buffer.alloc(64)), 'an event has 0 bytes'],
    [
      'sends an event that is cut short',
      (compositor: Socket) => compositor.write(encodeEvent(DISPLAY_ID, 1, '', [])),
      'outside buffer bounds',
    ],
  ])('rejects pending requests if the compositor %s', async (_, act, reason) => {
    const { connection, compositor } = await connectToFake();
    const ended = new Promise<void>((done) => void connection.onClosed(done));
    // The compositor doesn't answer any more.
    compositor.removeAllListeners('data');
    const waiting = connection.sync();
    waiting.catch(() => undefined); // awaited below
    act(compositor);
    await ended;
    await expect(waiting).rejects.toThrow(reason);
    await expect(connection.sync()).rejects.toThrow(reason);
    expect(connection.onClosed(() => undefined)).toBeTypeOf('function');
  });

  test('closes the descriptors of requests, also of those that can no longer be sent', async () => {
    const { connection, compositor } = await connectToFake();
    const sendKeymap = (): void => {
      const keyboard = connection.create('zwp_virtual_keyboard_v1');
      for (let count = 0; count < 5; count++)
        keyboard.send('keymap', 1, openLibc().createMemoryFile(Buffer.from('keymap')), 6);
    };
    const before = countDescriptors();
    sendKeymap();
    await connection.sync();
    expect(countDescriptors()).toBe(before);
    compositor.destroy();
    sendKeymap();
    await expect(connection.sync()).rejects.toThrow();
    sendKeymap();
    // The two ends of the connection are closed as well.
    await expect.poll(countDescriptors).toBe(before - 2);
  });
});
