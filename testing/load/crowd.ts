// Pairs of a phone and a computer that are active concurrently.
// `PAIRS`: list of {token, target, device}; `device` is its token.
import { io, type Socket } from 'socket.io-client';
import { deviceHello } from '#platform/contract/device.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { motion, motionInit, motionToDevice } from '#tools/remote/contract.ts';

interface Pair {
  readonly token: string;
  readonly target: string;
  readonly device: string;
}

const TICK_MS = 30;
const pairs = JSON.parse(process.env['PAIRS'] ?? '[]') as readonly Pair[];
const open = (token: string): Socket =>
  io(process.argv[2] ?? '', { path: SOCKET_PATH, transports: ['websocket'], auth: { token } });

async function startPair({ token, target, device }: Pair, at: number): Promise<void> {
  const computer = open(device);
  computer.on(motionToDevice.name, (_: unknown, acknowledge: () => void) => acknowledge());
  await computer.emitWithAck(deviceHello.name, { version: '0', system: 'load', abilities: { mouse: { able: true } } });
  const phone = open(token);
  await phone.emitWithAck(motionInit.name, { token, target });
  let alpha = 0;
  const reset = { lmb: false, lift: false, scroll: false };
  function send(): void {
    alpha = (alpha + 0.5) % 360;
    phone.emit(motion.name, { orientation: { alpha, beta: 10, gamma: 0 }, reset, token, target });
  }
  // Not all at the same moment.
  setTimeout(() => setInterval(send, TICK_MS), (at * TICK_MS) / pairs.length);
}

await Promise.all(pairs.map(startPair));
process.stdout.write('ready\n');
