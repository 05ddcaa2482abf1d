import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openLibc } from '../native/libc.ts';
import { connectWayland, type WaylandConnection } from './connection.ts';
import { encodeRequest, splitEvents, type Argument } from './wire.ts';

const DISPLAY_ID = 1;
const REGISTRY_ID = 2;
/** Numbers and names of what the compositor offers: two seats, as some computers have. */
const GLOBALS = [
  [1, 'wl_seat'],
  [2, 'wl_seat'],
  [3, 'zwp_virtual_keyboard_manager_v1'],
] as const;

const encodeEvent = (objectId: number, opcode: number, kinds: string, args: readonly Argument[]): Buffer =>
  encodeRequest(objectId, opcode, { name: '', kinds }, args).data;
const countDescriptors = (): number => readdirSync('/proc/self/fd').length;

describe('a connection to a compositor', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pegboard-connection-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Connects to a compositor that answers `sync`. Returns its socket, and the numbers of globals that were bound. */
  async function connectToFake(): Promise<{
    readonly connection: WaylandConnection;
    readonly compositor: Socket;
    readonly bound: readonly number[];
  }> {
    const path = join(folder, crypto.randomUUID());
    const bound: number[] = [];
    const { promise: accepted, resolve } = Promise.withResolvers<Socket>();
    const server = createServer((socket) => {
      resolve(socket);
      let unparsed: Buffer = Buffer.alloc(0);
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        const { events: requests, rest } = splitEvents(Buffer.concat([unparsed, chunk]));
        unparsed = rest;
        for (const { objectId, opcode, body } of requests) {
          const argument = body.readUInt32LE(0);
          if (objectId === REGISTRY_ID) bound.push(argument);
          else if (objectId === DISPLAY_ID && opcode === 0)
            socket.write(
              Buffer.concat([encodeEvent(argument, 0, 'u', [0]), encodeEvent(DISPLAY_ID, 1, 'u', [argument])]),
            );
          else if (objectId === DISPLAY_ID)
            for (const [id, name] of GLOBALS) socket.write(encodeEvent(REGISTRY_ID, 0, 'usu', [id, name, 7]));
        }
      });
    });
    await new Promise<void>((done) => server.listen(path, done));
    const connection = await connectWayland(path);
    const compositor = await accepted;
    onTestFinished(async () => {
      await connection[Symbol.asyncDispose]();
      compositor.destroy();
      server.close();
    });
    return { connection, compositor, bound };
  }

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
  ])('rejects what waits for an answer if the compositor %s', async (_, act, reason) => {
    const { connection, compositor } = await connectToFake();
    const ended = new Promise<void>((done) => void connection.onClosed(done));
    // An answer that never comes.
    compositor.removeAllListeners('data');
    const waiting = connection.sync();
    waiting.catch(() => undefined); // awaited below
    act(compositor);
    await ended;
    await expect(waiting).rejects.toThrow(reason);
    await expect(connection.sync()).rejects.toThrow(reason);
    expect(connection.onClosed(() => undefined)).toBeTypeOf('function');
  });

  test('closes the descriptors of requests that are sent, or can no longer be sent', async () => {
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
