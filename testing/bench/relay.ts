import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { deviceHello } from '#platform/contract/device.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { motion, motionInit, motionToDevice } from '#tools/remote/contract.ts';
import { pairComputer, signUpOwner } from './account.ts';
import { formatP50P99, percentile, runPegboard, runServer, type Bench } from './measure.ts';

const EVENTS = 600;
const TICK_MS = 30;

/** Creates a motion event with its number in `alpha`, so that the receiver can identify it. */
const motionNumbered = (number: number) => ({
  orientation: { alpha: (number % 3600) / 10, beta: 12.3, gamma: -4.5 },
  reset: { lmb: false, lift: false, scroll: false },
});

/** Sends numbered events 30 ms apart; returns how long each took to the receiver, in milliseconds. */
async function stream(send: (number: number) => void, onArrival: (then: (number: number) => void) => void) {
  const sent = new Map<number, number>();
  const took: number[] = [];
  const isDone = Promise.withResolvers<void>();
  onArrival((number) => {
    const at = sent.get(number);
    if (at !== undefined) took.push(performance.now() - at);
    if (took.length === EVENTS) isDone.resolve();
  });
  for (let number = 0; number < EVENTS; number += 1) {
    sent.set(number, performance.now());
    send(number);
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await isDone.promise;
  return took;
}

async function connected(origin: string, token: string) {
  const socket = io(origin, { path: SOCKET_PATH, transports: ['websocket'], auth: { token } });
  await new Promise((resolve, reject) =>
    socket.once('connect', () => resolve(undefined)).once('connect_error', reject),
  );
  return socket;
}

async function throughPegboard(): Promise<number[]> {
  await using server = await runPegboard();
  const owner = await signUpOwner(server.origin);
  const { token } = owner;
  const device = await pairComputer(server.origin, owner);
  const agent = await connected(server.origin, device.token);
  await agent.emitWithAck(deviceHello.name, { version: '0', system: 'bench', abilities: { mouse: { able: true } } });
  const page = await connected(server.origin, token);
  await page.emitWithAck(motionInit.name, { token, target: device.target });
  const took = await stream(
    (number) => page.emit(motion.name, { ...motionNumbered(number), token, target: device.target }),
    (then) =>
      agent.on(motionToDevice.name, (data: ReturnType<typeof motionNumbered>, acknowledge: () => void) => {
        then(Math.round(data.orientation.alpha * 10));
        acknowledge();
      }),
  );
  page.disconnect();
  agent.disconnect();
  return took;
}

async function throughBareSockets(): Promise<number[]> {
  await using peer = await runServer({ args: ['testing/bench/peers/relay.ts'], ready: '/' });
  const address = peer.origin.replace('http', 'ws');
  const [page, agent] = await Promise.all(
    ['page', 'agent'].map(async () => {
      const socket = new WebSocket(address, { perMessageDeflate: false });
      await new Promise((resolve) => socket.once('open', resolve));
      return socket;
    }),
  );
  if (!page || !agent) throw new Error('no sockets');
  const took = await stream(
    (number) => page.send(JSON.stringify(motionNumbered(number))),
    (then) =>
      agent.on('message', (data) => {
        const read = JSON.parse((data as Buffer).toString()) as ReturnType<typeof motionNumbered>;
        then(Math.round(read.orientation.alpha * 10));
      }),
  );
  page.close();
  agent.close();
  return took;
}

export const relayBench: Bench = {
  name: 'relay',
  run: async () => {
    const theirs = await throughBareSockets();
    const ours = await throughPegboard();
    const [p50, p99, bare] = [percentile(ours, 0.5), percentile(ours, 0.99), percentile(theirs, 0.5)];
    return [
      {
        what: 'relay of a 30 ms motion stream, page to server to agent',
        target: 'p50 under 2 ms, p99 under 10 ms, within 2x of a bare `ws` relay',
        ours: `${formatP50P99(ours)} (${(p50 / bare).toFixed(2)}x)`,
        peer: `${formatP50P99(theirs)} (bare ws relay)`,
        isReached: p50 < 2 && p99 < 10 && p50 < 2 * bare,
      },
    ];
  },
};
