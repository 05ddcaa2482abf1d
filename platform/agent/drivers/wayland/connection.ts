import { isAbsolute, join } from 'node:path';
import { watchDescriptor } from '../native/descriptorWatch.ts';
import { openLibc } from '../native/libc.ts';
import {
  interfaces,
  parseMessage,
  type ChildOf,
  type EventListeners,
  type InterfaceDefinition,
  type InterfaceName,
  type ObjectId,
  type RequestArguments,
  type RequestName,
} from './protocol.ts';
import { decodeArguments, encodeRequest, splitEvents, type Argument } from './wire.ts';

/** Objects that the compositor creates have these ids. */
const FIRST_SERVER_ID = 0xff000000;
/** A compositor that answers nothing for this long hangs. KWin 5.27 needs seconds to check a new program. */
const ANSWER_TIMEOUT_MS = 20_000;
/** Requests that end the life of an object. */
const DESTRUCTORS: ReadonlySet<string> = new Set(['destroy', 'release']);

/** An object that events of an interface create. */
type NewObject<I extends InterfaceName> = [ChildOf<I>] extends [InterfaceName] ? WaylandObject<ChildOf<I>> : never;
type Listeners<I extends InterfaceName> = EventListeners<I, NewObject<I>>;

/** An object of the compositor. Requests are sent in order. */
export interface WaylandObject<I extends InterfaceName> extends ObjectId {
  readonly interfaceName: I;
  readonly send: <Name extends RequestName<I>>(request: Name, ...args: RequestArguments<I, Name>) => void;
  /** Replaces the listeners for events. */
  readonly listen: (listeners: Listeners<I>) => void;
}

/** The connection to the compositor is closed. */
export class WaylandClosedError extends Error {
  override readonly name = 'WaylandClosedError';
}

/** A connection to a Wayland compositor. */
export interface WaylandConnection extends AsyncDisposable {
  /** The file descriptor of the socket. */
  readonly descriptor: number;
  /** Versions of the global interfaces that the compositor offers. */
  readonly getVersion: (name: InterfaceName) => number;
  /** Returns a global object in at most this version; undefined if the compositor doesn't offer it. */
  readonly bind: <I extends InterfaceName>(
    name: I,
    maxVersion: number,
    listeners?: NoInfer<Listeners<I>>,
  ) => WaylandObject<I> | undefined;
  /** Creates an object. The next request of this connection must have it as its new object. */
  readonly create: <I extends InterfaceName>(name: I, listeners?: NoInfer<Listeners<I>>) => WaylandObject<I>;
  /**
   * Resolves when the compositor has handled all requests until now.
   * @param onHandled is called at that point in the order of events; what awaits the promise continues later.
   * @throws WaylandClosedError if it closed the connection.
   */
  readonly sync: (onHandled?: () => void) => Promise<void>;
  /** Registers a listener for the end of the connection. Returns how to remove it. */
  readonly onClosed: (listener: () => void) => () => void;
  /** Ends the connection, as the compositor does. */
  readonly close: (reason: string) => void;
}

/** Returns the path of the compositor's socket, from `WAYLAND_DISPLAY` and `XDG_RUNTIME_DIR`. */
export function getWaylandSocketPath(env: NodeJS.ProcessEnv): string {
  const display = env['WAYLAND_DISPLAY'] || 'wayland-0';
  return isAbsolute(display) ? display : join(env['XDG_RUNTIME_DIR'] ?? '/run', display);
}

interface ObjectEntry {
  readonly object: WaylandObject<InterfaceName>;
  readonly definition: InterfaceDefinition;
  listeners: Readonly<Record<string, ((...args: readonly unknown[]) => void) | undefined>>;
}

/**
 * Connects to a compositor and reads its global interfaces.
 * @throws if there is none, or it does not answer. Refusal if this Node is too old.
 */
