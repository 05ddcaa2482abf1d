import { connect } from 'node:net';

const CONNECTIONS = 16;

/**
 * Sends requests over keep-alive connections, one at a time each, for some seconds; returns answers per second.
 * Plain sockets, so that measuring costs less than the server.
 */
export async function measureRequestsPerSecond(
  origin: string,
  request: string | (() => string),
  seconds: number,
): Promise<number> {
  const getRequest = typeof request === 'string' ? () => request : request;
  const { hostname, port } = new URL(origin);
  let responseCount = 0;
  let failedCount = 0;
  let isOver = false;
  const runConnection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let received = '';
      socket.setEncoding('utf8').on('error', reject);
      socket.on('data', (chunk: string) => {
        received += chunk;
        const headLength = received.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
        if (headLength < 0 || received.length < headLength + 4 + length) return;
        responseCount += 1;
        if (!received.includes('"message":"ok"')) failedCount += 1;
        received = '';
        if (isOver) socket.end(resolve);
        else socket.write(getRequest());
      });
      socket.on('connect', () => socket.write(getRequest()));
    });
  const connections = Array.from({ length: CONNECTIONS }, runConnection);
  const startedAt = performance.now();
  setTimeout(() => (isOver = true), seconds * 1000);
  await Promise.all(connections);
  if (failedCount > 0) throw new Error(`${failedCount} answers were not ok`);
  return (responseCount * 1000) / (performance.now() - startedAt);
}

export function formatPostRequest(path: string, body: unknown): string {
  const text = JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
