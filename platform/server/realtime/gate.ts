import { createServer, type Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server, type ServerOptions } from 'socket.io';

/** A client that does not take part in closing is cut off after this. */
const CLOSE_TIMEOUT_MS = 500;

export interface SocketGateway {
  readonly io: Server;
  /** Lets nobody in any more, and waits until all are gone. */
  readonly close: () => Promise<void>;
}

/** socket.io on the upgrades of an http server. Plain requests to its path stay with the http server: its answers carry our headers. */
export const createSocketGateway = (http: HttpServer, options: Partial<ServerOptions>): SocketGateway => {
  const inner = createServer(); // listens nowhere
  const io = new Server(inner, options);
  const wires = new Set<Duplex>();
  let isShut = false;
  http.on('upgrade', (request, wire, head) => {
    if (isShut) return void wire.destroy();
    wires.add(wire);
    wire.once('close', () => wires.delete(wire));
    inner.emit('upgrade', request, wire, head);
  });
  return {
    io,
    close: async () => {
      isShut = true;
      io.engine.close();
      const gone = Promise.all([...wires].map((wire) => new Promise((done) => wire.once('close', done))));
      const timer = setTimeout(() => {
        for (const wire of wires) wire.destroy();
      }, CLOSE_TIMEOUT_MS);
      await gone;
      clearTimeout(timer);
      await io.close();
    },
  };
};
