import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { motion, motionInit } from '#tools/remote/contract.ts';
import { createNumberedEvent, openPlainSocket, openStallingComputer, type ReceivedEvent } from '../load/stalling.ts';
import { pairComputer, signUpOwner } from './account.ts';
import { percentile, getResidentMib, runPegboard, runBaseline, type Bench, type RunningServer } from './measure.ts';

const TICK_MS = 30;
const WARM_UP_MS = 30_000;
const STALLED_MS = 60_000;
const SAMPLE_INTERVAL_MS = 500;
/** Memory rises and falls with garbage collection: its median over this time counts. */
const SETTLING_MS = 10_000;
/** Shorter than the heartbeat timeout, so that the connection survives. */
const SHORT_STALL_MS = 6000;
const SHORT_STALLS = 5;

/** Returns the median of the resident memory over this time, in MiB. */
async function measureMemory(server: RunningServer, durationMs: number): Promise<number> {
  const samples: number[] = [];
  for (let waitedMs = 0; waitedMs < durationMs; waitedMs += SAMPLE_INTERVAL_MS) {
    await sleep(SAMPLE_INTERVAL_MS);
    samples.push(getResidentMib(server.child.pid ?? 0));
  }
  return percentile(samples, 0.5);
}

interface Receiver {
  /** What arrived since the list was last emptied. */
  readonly received: ReceivedEvent[];
  readonly stall: () => void;
  readonly resume: () => void;
}

interface Measurement {
  /** Growth over 60 s without reading, in MiB. */
  readonly grownMib: number;
  /** Events that arrived late after each short stall. */
  readonly lateCounts: readonly number[];
  /** Number of newer events that had been sent when the first relevant one arrived. */
  readonly behindCount: number;
}

async function measure(
  server: RunningServer,
  send: (number: number) => void,
  receiver: Receiver,
): Promise<Measurement> {
  const { received, stall, resume } = receiver;
  let number = 0;
  const sentAt: number[] = [];
  const sending = setInterval(() => {
    sentAt[number] = performance.now();
    send(number);
    number += 1;
  }, TICK_MS);
  await sleep(WARM_UP_MS);

  const lateCounts: number[] = [];
  for (let stallCount = 0; stallCount < SHORT_STALLS; stallCount += 1) {
    stall();
    await sleep(SHORT_STALL_MS);
    received.length = 0;
    resume();
    while (!received.some(({ isFresh }) => isFresh)) await sleep(1);
    lateCounts.push(received.findIndex(({ isFresh }) => isFresh));
    await sleep(1000);
  }

  const memoryBefore = await measureMemory(server, SETTLING_MS);
  stall();
  await sleep(STALLED_MS - SETTLING_MS);
  const memoryAfter = await measureMemory(server, SETTLING_MS);
  received.length = 0;
  resume();
  let first = received.find(({ isFresh }) => isFresh);
  while (!first) {
    await sleep(1);
    first = received.find(({ isFresh }) => isFresh);
  }
  const behindCount = number - 1 - first.number;
  clearInterval(sending);
  return { grownMib: memoryAfter - memoryBefore, lateCounts, behindCount };
}

async function measurePegboard(): Promise<Measurement> {
  await using server = await runPegboard();
  const owner = await signUpOwner(server.origin);
  const { token, target } = await pairComputer(server.origin, owner);
  const computer = await openStallingComputer(server.origin, token);
  const page = openPlainSocket(server.origin, owner.token);
  await page.emitWithAck(motionInit.name, { token: owner.token, target });
  const send = (number: number): void =>
    void page.emit(motion.name, { ...createNumberedEvent(number), token: owner.token, target });
  const measurement = await measure(server, send, computer);
  page.disconnect();
  computer.socket.disconnect();
  return measurement;
}

const FRESH_MS = 250;

async function measureBaseline(): Promise<Measurement> {
  await using server = await runBaseline('relay');
  async function open(): Promise<WebSocket> {
    const socket = new WebSocket(server.origin.replace('http', 'ws'), { perMessageDeflate: false });
    await new Promise((resolve) => socket.once('open', resolve));
    return socket;
  }
  const [page, computer] = [await open(), await open()];
  const received: ReceivedEvent[] = [];
  computer.on('message', (data: Buffer) => {
    const { number, sentAt } = JSON.parse(data.toString()) as { readonly number: number; readonly sentAt: number };
    received.push({ number, isFresh: Date.now() - sentAt <= FRESH_MS });
  });
  const measurement = await measure(
    server,
    (number) => page.send(JSON.stringify({ ...createNumberedEvent(number), number, sentAt: Date.now() })),
    { received, stall: () => computer.pause(), resume: () => computer.resume() },
  );
  page.close();
  computer.close();
  return measurement;
}

const getMax = (values: readonly number[]): number => percentile(values, 1);

/** Motion events to a computer that stopped reading its socket. */
export const slowReceiverBench: Bench = {
  name: 'slowreceiver',
  run: async () => {
    const [pegboard, baseline] = await Promise.all([measurePegboard(), measureBaseline()]);
    return [
      {
        name: '60 s of motion to a receiver that stops reading: growth of the server',
        target: 'under 5 MiB, the newest event counts first afterwards',
        measured: `${pegboard.grownMib.toFixed(1)} MiB; the first that counts is ${pegboard.behindCount} behind the newest`,
        baseline: `${baseline.grownMib.toFixed(1)} MiB; ${baseline.behindCount} behind (bare ws relay)`,
        isTargetMet: pegboard.grownMib < 5 && pegboard.behindCount <= 1,
      },
      {
        name: 'events that come too late after a stall of 6 s, the worst of 5',
        target: 'at most 8',
        measured: `${getMax(pegboard.lateCounts)}`,
        baseline: `${getMax(baseline.lateCounts)} (bare ws relay)`,
        isTargetMet: getMax(pegboard.lateCounts) <= 8,
      },
    ];
  },
};
