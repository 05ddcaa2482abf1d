import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import { connectEvent, roomInit, SOCKET_PATH } from '#platform/contract/realtime.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  answerWithPrompt,
  answerWith,
  startAiServer,
  streamPieces,
  type AiServer,
} from '#testing/kits/chat/aiServer.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestServer } from '#testing/kits/server/server.ts';
import { openSocket, type TestSocket } from '#testing/kits/server/socket.ts';
import { aianswers, aidataend, aidatain, aiq, aiqLong, aistop, MAX_PROMPT_LENGTH } from '../contract.ts';

/**
 * Opens a client without cookie that listens in its room 0, as the page of docs/specification/ai.md section 2.3 does.
 */
async function openListener(server: TestServer, headers: Readonly<Record<string, string>> = {}): Promise<TestSocket> {
  const socket = await openSocket(server, { headers });
  await socket.request(connectEvent, { message: 'aiquery' });
  await socket.request(roomInit, { id: '0' });
  return socket;
}

/** Starts a server that uses `ai`. */
const startServerWith = (ai: AiServer, options: Parameters<typeof startServer>[0] = {}): Promise<TestServer> =>
  startServer({ environment: ai.environment, rateLimits: false, ...options });

const visitor = (name: string) => ({ cookie: `pb_visitor=${name}` });

const ask = async (server: TestServer, q: string): Promise<number> => (await server.call(aiq, { q, id: '0' })).answerid;
const listAnswers = async (server: TestServer) => (await server.call(aianswers, {})).answers;

test('an answer streams into the caller’s room in chunks, and is stored', async () => {
  await using ai = await startAiServer();
  await using server = await startServerWith(ai);
  await using page = await openListener(server);
  const answerid = await ask(server, 'Say hello, 世界 & "co" 👋');
  const question = await ai.nextQuestion();
  expect(question).toMatchObject({
    prompt: 'Say hello, 世界 & "co" 👋',
    model: 'test-model',
    maxTokens: 4000,
    key: 'sk-hunter2-test-key',
  });
  question.sendPiece('Hello, ');
  expect(await page.nextEvent(aidatain)).toEqual({ data: 'Hello, ', answerid, at: 0 });
  expect(await listAnswers(server)).toMatchObject([{ answerid, text: 'Hello, ', state: 'running', waiting: false }]);
  question.sendPiece('wor');
  question.sendPiece('ld\0');
  const second = await page.nextEvent(aidatain);
  expect(second.at).toBe(7);
  question.end();
  expect(await page.nextEvent(aidataend)).toEqual({ answerid, state: 'done' });
  expect(await listAnswers(server)).toMatchObject([
    { answerid, prompt: 'Say hello, 世界 & "co" 👋', text: 'Hello, world\u{fffd}', state: 'done' },
  ]);
});

test('the specified client, without cookie and with an unencoded prompt, gets its answer', async () => {
  await using ai = await startAiServer();
  ai.setScript(answerWithPrompt);
  await using server = await startServerWith(ai);
  const socket = io(server.origin, { path: SOCKET_PATH, transports: ['websocket'], forceNew: true });
  let text = '';
  const ended = Promise.withResolvers<void>();
  socket.on('aidatain', (event: { readonly data: string }) => {
    text += event.data;
  });
  socket.on('aidataend', () => ended.resolve());
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.emit('/api/connect', { message: 'aiquery' });
  // Socket events are handled in order: after the acknowledgement the room is joined.
  await socket.emitWithAck('/api/roominit', { id: '0' });
  const response = await fetch(`${server.origin}/api/aiq?q=what is 100% of é, "5"?&id=0`);
  expect([response.ok, await response.json()]).toMatchObject([true, { message: 'ok' }]);
  await ended.promise;
  socket.disconnect();
  expect(text).toBe('what is 100% of é, "5"?');
});

