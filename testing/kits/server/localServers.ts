import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

async function listen(server: Server, host: string): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  return `${host}:${(server.address() as AddressInfo).port}`;
}

/** Starts an HTTP server until the current test ends. Returns its host and port. */
export async function startHttpServer(listener: RequestListener, host = '127.0.0.1'): Promise<string> {
  const server = createServer({ keepAlive: false }, listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server, host);
}

/** Starts a raw TCP server until the current test ends. Returns its host and port. */
export async function startTcpServer(handleSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined); // the client disconnects
    handleSocket(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listen(server, '127.0.0.1');
}
