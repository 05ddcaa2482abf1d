// sway's own interface, which i3 has as well: requests and events as JSON over a socket.
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

const MAGIC = 'i3-ipc';
const HEADER_BYTES = MAGIC.length + 8;
const EVENT_BIT = 0x80000000;
/** A compositor that answers nothing for this long hangs. */
const ANSWER_TIMEOUT_MS = 5000;

const MESSAGE_TYPES = {
  run_command: 0,
  subscribe: 2,
  get_tree: 4,
  get_version: 7,
  get_config: 9,
  get_binding_state: 12,
} as const;
export type SwayRequest = keyof typeof MESSAGE_TYPES;
const EVENT_NAMES: Readonly<Record<number, SwayEvent>> = { 0: 'workspace', 2: 'mode', 3: 'window', 5: 'binding' };
export type SwayEvent = 'workspace' | 'mode' | 'window' | 'binding';

/** A connection to sway. */
export interface SwayIpc extends Disposable {
  /**
   * Sends a request. `onReply` is called before any event that sway sends after its reply.
   * @throws if sway refuses, ends or does not answer.
   */
  readonly request: (type: SwayRequest, payload?: string, onReply?: (reply: unknown) => void) => Promise<unknown>;
  readonly onEvent: (listener: (event: SwayEvent, payload: unknown) => void) => void;
  readonly onClosed: (listener: () => void) => void;
}

/**
 * Returns the path of sway's socket: `SWAYSOCK`, which services don't always have, or the only one of this user.
 * Undefined if sway does not run.
 */
export function findSwaySocket(env: NodeJS.ProcessEnv): string | undefined {
  if (env['SWAYSOCK']) return env['SWAYSOCK'];
  const folder = env['XDG_RUNTIME_DIR'] ?? '';
  try {
    const [name, ...others] = readdirSync(folder).filter((file) => /^sway-ipc\..*\.sock$/.test(file));
    return name !== undefined && others.length === 0 ? join(folder, name) : undefined;
  } catch {
    return undefined; // there is no such folder
  }
}

function encodeMessage(type: number, payload: string): Buffer {
  const body = Buffer.from(payload);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC);
  header.writeUInt32LE(body.length, MAGIC.length);
  header.writeUInt32LE(type, MAGIC.length + 4);
  return Buffer.concat([header, body]);
}

interface Message {
  readonly type: number;
  readonly payload: unknown;
}

/**
 * Returns the complete messages at the start of the data, and the incomplete rest.
 * @throws if they don't come from sway.
 */
function takeMessages(data: Buffer): { readonly messages: readonly Message[]; readonly rest: Buffer } {
  const messages: Message[] = [];
  let rest = data;
  while (rest.length >= HEADER_BYTES) {
    if (rest.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('the answer does not come from sway');
    const end = HEADER_BYTES + rest.readUInt32LE(MAGIC.length);
    if (rest.length < end) break;
    const payload: unknown = JSON.parse(rest.toString('utf8', HEADER_BYTES, end));
    messages.push({ type: rest.readUInt32LE(MAGIC.length + 4), payload });
    rest = rest.subarray(end);
  }
  return { messages, rest };
}

async function openSocket(path: string): Promise<Socket> {
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/**
 * Connects to sway.
 * @throws if nothing listens there.
 */
export async function connectSway(path: string): Promise<SwayIpc> {
  const socket = await openSocket(path);
  const listeners: ((event: SwayEvent, payload: unknown) => void)[] = [];
  /** Sway answers in the order of the requests. */
  const pending: { readonly resolve: (payload: unknown) => void; readonly reject: (error: Error) => void }[] = [];
  const fail = (): void => {
    for (const { reject } of pending.splice(0)) reject(new Error('the connection to sway ended'));
  };
  socket.on('error', () => undefined); // 'close' follows
  socket.on('close', fail);
  function handleMessage({ type, payload }: Message): void {
    if (type < EVENT_BIT) return pending.shift()?.resolve(payload);
    const event = EVENT_NAMES[type - EVENT_BIT];
    if (event) for (const listener of listeners) listener(event, payload);
  }
  let unparsed: Buffer = Buffer.alloc(0);
  function receive(chunk: Buffer): readonly Message[] {
    try {
      const { messages, rest } = takeMessages(Buffer.concat([unparsed, chunk]));
      unparsed = rest;
      return messages;
    } catch {
      socket.destroy(); // the rest can't be parsed
      return [];
    }
  }
  socket.on('data', (chunk: Buffer) => {
    for (const message of receive(chunk)) handleMessage(message);
  });
  return {
    request: async (type, payload = '', onReply = () => undefined) => {
      if (socket.destroyed) throw new Error('the connection to sway ended');
      const timeout = setTimeout(() => socket.destroy(), ANSWER_TIMEOUT_MS);
      try {
        return await new Promise((resolve, reject) => {
          pending.push({
            resolve: (reply) => {
              onReply(reply);
              resolve(reply);
            },
            reject,
          });
          socket.write(encodeMessage(MESSAGE_TYPES[type], payload));
        });
      } finally {
        clearTimeout(timeout);
      }
    },
    onEvent: (listener) => void listeners.push(listener),
    onClosed: (listener) => void socket.once('close', listener),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
