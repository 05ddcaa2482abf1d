import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interfaces, parseMessage, type InterfaceName } from '#platform/agent/drivers/wayland/protocol.ts';
import { decodeArguments, encodeRequest, splitEvents } from '#platform/agent/drivers/wayland/wire.ts';

const DISPLAY_ID = 1;

export interface FakeCompositorOptions {
  /** The global objects that it offers. Their numbers start at 1. */
  readonly globals: readonly (readonly [name: InterfaceName, version: number])[];
  /** Called with each request to the display, the registry, or a global object. */
  readonly onRequest: (name: InterfaceName, request: string, args: readonly unknown[]) => void;
}

/** A Wayland server that passes requests to a test, and answers only `sync`. */
export interface FakeCompositor extends AsyncDisposable {
  /** Path of its socket. */
  readonly path: string;
  readonly listConnections: () => readonly Socket[];
  /** Ends all connections, as a crash would. */
  readonly disconnect: () => void;
}

/** Encodes an event; the format is that of requests. */
function encodeEvent(objectId: number, name: InterfaceName, event: string, args: readonly (number | string)[]): Buffer {
  const events: readonly string[] = interfaces[name].events;
  const opcode = events.findIndex((message) => message.startsWith(`${event}:`));
  return encodeRequest(objectId, opcode, parseMessage(events[opcode] ?? ''), args).data;
}

/** Starts the server on a socket in a folder of its own. */
export async function startFakeCompositor({ globals, onRequest }: FakeCompositorOptions): Promise<FakeCompositor> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-compositor-'));
  const path = join(folder, 'wayland');
  const sockets = new Set<Socket>();
  function handleConnection(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined); // the program has ended
    socket.once('close', () => sockets.delete(socket));
    const nameById = new Map<number, InterfaceName>([[DISPLAY_ID, 'wl_display']]);
    function handleRequest(name: InterfaceName, request: string, args: readonly unknown[]): void {
      const id = Number(args.at(-1));
      if (request === 'sync') socket.write(encodeEvent(id, 'wl_callback', 'done', [0]));
      if (request === 'bind') nameById.set(id, globals[Number(args[0]) - 1]?.[0] ?? 'wl_display');
      if (request === 'get_registry') {
        nameById.set(id, 'wl_registry');
        for (const [index, [global, version]] of globals.entries())
          socket.write(encodeEvent(id, 'wl_registry', 'global', [index + 1, global, version]));
      }
      onRequest(name, request, args);
    }
    let unparsed: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      const { events: frames, rest } = splitEvents(Buffer.concat([unparsed, chunk]));
      unparsed = rest;
      for (const { objectId, opcode, body } of frames) {
        const name = nameById.get(objectId);
        if (name === undefined) continue;
        const message = parseMessage(interfaces[name].requests[opcode] ?? '');
        const readers = { takeDescriptor: () => -1, findObject: (id: number) => id, addObject: (id: number) => id };
        handleRequest(name, message.name, decodeArguments(body, message, readers));
      }
    });
  }
  const server = createServer(handleConnection);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const disconnect = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    path,
    listConnections: () => [...sockets],
    disconnect,
    [Symbol.asyncDispose]: async () => {
      disconnect();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
