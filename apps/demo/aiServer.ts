import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AI_ANSWER } from './household/texts.ts';

const WORD_DELAY_MS = 40;

export interface DemoAiServer extends AsyncDisposable {
  /** Settings of a server that asks this one. */
  readonly environment: Readonly<Record<string, string>>;
}

const sendAnswer = async (response: ServerResponse): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, reason: string | null): void =>
    void response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`);
  for (const word of AI_ANSWER.split(/(?<=\s)/)) {
    if (response.destroyed) return;
    send({ content: word }, null);
    await sleep(WORD_DELAY_MS);
  }
  send({}, 'stop');
  response.end('data: [DONE]\n\n');
};

/** Starts an OpenAI-compatible server that gives the same answer to every question. */
export async function startAiServer(): Promise<DemoAiServer> {
  const http = createServer((request, response) => {
    request.resume();
    if (request.url === '/v1/chat/completions') void sendAnswer(response);
    else response.writeHead(404).end();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    environment: { AI_BASE_URL: `http://127.0.0.1:${port}/v1`, AI_MODEL: 'made-up' },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
