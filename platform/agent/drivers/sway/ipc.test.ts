import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectSway, type SwayIpc } from './ipc.ts';

/** Connects to a program that calls `answer` on each request. */
async function connectToFake(answer: (socket: Socket) => void): Promise<SwayIpc> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-ipc-'));
  const path = join(folder, 'sway.sock');
  const server = createServer((socket) => socket.on('data', () => answer(socket)));
  await new Promise<void>((done) => server.listen(path, done));
  const ipc = await connectSway(path);
  onTestFinished(() => {
    ipc[Symbol.dispose]();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return ipc;
}

function encode(type: number, payload: string): Buffer {
  const header = Buffer.alloc(14);
  header.write('i3-ipc');
  header.writeUInt32LE(Buffer.byteLength(payload), 6);
  header.writeUInt32LE(type, 10);
  return Buffer.concat([header, Buffer.from(payload)]);
}

test('an answer that arrives in parts is complete, and events in between are reported', async () => {
  const ipc = await connectToFake((socket) => {
    const data = Buffer.concat([encode(0x80000003, '{"change":"new"}'), encode(4, '{"name":"ü"}')]);
    for (const byte of data) socket.write(Buffer.from([byte]));
  });
  const events: unknown[] = [];
  ipc.onEvent((event, payload) => void events.push([event, payload]));
  expect(await ipc.request('get_tree')).toEqual({ name: 'ü' });
  expect(events).toEqual([['window', { change: 'new' }]]);
});

test.each([
  ['is cut off', (socket: Socket) => void socket.end(encode(4, '{"name":1}').subarray(0, 20))],
  ['is no JSON', (socket: Socket) => void socket.write(encode(4, '{"name":'))],
  ['is not from sway', (socket: Socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
])('a request fails if its answer %s, and those after it fail too', async (_, answer) => {
  const ipc = await connectToFake(answer);
  const ended = new Promise<void>((done) => ipc.onClosed(done));
  await expect(ipc.request('get_tree')).rejects.toThrow('the connection to sway ended');
  await ended;
  await expect(ipc.request('get_tree')).rejects.toThrow('the connection to sway ended');
});
