import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A client's connection to a server, which can be broken. */
export interface FaultyLine extends AsyncDisposable {
  /** The address that the client uses. */
  readonly origin: string;
  /** Ends all connections immediately; new ones can be made. */
  readonly disconnect: () => void;
  /** While it is down, nothing gets through. */
  readonly setDown: (isDown: boolean) => void;
  /** The next change of a list is lost: its request, or its answer after the server applied it. */
  readonly loseNext: (what: 'request' | 'answer' | undefined) => void;
}

const CHANGE = 'POST /api/modifyshoplist ';

/** `port` returns where the server listens now. */
export async function openFaultyLine(port: () => number): Promise<FaultyLine> {
  const open = new Set<Socket>();
  let isDown = false;
  let spoilt: 'request' | 'answer' | undefined;
  const proxy = createServer((client) => {
    if (isDown) {
      client.destroy();
      return;
    }
    const server = connect(port(), '127.0.0.1');
    function end(): void {
      client.destroy();
      server.destroy();
      open.delete(client);
    }
    open.add(client);
    let losesAnswer = false;
    client.on('data', (piece: Buffer) => {
      const isChange = spoilt !== undefined && piece.subarray(0, CHANGE.length).toString() === CHANGE;
      if (!isChange) {
        server.write(piece);
        return;
      }
      losesAnswer = spoilt === 'answer';
      const how = spoilt;
      spoilt = undefined;
      if (how === 'answer') server.write(piece);
      else server.write(piece.subarray(0, piece.length / 2), end);
    });
    server.on('data', (piece: Buffer) => {
      if (losesAnswer) end();
      else client.write(piece);
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
  function cut(): void {
    for (const client of open) client.destroy();
  }
  return {
    origin: `http://127.0.0.1:${address.port}`,
    disconnect: cut,
    setDown: (down) => {
      isDown = down;
      if (down) cut();
    },
    loseNext: (what) => void (spoilt = what),
    [Symbol.asyncDispose]: async () => {
      const closed = once(proxy, 'close');
      proxy.close();
      cut();
      await closed;
    },
  };
}
