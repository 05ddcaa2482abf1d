import { createServer, createConnection, type Socket } from 'node:net';

/**
 * How a service fails: its connections break and new ones are refused (`stopped`), it does not answer for a while
 * (`paused`), or the network drops everything, so that old connections never work again (`cut off`).
 */
export const OUTAGES = ['stopped', 'paused', 'cut off'] as const;
export type Outage = (typeof OUTAGES)[number];

/** A proxy in front of a service on a Unix socket. */
export interface OutageProxy extends AsyncDisposable {
  readonly start: (outage: Outage) => void;
  readonly end: () => void;
  readonly countConnections: () => number;
}

const KEEPALIVE_MS = 9000;

interface Connection {
  readonly client: Socket;
  readonly service: Socket;
  /** Whether the network has dropped it. */
  isDropped: boolean;
}

export async function startOutageProxy(path: string, servicePath: string): Promise<OutageProxy> {
  const connections = new Set<Connection>();
  let outage: Outage | undefined;
  const server = createServer((client) => {
    if (outage === 'stopped') return void client.destroy();
    const service = createConnection(servicePath);
    const connection: Connection = { client, service, isDropped: outage === 'cut off' };
    connections.add(connection);
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        if (!connection.isDropped) to.write(chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        if (connection.isDropped && from === service) return;
        connections.delete(connection);
        to.destroy();
      });
      if (outage === 'paused') from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  function end(): void {
    outage = undefined;
    for (const { client, service } of connections) {
      client.resume();
      service.resume();
    }
  }
  return {
    start: (kind) => {
      outage = kind;
      for (const connection of connections) {
        if (kind === 'stopped') {
          connection.client.destroy();
          connection.service.destroy();
        } else if (kind === 'cut off') {
          connection.isDropped = true;
          // As TCP notices in the end, with keepalive.
          setTimeout(() => connection.service.destroy(), KEEPALIVE_MS).unref();
        } else {
          connection.client.pause();
          connection.service.pause();
        }
      }
    },
    end,
    countConnections: () => connections.size,
    [Symbol.asyncDispose]: async () => {
      for (const { client, service } of connections) {
        client.destroy();
        service.destroy();
      }
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