test('other browsers can’t read or stop an answer, whatever cookie they have or lack', async () => {
  await using ai = await startAiServer();
  await using server = await startServerWith(ai);
  const fetchAs = async (name: string | undefined, path: string, body?: object) =>
    (
      await fetch(server.origin + path, {
        headers: { 'content-type': 'application/json', ...(name === undefined ? {} : visitor(name)) },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
    ).json() as Promise<Readonly<Record<string, unknown>>>;
  await using anna = await openListener(server, visitor('anna'));
  await using ben = await openListener(server, visitor('ben'));
  await using withoutCookie = await openListener(server);
  const received: (readonly [string, unknown])[] = [];
  const otherBrowsers = [
    ['ben', ben],
    [undefined, withoutCookie],
  ] as const;
  for (const [name, socket] of otherBrowsers)
    socket.raw.onAny((_event: string, data: { readonly answerid?: unknown }) =>
      received.push([name ?? 'bare', data.answerid]),
    );
  const { answerid } = await fetchAs('anna', '/api/aiq?q=secret&id=0');
  const annasQuestion = await ai.nextQuestion();
  annasQuestion.sendPiece('for anna');
  expect(await anna.nextEvent(aidatain)).toMatchObject({ data: 'for anna', answerid });
  const notRunning = { message: 'This answer is no longer running', code: 'ai.answer_not_running' };
  for (const name of ['ben', undefined]) {
    expect(await fetchAs(name, '/api/aianswers')).toMatchObject({ answers: [] });
    expect(await fetchAs(name, '/api/aistop', { answerid })).toEqual(notRunning);
    expect(await fetchAs(name, '/api/aistop', { answerid: 4711 })).toEqual(notRunning);
  }
  expect(await fetchAs('anna', '/api/aianswers')).toMatchObject({ answers: [{ answerid, text: 'for anna' }] });
  annasQuestion.end();
  await anna.nextEvent(aidataend);
  // Their own event arrives after everything that was sent before.
  ai.setScript(answerWith('own'));
  const ownEvents: (readonly [string, unknown])[] = [];
  for (const [name, socket] of otherBrowsers) {
    const question = await fetchAs(name, '/api/aiq?q=mine&id=0');
    expect(await socket.nextEvent(aidatain)).toMatchObject({ data: 'own' });
    await socket.nextEvent(aidataend);
    ownEvents.push([name ?? 'bare', question['answerid']], [name ?? 'bare', question['answerid']]);
  }
  expect(received).toEqual(ownEvents);
  expect(await fetchAs('anna', '/api/aianswers')).toMatchObject({ answers: [{ prompt: 'secret' }] });
});

test('clients of one address without a cookie share its room', async () => {
  await using ai = await startAiServer();
  ai.setScript(answerWithPrompt);
  await using server = await startServerWith(ai);
  await using first = await openListener(server);
  await using second = await openListener(server);
  await ask(server, 'hi');
  for (const page of [first, second]) expect(await page.nextEvent(aidatain)).toMatchObject({ data: 'hi' });
});

test('a stopped answer still has its text, and the request to the AI server is aborted', async () => {
  await using ai = await startAiServer();
  await using server = await startServerWith(ai);
  await using page = await openListener(server);
  const answerid = await ask(server, 'long');
  const question = await ai.nextQuestion();
  question.sendPiece('so far');
  await page.nextEvent(aidatain);
  await server.call(aistop, { answerid });
  expect(await page.nextEvent(aidataend)).toEqual({ answerid, state: 'stopped' });
  await question.closed;
  expect(await listAnswers(server)).toMatchObject([{ text: 'so far', state: 'stopped' }]);
  await expect(server.call(aistop, { answerid })).rejects.toThrow(
    new Refusal('ai.answer_not_running', 'This answer is no longer running'),
  );
});

test('closing the page does not stop its answer', async () => {
  await using ai = await startAiServer();
  await using server = await startServerWith(ai);
  const page = await openListener(server);
  await ask(server, 'long');
  const question = await ai.nextQuestion();
  await page[Symbol.asyncDispose]();
  await using laterPage = await openListener(server);
  question.sendPiece('all of it');
  await laterPage.nextEvent(aidatain);
  question.end();
  expect(await laterPage.nextEvent(aidataend)).toMatchObject({ state: 'done' });
});

test('a steady stream of 1,000 chunks a second arrives completely, in few events', async () => {
  await using ai = await startAiServer();
  ai.setScript(streamPieces(1500, 1000, (number) => `${number} 👋`));
  await using server = await startServerWith(ai);
  const chunks: { readonly data: string; readonly at: number }[] = [];
  await using page = await openSocket(server, { takes: { aidatain: (piece) => void chunks.push(piece) } });
  await page.request(roomInit, { id: '0' });
  await ask(server, 'count');
  expect(await page.nextEvent(aidataend)).toMatchObject({ state: 'done' });
  const text = Array.from({ length: 1500 }, (_, number) => `${number} 👋`).join('');
  expect(chunks.map(({ data }) => data).join('')).toBe(text);
  let length = 0;
  for (const { data, at } of chunks) {
    expect([at, data.isWellFormed()]).toEqual([length, true]);
    length += data.length;
  }
  expect(chunks.length).toBeLessThan(750);
  expect(await listAnswers(server)).toMatchObject([{ text, state: 'done' }]);
});

test('three answers run per room and four per server, and the others are queued', async () => {
  await using ai = await startAiServer();
  await using server = await startServerWith(ai, { isCluster: false }); // each instance has its own queue
  await using page = await openListener(server);
  const askInRoom = async (name: string) =>
    (await (
      await fetch(`${server.origin}/api/aiq?q=x&id=0`, { headers: { cookie: `pb_visitor=${name}` } })
    ).json()) as { readonly message: string; readonly waiting: number };
  for (const _ of [1, 2, 3]) expect(await askInRoom('anna')).toMatchObject({ message: 'ok', waiting: 0 });
  expect(await askInRoom('anna')).toEqual({
    message: '3 answers are still running here. Wait for one to finish, or stop it',
    code: 'ai.too_many_running',
  });
  const first = await ai.nextQuestion();
  expect(await askInRoom('ben')).toMatchObject({ waiting: 0 });
  const { answerid, waiting } = await server.call(aiq, { q: 'last', id: '0' });
  expect(waiting).toBe(1);
  await expect.poll(() => ai.getQuestionCount()).toBe(4);
  expect(await listAnswers(server)).toMatchObject([{ answerid, state: 'running', waiting: true }]);
  // A queued question can be stopped before it starts.
  await server.call(aistop, { answerid });
  expect(await page.nextEvent(aidataend)).toEqual({ answerid, state: 'stopped' });
  for (let count = 1; count <= 20; count += 1)
    expect(await askInRoom(`visitor ${count}`)).toMatchObject({ message: 'ok', waiting: count });
  expect(await askInRoom('visitor 21')).toEqual({
    message: 'Too many prompts are waiting. Try again in a moment',
    code: 'ai.queue_full',
  });
  for (const _ of [2, 3, 4]) await ai.nextQuestion();
  first.end();
  await ai.nextQuestion(); // the first queued one
});

test('prompts over the limits are refused with a sentence and not sent', async () => {
  await using ai = await startAiServer();
  ai.setScript(answerWithPrompt);
  await using server = await startServerWith(ai);
  await using page = await openListener(server);
  for (const call of [aiq, aiqLong]) {
    await expect(server.call(call, { q: ' \n', id: '0' })).rejects.toThrow(
      new Refusal('ai.prompt_empty', 'Enter a prompt'),
    );
  }
  await expect(server.call(aiqLong, { q: 'x'.repeat(MAX_PROMPT_LENGTH + 1) })).rejects.toThrow(
    'The prompt is too long. Enter at most 8,000 characters',
  );
  expect(ai.getQuestionCount()).toBe(0);
  const long = '👋'.repeat(MAX_PROMPT_LENGTH);
  await server.call(aiqLong, { q: long, id: '0' });
  await page.nextEvent(aidataend);
  expect(await listAnswers(server)).toMatchObject([{ prompt: long, text: long }]);
});

test('a visitor can ask ten times a minute, an account thirty times, by GET and POST together', async () => {
  await using ai = await startAiServer();
  await using server = await startServer({ environment: ai.environment, trustProxy: ['127.0.0.1'] });
  async function countAccepted(headers: Record<string, string>) {
    let acceptedCount = 0;
    for (const method of Array.from({ length: 40 }, (_, count) => (count % 2 ? 'POST' : 'GET'))) {
      const answer = await fetch(`${server.origin}/api/aiq${method === 'GET' ? '?q=' : ''}`, {
        method,
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9', ...headers },
        ...(method === 'POST' ? { body: '{"q":""}' } : {}),
      });
      if (answer.status === 429) return { taken: acceptedCount, retry: Number(answer.headers.get('retry-after')) > 0 };
      acceptedCount += 1;
    }
    return { taken: acceptedCount, retry: false };
  }
  // Counts in windows of half a minute.
  expect(await countAccepted({})).toEqual({ taken: 5, retry: true });
  const { token } = await server.createAccount('anna');
  expect(await countAccepted({ authorization: `Bearer ${token}` })).toEqual({ taken: 15, retry: true });
});

test('without an AI server, the refusal says what is missing', async () => {
  await using server = await startServer();
  await expect(server.call(aiq, { q: 'hi', id: '0' })).rejects.toThrow(
    new Refusal('ai.not_configured', 'This server has no AI. Ask the owner of this server to set one up'),
  );
  expect(await server.call(aianswers, {})).toEqual({ configured: false, answers: [] });
});

testOnBothDatabases('a restart ends running answers, whose text stays', async ({ dataDir, databaseUrl }) => {
  await using ai = await startAiServer();
  const options = { dataDir, databaseUrl };
  const text = "<b>'; -- 👋";
  {
    await using server = await startServerWith(ai, options);
    await using page = await openListener(server);
    await ask(server, 'first');
    const question = await ai.nextQuestion();
    question.sendPiece(text);
    await page.nextEvent(aidatain);
  }
  await using server = await startServerWith(ai, options);
  expect(await listAnswers(server)).toMatchObject([
    { prompt: 'first', text, state: 'failed', error: 'The server was restarted. Ask again' },
  ]);
});

test('the log and all responses contain no prompt, answer or key, whatever fails', async () => {
  await using ai = await startAiServer();
  const key = ai.environment['AI_API_KEY'] ?? '';
  await using server = await startServerWith(ai, { logLevel: 'debug' });
  await using page = await openListener(server);
  for (const script of [
    answerWith('ANSWER-hunter2'),
    ({ fail }) => fail(400, `no PROMPT for ${key} and ${'x'.repeat(500)}`),
    ({ fail }) => fail(401, key),
    ({ sendRaw, close }) => {
      sendRaw(`data: {"error":{"message":"bad ${key}"}}\n\n`);
      close();
    },
    ({ sendRaw, disconnect }) => {
      sendRaw('data: {"choices":[{"index":0,"delta":{"content":"ANSWER-hunter2');
      disconnect();
    },
  ] satisfies Parameters<AiServer['setScript']>[0][]) {
    ai.setScript(script);
    await ask(server, 'PROMPT-hunter2');
    await page.nextEvent(aidataend);
  }
  const answers = JSON.stringify(await listAnswers(server));
  expect(answers).toContain('The AI server responded with status 400: no PROMPT for *** and xxx');
  expect(answers).not.toContain(key);
  expect(server.log.filter((line) => /PROMPT|ANSWER|hunter2/.test(line))).toEqual([]);
});
