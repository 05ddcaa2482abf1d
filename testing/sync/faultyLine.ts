import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A client's connection to a server, which can be broken. */
export interface FaultyLine extends AsyncDisposable {
  /** The address that the client uses. */
  readonly origin: string;
  /** Ends all connections immediately; new ones can be made. */
  readonly disconnect: () => void;
  /** While it is down, connections are refused. */
  readonly setDown: (isDown: boolean) => void;
  /** The next change of a list is lost: its request, or its answer after the server applied it. */
  readonly loseNext: (what: 'request' | 'answer' | undefined) => void;
}

const CHANGE = 'POST /api/modifyshoplist ';

/** Opens a connection to a server. @param getPort returns the port on which the server listens now. */
export async function openFaultyLine(getPort: () => number): Promise<FaultyLine> {
  const openSockets = new Set<Socket>();
  let isDown = false;
  let nextLoss: 'request' | 'answer' | undefined;
  const proxy = createServer((client) => {
    if (isDown) {
      client.destroy();
      return;
    }
    const server = connect(getPort(), '127.0.0.1');
    function end(): void {
      client.destroy();
      server.destroy();
      openSockets.delete(client);
    }
    openSockets.add(client);
    let losesAnswer = false;
    client.on('data', (chunk: Buffer) => {
      const isChange = nextLoss !== undefined && chunk.subarray(0, CHANGE.length).toString() === CHANGE;
      if (!isChange) {
        server.write(chunk);
        return;
      }
      losesAnswer = nextLoss === 'answer';
      const loss = nextLoss;
      nextLoss = undefined;
      if (loss === 'answer') server.write(chunk);
      else server.write(chunk.subarray(0, chunk.length / 2), end);
    });
    server.on('data', (chunk: Buffer) => {
      if (losesAnswer) end();
      else client.write(chunk);
    });
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      // The reason why a connection ended does not matter to either side.
      socket.on('error', end);
      socket.on('close', end);
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (typeof address !== 'object' || address === null) throw new Error('the line has no port');
  function disconnect(): void {
    for (const client of openSockets) client.destroy();
  }
  return {
    origin: `http://127.0.0.1:${address.port}`,
    disconnect,
    setDown: (down) => {
      isDown = down;
      if (down) disconnect();
    },
    loseNext: (what) => void (nextLoss = what),
    [Symbol.asyncDispose]: async () => {
      const closed = once(proxy, 'close');
      proxy.close();
      disconnect();
      await closed;
    },
  };
}
