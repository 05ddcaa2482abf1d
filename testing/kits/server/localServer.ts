import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LocalServer extends AsyncDisposable {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
}

/** Lets a server of a test listen on a free port. It is closed with all of its connections. */
export async function listenLocally(server: Server): Promise<LocalServer> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    origin: `http://${host}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
