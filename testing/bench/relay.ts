import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { deviceHello } from '#platform/contract/device.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { motion, motionInit, motionToDevice } from '#tools/remote/contract.ts';
import { pairComputer, signUpOwner } from './account.ts';
import { formatP50P99, percentile, runPegboard, runBaseline, type Bench } from './measure.ts';

const EVENTS = 600;
const TICK_MS = 30;

/** Creates a motion event with its number in `alpha`, so that the receiver can identify it. */
const createMotion = (number: number) => ({
  orientation: { alpha: (number % 3600) / 10, beta: 12.3, gamma: -4.5 },
  reset: { lmb: false, lift: false, scroll: false },
});

/** Sends numbered events 30 ms apart; returns how long each took to the receiver, in milliseconds. */
async function measureStream(send: (number: number) => void, onArrival: (onNumber: (number: number) => void) => void) {
  const sent = new Map<number, number>();
  const times: number[] = [];
  const isDone = Promise.withResolvers<void>();
  onArrival((number) => {
    const sentAt = sent.get(number);
    if (sentAt !== undefined) times.push(performance.now() - sentAt);
    if (times.length === EVENTS) isDone.resolve();
  });
  for (let number = 0; number < EVENTS; number += 1) {
    sent.set(number, performance.now());
    send(number);
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await isDone.promise;
  return times;
}

async function connectSocket(origin: string, token: string) {
  const socket = io(origin, { path: SOCKET_PATH, transports: ['websocket'], auth: { token } });
  await new Promise((resolve, reject) =>
    socket.once('connect', () => resolve(undefined)).once('connect_error', reject),
  );
  return socket;
}

async function measurePegboard(): Promise<number[]> {
  await using server = await runPegboard();
  const owner = await signUpOwner(server.origin);
  const { token } = owner;
  const device = await pairComputer(server.origin, owner);
  const agent = await connectSocket(server.origin, device.token);
  await agent.emitWithAck(deviceHello.name, { version: '0', system: 'bench', abilities: { mouse: { able: true } } });
  const page = await connectSocket(server.origin, token);
  await page.emitWithAck(motionInit.name, { token, target: device.target });
  const times = await measureStream(
    (number) => page.emit(motion.name, { ...createMotion(number), token, target: device.target }),
    (onNumber) =>
      agent.on(motionToDevice.name, (data: ReturnType<typeof createMotion>, acknowledge: () => void) => {
        onNumber(Math.round(data.orientation.alpha * 10));
        acknowledge();
      }),
  );
  page.disconnect();
  agent.disconnect();
  return times;
}

async function measureBaseline(): Promise<number[]> {
  await using baselineServer = await runBaseline('relay');
  const address = baselineServer.origin.replace('http', 'ws');
  const [page, agent] = await Promise.all(
    ['page', 'agent'].map(async () => {
      const socket = new WebSocket(address, { perMessageDeflate: false });
      await new Promise((resolve) => socket.once('open', resolve));
      return socket;
    }),
  );
  if (!page || !agent) throw new Error('no sockets');
  const times = await measureStream(
    (number) => page.send(JSON.stringify(createMotion(number))),
    (onNumber) =>
      agent.on('message', (data) => {
        const event = JSON.parse((data as Buffer).toString()) as ReturnType<typeof createMotion>;
        onNumber(Math.round(event.orientation.alpha * 10));
      }),
  );
  page.close();
  agent.close();
  return times;
}

export const relayBench: Bench = {
  name: 'relay',
  run: async () => {
    const baseline = await measureBaseline();
    const pegboard = await measurePegboard();
    const [p50, p99, baselineP50] = [percentile(pegboard, 0.5), percentile(pegboard, 0.99), percentile(baseline, 0.5)];
    return [
      {
        name: 'relay of a 30 ms motion stream, page to server to agent',
        target: 'p50 under 2 ms, p99 under 10 ms, within 2x of a bare `ws` relay',
        measured: `${formatP50P99(pegboard)} (${(p50 / baselineP50).toFixed(2)}x)`,
        baseline: `${formatP50P99(baseline)} (bare ws relay)`,
        isTargetMet: p50 < 2 && p99 < 10 && p50 < 2 * baselineP50,
      },
    ];
  },
};
