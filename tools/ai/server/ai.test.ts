import { expect, test } from 'vitest';
import { connectEvent, roomInit } from '#platform/contract/realtime.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { echoes, says, startAiServer, streams, type AiServer } from '#testing/aiServer.ts';
import { startServer, type TestServer } from '#testing/server.ts';
import { openSocket, type TestSocket } from '#testing/socket.ts';
import { aiq, aiqLong, aistop, aianswers, aidatain, aidataend, PROMPT_LIMIT } from '../contract.ts';

/** A client without cookie that listens in its room 0, as the specification's page does. */
const listener = async (server: TestServer, headers: Readonly<Record<string, string>> = {}): Promise<TestSocket> => {
  const socket = await openSocket(server, { headers });
  await socket.ask(connectEvent, { message: 'aiquery' });
  await socket.ask(roomInit, { id: '0' });
  return socket;
};

/** Pieces of one answer up to its end. */
const whole = async (socket: TestSocket, answerid: number) => {
  const pieces: { readonly data: string; readonly at: number }[] = [];
  for (;;) {
    const ending = await socket.next(aidataend);
    if (ending.answerid !== answerid) continue;
    return { pieces, ending };
  }
};

test('x', async () => {
  await using ai = await startAiServer();
  await using server = await startServer({ environment: ai.environment });
  await using page = await listener(server);
  ai.answer(echoes);
  const { answerid } = await server.call(aiq, { q: 'hi', id: '0' });
  console.log(await page.next(aidatain), await page.next(aidataend), await server.call(aianswers, {}));
});