export async function connectWayland(socketPath: string): Promise<WaylandConnection> {
  const libc = openLibc();
  const socket = libc.connect(socketPath);
  const entries = new Map<number, ObjectEntry>();
  /** The global interfaces by their numbers, in the order of the compositor. */
  const globals = new Map<number, { readonly name: string; readonly version: number }>();
  const closedListeners = new Set<() => void>();
  const freeIds: number[] = [];
  let nextId = 1;
  let closedReason: string | undefined;
  let unparsed: Buffer = Buffer.alloc(0);
  const receivedDescriptors: number[] = [];
  /** Requests that wait to be sent. */
  let queue: { readonly data: Buffer; readonly descriptors: readonly number[] }[] = [];
  let isFlushQueued = false;
  const pendingSyncs = new Set<(error: Error) => void>();

  function closeQueuedDescriptors(): void {
    for (const { descriptors } of queue) for (const descriptor of descriptors) libc.close(descriptor);
    queue = [];
    for (const descriptor of receivedDescriptors.splice(0)) libc.close(descriptor);
  }
  function close(reason: string): void {
    if (closedReason !== undefined) return;
    closedReason = reason;
    watch[Symbol.dispose]();
    libc.close(socket);
    closeQueuedDescriptors();
    for (const reject of pendingSyncs) reject(new WaylandClosedError(reason));
    for (const listener of closedListeners) listener();
  }
  /** Runs a part of the connection's work; a failure of the socket closes the connection. */
  function guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      close(error instanceof Error ? error.message : String(error));
    }
  }
  function sendQueue(): void {
    while (queue.length > 0) {
      // Descriptors may arrive before their request, but never after it.
      const count = queue.findIndex(({ descriptors }, index) => index > 0 && descriptors.length > 0);
      const batch = queue.slice(0, count === -1 ? queue.length : count);
      const data = Buffer.concat(batch.map((request) => request.data));
      const descriptors = batch[0]?.descriptors ?? [];
      const sent = libc.send(socket, data, descriptors);
      if (sent > 0) for (const descriptor of descriptors) libc.close(descriptor);
      const rest = { data: data.subarray(sent), descriptors: sent > 0 ? [] : descriptors };
      queue.splice(0, batch.length, ...(sent === data.length ? [] : [rest]));
      if (sent === data.length) continue;
      watch.setWriting(true);
      return;
    }
    watch.setWriting(false);
  }
  function flush(): void {
    isFlushQueued = false;
    if (closedReason === undefined) guard(sendQueue);
  }
  function send(id: number, definition: InterfaceDefinition, name: string, args: readonly Argument[]): void {
    const opcode = definition.requests.findIndex((request) => request.startsWith(`${name}:`));
    const request = encodeRequest(id, opcode, parseMessage(definition.requests[opcode] ?? ''), args);
    if (closedReason !== undefined) {
      for (const descriptor of request.descriptors) libc.close(descriptor);
      return;
    }
    queue.push(request);
    if (DESTRUCTORS.has(name)) {
      const entry = entries.get(id);
      if (entry) entry.listeners = {};
      if (id >= FIRST_SERVER_ID) entries.delete(id);
    }
    if (!isFlushQueued) queueMicrotask(flush);
    isFlushQueued = true;
  }
  function addObject<I extends InterfaceName>(interfaceName: I, id: number): WaylandObject<I> {
    const definition: InterfaceDefinition = interfaces[interfaceName];
    const object: WaylandObject<I> = {
      id,
      interfaceName,
      send: (request, ...args) => send(id, definition, request, args),
      listen: (listeners) => {
        const entry = entries.get(id);
        if (entry) entry.listeners = listeners as ObjectEntry['listeners'];
      },
    };
    entries.set(id, { object, definition, listeners: {} });
    return object;
  }
  function create<I extends InterfaceName>(name: I, listeners?: NoInfer<Listeners<I>>): WaylandObject<I> {
    const object = addObject(name, freeIds.pop() ?? nextId++);
    if (listeners) object.listen(listeners);
    return object;
  }
  function dispatch(objectId: number, opcode: number, body: Buffer): void {
    const entry = entries.get(objectId);
    const message = entry?.definition.events[opcode];
    if (!entry || message === undefined) return;
    const { name, kinds } = parseMessage(message);
    const child = entry.definition.child as InterfaceName | undefined;
    const args = decodeArguments(
      body,
      { name, kinds },
      {
        takeDescriptor: () => receivedDescriptors.shift() ?? -1,
        findObject: (id) => entries.get(id)?.object,
        addObject: (id) => child && addObject(child, id),
      },
    );
    const listener = entry.listeners[name];
    if (listener) return listener(...args);
    for (const [index, kind] of kinds.split('').entries()) if (kind === 'h') libc.close(args[index] as number);
  }
  function receiveAll(): void {
    for (;;) {
      const received = libc.receive(socket);
      if (received === 'end') return close('the compositor closed the connection');
      if (received === undefined) return;
      receivedDescriptors.push(...received.descriptors);
      const { events, rest } = splitEvents(Buffer.concat([unparsed, received.data]));
      unparsed = rest;
      for (const { objectId, opcode, body } of events) dispatch(objectId, opcode, body);
      if (closedReason !== undefined) return;
    }
  }

  const watch = watchDescriptor(socket, { onReadable: () => guard(receiveAll), onWritable: flush });
  const display = create('wl_display', {
    error: (object, code, text) =>
      close(`the compositor refused a request (${code} on object ${object?.id ?? 0}: ${text})`),
    delete_id: (id) => {
      entries.delete(id);
      freeIds.push(id);
    },
  });
  const registry = create('wl_registry', {
    global: (id, name, version) => void globals.set(id, { name, version }),
    global_remove: (id) => void globals.delete(id),
  });
  /** Returns the first global of an interface: of several seats or outputs, it is the main one. */
  function findGlobal(interfaceName: InterfaceName): { readonly id: number; readonly version: number } | undefined {
    for (const [id, { name, version }] of globals) if (name === interfaceName) return { id, version };
    return undefined;
  }
  display.send('get_registry', registry);

  async function sync(onHandled?: () => void): Promise<void> {
    if (closedReason !== undefined) throw new WaylandClosedError(closedReason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    pendingSyncs.add(reject);
    const timeout = setTimeout(() => close('the compositor does not answer'), ANSWER_TIMEOUT_MS);
    function handleDone(): void {
      onHandled?.();
      resolve();
    }
    display.send('sync', create('wl_callback', { done: handleDone }));
    try {
      await promise;
    } finally {
      clearTimeout(timeout);
      pendingSyncs.delete(reject);
    }
  }
  await sync();

  return {
    descriptor: socket,
    getVersion: (name) => findGlobal(name)?.version ?? 0,
    bind: (name, maxVersion, listeners) => {
      const global = findGlobal(name);
      if (!global) return undefined;
      const object = create(name, listeners);
      registry.send('bind', global.id, name, Math.min(maxVersion, global.version), object);
      return object;
    },
    create,
    sync,
    onClosed: (listener) => {
      if (closedReason === undefined) closedListeners.add(listener);
      else listener();
      return () => void closedListeners.delete(listener);
    },
    close,
    [Symbol.asyncDispose]: async () => {
      closedListeners.clear();
      close('closed by the agent');
    },
  };
}
