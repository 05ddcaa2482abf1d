import { connect } from 'node:net';

const CONNECTIONS = 16;

/**
 * Sends the same request over keep-alive connections, one at a time each, for some seconds; returns answers per second.
 * Plain sockets, so that measuring costs less than the server.
 */
export async function measureRequestsPerSecond(origin: string, request: string, seconds: number): Promise<number> {
  const { hostname, port } = new URL(origin);
  let answered = 0;
  let wrong = 0;
  let isOver = false;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let read = '';
      socket.setEncoding('utf8').on('error', reject);
      socket.on('data', (piece: string) => {
        read += piece;
        const head = read.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(read)?.[1]);
        if (head < 0 || read.length < head + 4 + length) return;
        answered += 1;
        if (!read.includes('"message":"ok"')) wrong += 1;
        read = '';
        if (isOver) socket.end(resolve);
        else socket.write(request);
      });
      socket.on('connect', () => socket.write(request));
    });
  const all = Array.from({ length: CONNECTIONS }, one);
  const startedAt = performance.now();
  setTimeout(() => (isOver = true), seconds * 1000);
  await Promise.all(all);
  if (wrong > 0) throw new Error(`${wrong} answers were not ok`);
  return (answered * 1000) / (performance.now() - startedAt);
}

export function formatPostRequest(path: string, body: unknown): string {
  const text = JSON.stringify(body);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
