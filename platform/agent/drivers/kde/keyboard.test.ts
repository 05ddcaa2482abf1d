// KWin 6.7 is in no Debian release yet, so a server that records requests takes its place here.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHeldInputs } from '../heldInputs.ts';
import { connectWayland } from '../wayland/connection.ts';
import { MODIFIER_CODES } from '../wayland/keyCodes.ts';
import { parseKeymap } from '../wayland/keymap.ts';
import { interfaces, parseMessage } from '../wayland/protocol.ts';
import { decodeArguments, splitEvents } from '../wayland/wire.ts';
import { openFakeInput } from './fakeInput.ts';
import { createKdeKeyboard } from './keyboard.ts';
import { openKeyStates } from './keyStates.ts';

const FAKE_INPUT = 'org_kde_kwin_fake_input';
const GLOBAL_NUMBER = 1;
/** Modifiers that somebody may hold; this server doesn't report any. */
const RELEASES = MODIFIER_CODES.map((code) => ['keyboard_key', code, 0] as const);

/** Encodes an event whose arguments are numbers and texts. */
function encodeEvent(objectId: number, opcode: number, args: readonly (number | string)[]): Buffer {
  const parts = args.map((argument) => {
    if (typeof argument === 'number') {
      const word = Buffer.alloc(4);
      word.writeUInt32LE(argument);
      return word;
    }
    const bytes = Buffer.from(`${argument}\0`);
    const text = Buffer.alloc(4 + Math.ceil(bytes.length / 4) * 4);
    text.writeUInt32LE(bytes.length);
    bytes.copy(text, 4);
    return text;
  });
  const header = Buffer.alloc(8);
  const body = Buffer.concat(parts);
  header.writeUInt32LE(objectId, 0);
  header.writeUInt32LE(((8 + body.length) << 16) | opcode, 4);
  return Buffer.concat([header, body]);
}

/** Starts a server that offers KWin's interface for input, and records its requests. */
async function startRecorder(version: number) {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-kde-'));
  const path = join(folder, 'wayland');
  const requests: (readonly [string, ...unknown[]])[] = [];
  const readers = { takeDescriptor: () => -1, findObject: () => undefined, addObject: (id: number) => id };
  let inputId = -1;
  function handleConnection(socket: Socket): void {
    let data: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      const { events: frames, rest } = splitEvents(Buffer.concat([data, chunk]));
      data = rest;
      for (const { objectId, opcode, body } of frames) {
        const isDisplay = objectId === 1;
        const [first = 0] = isDisplay ? [body.readUInt32LE(0)] : [];
        // wl_display: sync, which is answered by wl_callback.done, and get_registry.
        if (isDisplay && opcode === 0) socket.write(encodeEvent(first, 0, [0]));
        else if (isDisplay) socket.write(encodeEvent(first, 0, [GLOBAL_NUMBER, FAKE_INPUT, version]));
        else if (objectId === inputId) {
          const { name, kinds } = parseMessage(interfaces[FAKE_INPUT].requests[opcode] ?? '');
          requests.push([name, ...decodeArguments(body, { name, kinds }, readers)]);
        } else inputId = body.readUInt32LE(body.length - 4); // wl_registry.bind
      }
    });
  }
  const server = createServer(handleConnection);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const connection = await connectWayland(path);
  onTestFinished(async () => {
    await connection[Symbol.asyncDispose]();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const input = openFakeInput(connection);
  if (!input) throw new Error('the server offers no input');
  const heldInputs = createHeldInputs({
    display: path,
    path: join(folder, 'held.json'),
    sendToGuardian: () => undefined,
    release: () => undefined,
  });
  const keyboard = createKdeKeyboard({
    connection,
    input,
    getKeymap: () => parseKeymap(''),
    keyStates: openKeyStates(connection),
    layoutSwitch: { getCurrent: async () => undefined, select: async () => undefined },
    heldInputs,
    getFocusedWindow: () => ({ id: 1, isX11: undefined }),
  });
  return { requests, keyboard };
}

test('version 6 types every character by its keysym, pressed and released in order', async () => {
  const { requests, keyboard } = await startRecorder(6);
  expect(await keyboard.type('aÄ\n\tя👋\u0007')).toEqual({ dropped: ['\u0007'] });
  const keysyms = [0x61, 0xc4, 0xff0d, 0xff09, 0x1000000 + 0x44f, 0x1000000 + 0x1f44b];
  expect(requests).toEqual([
    ['authenticate', 'Pegboard', 'Types and clicks for your own Pegboard'],
    ...RELEASES,
    ...keysyms.flatMap((keysym) => [
      ['keyboard_keysym', keysym, 1],
      ['keyboard_keysym', keysym, 0],
    ]),
  ]);
});

test('version 6 presses shortcuts with the keys of the layout', async () => {
  const { requests, keyboard } = await startRecorder(6);
  await keyboard.press(['Ctrl', 'Shift', 'F4']);
  expect(requests.slice(1)).toEqual([
    ['keyboard_key', 29, 1],
    ['keyboard_key', 42, 1],
    ['keyboard_key', 62, 1],
    ['keyboard_key', 62, 0],
    ['keyboard_key', 42, 0],
    ['keyboard_key', 29, 0],
  ]);
});

test('version 5 types no keysyms: what the layout lacks is named', async () => {
  const { requests, keyboard } = await startRecorder(5);
  expect(await keyboard.type('\n👋')).toEqual({ dropped: ['👋'] });
  expect(requests.slice(1)).toEqual([...RELEASES, ['keyboard_key', 28, 1], ['keyboard_key', 28, 0]]);
});
