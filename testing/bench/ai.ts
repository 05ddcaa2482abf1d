import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { createClient } from '#platform/contract/client.ts';
import { roomInit, SOCKET_PATH } from '#platform/contract/realtime.ts';
import { aidataend, aidatain, aiq } from '#tools/ai/contract.ts';
import { startAiServer, type AiServer } from '../kits/chat/aiServer.ts';
import { formatMs, formatP50P99, percentile, runPegboard, runBaseline, type Bench } from './measure.ts';

const QUESTIONS = 100;
/** Warm-up questions that don't count: the AI packages are loaded on first use. */
const WARM_UP = 10;
/** Delay between questions, as users ask them. */
const QUESTION_INTERVAL_MS = 20;

/**
 * Measures milliseconds from each question to its first piece.
 * `ask` resolves at that piece, `end` when the answer has ended.
 */
async function measureTimes(ask: () => Promise<{ readonly end: Promise<unknown> }>): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; number < WARM_UP + QUESTIONS; number += 1) {
    const startedAt = performance.now();
    const { end } = await ask();
    if (number >= WARM_UP) times.push(performance.now() - startedAt);
    await end;
    await new Promise((resolve) => setTimeout(resolve, QUESTION_INTERVAL_MS));
  }
  return times;
}

/** Measures the first byte of the AI server itself. */
const measureAiServer = async ({ baseURL }: AiServer): Promise<number[]> =>
  measureTimes(async () => {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test-model', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    });
    const reader = (response.body ?? new ReadableStream()).getReader();
    await reader.read();
    async function drain(): Promise<void> {
      while (!(await reader.read()).done);
    }
    return { end: drain() };
  });

async function measurePegboard({ environment }: AiServer): Promise<number[]> {
  await using server = await runPegboard({ ...environment, RATE_LIMITS: 'off' });
  const socket = io(server.origin, { path: SOCKET_PATH, transports: ['websocket'] });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  await socket.emitWithAck(roomInit.name, { id: '0' });
  const call = createClient({ origin: server.origin });
  const times = await measureTimes(async () => {
    const first = new Promise((resolve) => socket.once(aidatain.name, resolve));
    const end = new Promise((resolve) => socket.once(aidataend.name, resolve));
    const request = call(aiq, { q: 'hi', id: '0' });
    await first;
    return { end: Promise.all([request, end]) };
  });
  socket.disconnect();
  return times;
}

async function measureBaseline({ baseURL }: AiServer): Promise<number[]> {
  await using baselineServer = await runBaseline('ai', { AI_BASE_URL: baseURL });
  const socket = new WebSocket(baselineServer.origin.replace('http', 'ws'), { perMessageDeflate: false });
  await new Promise((resolve) => socket.once('open', resolve));
  const times = await measureTimes(async () => {
    const first = new Promise((resolve) => socket.once('message', resolve));
    socket.send('hi');
    await first;
    return { end: Promise.resolve() };
  });
  socket.close();
  return times;
}

export const aiBench: Bench = {
  name: 'ai',
  run: async () => {
    await using ai = await startAiServer();
    ai.setScript(({ sendPiece, end }) => {
      sendPiece('Hello');
      end();
    });
    const aiServerMs = percentile(await measureAiServer(ai), 0.5);
    const subtractAiServer = (times: readonly number[]): number[] => times.map((time) => time - aiServerMs);
    const baseline = subtractAiServer(await measureBaseline(ai));
    const pegboard = subtractAiServer(await measurePegboard(ai));
    const p50 = percentile(pegboard, 0.5);
    return [
      {
        name: "first AI fragment, over the AI server's own first byte",
        target: 'under 10 ms',
        measured: `${formatP50P99(pegboard)} (AI server itself ${formatMs(aiServerMs)})`,
        baseline: `${formatP50P99(baseline)} (fetch, passed on by ws)`,
        isTargetMet: p50 < 10,
      },
    ];
  },
};
