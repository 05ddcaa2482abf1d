import { createServer, request as sendRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy without sticky sessions: each request and each socket goes to the next instance. */
export interface RoundRobinProxy extends AsyncDisposable {
  readonly origin: string;
}

const LARGE_BODY_BYTES = 256 * 1024;
const REFUSAL_TIMEOUT_MS = 200;

/** Starts the proxy. `getPorts` returns the ports of the running instances. */
export async function startRoundRobinProxy(getPorts: () => readonly number[], port = 0): Promise<RoundRobinProxy> {
  let count = 0;
  function nextPort(): number {
    const ports = getPorts();
    count += 1;
    return ports[count % ports.length] ?? 0;
  }
  const server = createServer((request, response) => {
    const upstream = sendRequest(
      { host: '127.0.0.1', port: nextPort(), method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      },
    );
    upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on('close', () => upstream.destroy());
    // A server may refuse a large body without reading it. Then the answer would be lost.
    if (Number(request.headers['content-length'] ?? 0) < LARGE_BODY_BYTES) return void request.pipe(upstream);
    upstream.flushHeaders();
    const timer = setTimeout(() => request.pipe(upstream), REFUSAL_TIMEOUT_MS);
    upstream.on('response', () => {
      clearTimeout(timer);
      request.resume();
    });
  });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const upstream = connect(nextPort(), '127.0.0.1', () => {
      const headers = request.rawHeaders.flatMap((name, index, all) =>
        index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : [],
      );
      upstream.write(`${request.method} ${request.url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    sockets.add(socket);
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
