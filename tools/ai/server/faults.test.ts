import { expect, test } from 'vitest';
import { roomInit } from '#platform/contract/realtime.ts';
import { findFreePort } from '#testing/journeys/program.ts';
import { type AiScript, startAiServer } from '#testing/kits/chat/aiServer.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { aianswers, aidataend, aidatain, aithoughtin, aiq, MAX_ANSWER_LENGTH } from '../contract.ts';
import { FIRST_CHUNK_TIMEOUT_MS, CHUNK_TIMEOUT_MS, ANSWER_TIMEOUT_MS } from './answers.ts';
import { createAiTool } from './index.ts';

/** Starts a server with manual timers, its AI server, and a listening page. */
async function startSite(environment: Readonly<Record<string, string>> = {}) {
  const ai = await startAiServer();
  const timers = createManualTimers();
  const server = await startServer({
    environment: { ...ai.environment, ...environment },
    tools: [createAiTool(timers)],
  });
  const page = await openSocket(server);
  await page.request(roomInit, { id: '0' });
  return {
    ai,
    server,
    timers,
    page,
    ask: async () => server.call(aiq, { q: 'hi', id: '0' }),
    /** Waits for the end of the answer and returns it. */
    waitForEnd: async () => {
      const { state, error } = await page.nextEvent(aidataend);
      const { answers } = await server.call(aianswers, {});
      expect(answers.at(-1)).toMatchObject({ state, ...(error === undefined ? {} : { error }) });
      return { state, error, text: answers.at(-1)?.text };
    },
    [Symbol.asyncDispose]: async () => {
      await page[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await ai[Symbol.asyncDispose]();
    },
  };
}

const createChunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const createPiece = (content: string): string => createChunk({ content });
const message = { role: 'assistant', content: 'Hello, world' };

test.each<readonly [string, AiScript, object]>([
  [
    'a wrong key',
    ({ fail }) => fail(401, 'bad key'),
    {
      state: 'failed',
      error: 'The AI server refused the key. Ask the owner of this server to check AI_API_KEY',
      text: '',
    },
  ],
  [
    'an unknown model',
    ({ fail }) => fail(404, 'model not found'),
    {
      state: 'failed',
      error:
        'The AI server has no such model or address. Ask the owner of this server to check AI_MODEL and AI_BASE_URL',
    },
  ],
  [
    'an internal error, also after a retry',
    ({ fail }) => fail(500, 'out of\n memory'),
    { state: 'failed', error: 'The AI server responded with status 500: out of memory' },
  ],
  [
    'an error within the stream',
    ({ sendPiece: send, sendRaw, close }) => {
      send('so far');
      sendRaw('data: {"error":{"message":"context is full"}}\n\n');
      close();
    },
    { state: 'failed', error: 'The AI server could not answer: context is full', text: 'so far' },
  ],
  [
    'a line cut in the middle',
    ({ sendRaw, disconnect }) => {
      sendRaw(createPiece('so far'));
      sendRaw('data: {"choices":[{"index":0,"del');
      setImmediate(disconnect);
    },
    { state: 'failed', error: 'The connection to the AI server was lost before the answer was complete' },
  ],
  [
    'neither a reason nor an end',
    ({ sendPiece: send, close }) => {
      send('so far');
      close();
    },
    {
      state: 'cut',
      error: 'The AI server stopped here, so the answer may be incomplete',
      text: 'so far',
    },
  ],
  [
    'nothing but an end of the connection',
    ({ sendRaw, close }) => {
      sendRaw(': hello\n\n');
      close();
    },
    { state: 'failed', error: 'The AI server closed the connection without an answer. Try again' },
  ],
  [
    'a tool call',
    ({ sendPiece: send, sendRaw, close }) => {
      send('Let me look.');
      sendRaw(createChunk({ tool_calls: [{ index: 0, function: { name: 'search', arguments: '{' } }] }, 'tool_calls'));
      close();
    },
    {
      state: 'cut',
      error: 'The model asked for a tool, but no tools are available here',
      text: 'Let me look.',
    },
  ],
  [
    'a tool call without text',
    ({ sendRaw, close }) => {
      sendRaw(createChunk({ content: null, tool_calls: [{ index: 0 }] }));
      sendRaw('data: [DONE]\n\n');
      close();
    },
    { state: 'failed', error: 'The model asked for a tool, but no tools are available here' },
  ],
  [
    'a part that cannot be read',
    ({ sendPiece: send, sendRaw, end }) => {
      send('so far');
      sendRaw('data: {"choices":[{"index":0,"del\n\n');
      send(', and on');
      end();
    },
    { state: 'cut', error: 'Part of the answer could not be read', text: 'so far, and on' },
  ],
  [
    'thoughts alone',
    ({ sendPiece: send, end }) => {
      send('<think>Hm, 6 times 7 is 42</think>');
      end();
    },
    { state: 'failed', error: 'The AI server sent an empty answer. Try again' },
  ],
  ...[
    'event: error\ndata: {"message":"context is full"}\n\n',
    'event: error\ndata: context is full\n\n',
    'event: error\ndata: "context is full"\n\n',
    'data: {"object":"error","message":"context is full","code":400}\n\n',
    'data: {"type":"error","error":{"detail":"context is full"}}\n\n',
    'data: {"detail":"context is full"}\n\n',
    'data: {"detail":[{"loc":["body"],"msg":"context is full"}]}\n\n',
    '{"object":"error","message":"context is full"}',
    '{"error":"context is full"}',
    '{"detail":"context is full"}',
    '{"errors":[{"message":"context is full"}]}',
  ].map((error): [string, AiScript, object] => [
    `the error ${error.trim()}`,
    ({ sendRaw, close }) => {
      sendRaw(error);
      close();
    },
    { state: 'failed', error: 'The AI server could not answer: context is full' },
  ]),
  [
    'nothing at all',
    ({ end }) => end(),
    { state: 'failed', error: 'The AI server sent an empty answer. Try again', text: '' },
  ],
  [
    'blanks alone',
    ({ sendPiece: send, end }) => {
      send(' \n');
      end();
    },
    { state: 'failed', error: 'The AI server sent an empty answer. Try again' },
  ],
  [
    'its limit of length',
    ({ sendPiece: send, end }) => {
      send('so far');
      end('length');
    },
    { state: 'cut', error: 'The answer reached the limit of the model and was cut off here', text: 'so far' },
  ],
  [
    'its limit of length before any text',
    ({ sendThought, end }) => {
      sendThought('hm');
      end('length');
    },
    { state: 'failed', error: 'The model reached its limit before it answered. Try a shorter prompt' },
  ],
  [
    'a withheld answer',
    ({ end }) => end('content_filter'),
    { state: 'failed', error: 'The AI server withheld the answer' },
  ],
  [
    'more than the maximum',
    ({ sendPiece: send, end }) => {
      for (let sent = 0; sent < 11; sent += 1) send('x'.repeat(MAX_ANSWER_LENGTH / 10));
      end();
    },
    {
      state: 'cut',
      error: 'The answer reached 100,000 characters and was cut off here',
      text: 'x'.repeat(MAX_ANSWER_LENGTH),
    },
  ],
  [
    'a web page',
    ({ sendRaw, close }) => {
      sendRaw('<html>');
      close();
    },
    {
      state: 'failed',
      error:
        'The response is not from an AI server. Ask the owner of this server to check AI_BASE_URL, which usually ends with /v1',
      text: '',
    },
  ],
])('an AI server that answers with %s is explained in plain words', async (_, script, result) => {
  await using site = await startSite();
  site.ai.setScript(script);
  await site.ask();
  expect(await site.waitForEnd()).toMatchObject(result);
});

test.each<readonly [string, readonly string[]]>([
  ['without a reason at its end', [createPiece('Hello, '), createPiece('world'), 'data: [DONE]\n\n']],
  ['with another name for its end', [createPiece('Hello, world'), createChunk({}, 'EOS')]],
  [
    'with pings in the middle',
    [createPiece('Hello, '), 'event: ping\ndata: {}\n\n', createPiece('world'), createChunk({}, 'stop')],
  ],
  [
    'with empty pings',
    [createPiece('Hello, '), 'event: ping\ndata: \n\n: waiting\n\n', createPiece('world'), createChunk({}, 'stop')],
  ],
  [
    'with single line ends between its events',
    [createPiece('Hello, '), createPiece('world'), createChunk({}, 'stop'), 'data: [DONE]\n\n'].map((line) =>
      line.replace('\n\n', '\n'),
    ),
  ],
  [
    'with single line ends of Windows, names and pings',
    [createPiece('Hello, '), 'data: ping\n\n', createPiece('world'), createChunk({}, 'stop')].map(
      (line) => `event: message\r\n${line.replace('\n\n', '\r\n')}`,
    ),
  ],
  [
    'cut into single characters with single line ends',
    (createPiece('Hello, ') + createPiece('world') + createChunk({}, 'stop')).replaceAll('\n\n', '\n').split(''),
  ],
  [
    'as events of several lines',
    [createPiece('Hello, world'), createChunk({}, 'stop')].map((event) => {
      const lines = JSON.stringify(JSON.parse(event.slice(6)), null, 2).split('\n');
      return `${lines.map((line) => `data: ${line}\n`).join('')}\n`;
    }),
  ],
  ['with its end in small letters', [createPiece('Hello, world'), 'data: [done]\n\n']],
  ['with its end as JSON', [createPiece('Hello, world'), 'data: "[DONE]"\n\n']],
  [
    'with its index as a text',
    ['data: {"choices":[{"index":"0","delta":{"content":"Hello, world"},"finish_reason":"stop"}]}\n\n'],
  ],
  ['as plain JSON', [JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })]],
  ['as JSON over several lines', [JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }, null, 2)]],
  [
    'as lines of JSON',
    [createPiece('Hello, '), createPiece('world'), createChunk({}, 'stop')].map((line) => line.slice(6, -1)),
  ],
  ['with a blank first', ['\u{feff}\n\n', createPiece('Hello, world'), createChunk({}, 'stop')]],
  [
    'without blanks after its colons',
    [createPiece('Hello, world'), createChunk({}, 'stop')].map((line) => line.replace('data: ', 'data:')),
  ],
  [
    'in lines of Windows',
    [createPiece('Hello, world'), createChunk({}, 'stop')].map((line) => line.replaceAll('\n', '\r\n')),
  ],
  ['cut into single characters', (createPiece('Hello, ') + createPiece('world') + createChunk({}, 'stop')).split('')],
  ['without the last blank line', [createPiece('Hello, world'), createChunk({}, 'stop').trimEnd()]],
  [
    'with its use of tokens at the end',
    [createPiece('Hello, world'), createChunk({}, 'stop'), 'data: {"choices":[],"usage":{}}\n\n'],
  ],
  [
    'with a role first',
    [createChunk({ role: 'assistant', content: null }), createPiece('Hello, world'), createChunk({}, 'stop')],
  ],
  ['in typed parts', [createChunk({ content: [{ type: 'text', text: 'Hello, world' }] }), createChunk({}, 'stop')]],
  ['as a text completion', ['data: {"choices":[{"text":"Hello, world","finish_reason":"stop"}]}\n\n']],
  [
    'beside another choice',
    [
      createPiece('Hello, world'),
      'data: {"choices":[{"index":1,"delta":{"content":"no"}}]}\n\n',
      createChunk({}, 'stop'),
    ],
  ],
])('an answer that is sent %s is shown completely', async (_, lines) => {
  await using site = await startSite();
  site.ai.setScript(async ({ sendRaw, close }) => {
    for (const line of lines) sendRaw(line);
    close();
  });
  await site.ask();
  expect(await site.waitForEnd()).toEqual({ state: 'done', text: 'Hello, world' });
});

test('a stream that stays open after its end has ended', async () => {
  await using site = await startSite();
  site.ai.setScript(({ sendRaw }) => sendRaw(`${createPiece('Hello')}data: [DONE]\n\n`));
  await site.ask();
  expect(await site.waitForEnd()).toEqual({ state: 'done', text: 'Hello' });
});

test.each(['reasoning_content', 'reasoning'])('reasoning in `%s` is separated from the answer', async (field) => {
  await using site = await startSite();
  const { answerid } = await site.ask();
  const question = await site.ai.nextQuestion();
  question.sendRaw(createChunk({ [field]: 'Hm, 6 ' }));
  expect(await site.page.nextEvent(aithoughtin)).toEqual({ data: 'Hm, 6 ', answerid, at: 0 });
  question.sendRaw(createChunk({ [field]: 'times 7.', content: '' }));
  question.sendPiece('42');
  question.end();
  expect(await site.page.nextEvent(aithoughtin)).toEqual({ data: 'times 7.', answerid, at: 6 });
  expect(await site.page.nextEvent(aidatain)).toEqual({ data: '42', answerid, at: 0 });
  expect(await site.waitForEnd()).toEqual({ state: 'done', text: '42' });
  const { answers } = await site.server.call(aianswers, {});
  expect(answers.at(-1)?.thoughts).toBe('Hm, 6 times 7.');
});

test.each([
  { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] },
  { reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] },
  { thinking: 'Hm.' },
  { reasoning_text: 'Hm.' },
])('thoughts are read once from %j', async (delta) => {
  await using site = await startSite();
  site.ai.setScript(({ sendRaw, end }) => {
    sendRaw(createChunk(delta) + createPiece('42'));
    end();
  });
  await site.ask();
  expect(await site.waitForEnd()).toEqual({ state: 'done', text: '42' });
  const { answers } = await site.server.call(aianswers, {});
  expect(answers.at(-1)?.thoughts).toBe('Hm.');
});

test('an unreachable AI server is explained in plain words', async () => {
  await using site = await startSite({ AI_BASE_URL: `http://127.0.0.1:${await findFreePort()}/v1` });
  await site.ask();
  expect(await site.waitForEnd()).toEqual({
    state: 'failed',
    error: 'The AI server cannot be reached. It may not be running',
    text: '',
  });
});

test('a model has two minutes for its first chunk', async () => {
  await using site = await startSite();
  await site.ask();
  const question = await site.ai.nextQuestion();
  site.timers.advance(FIRST_CHUNK_TIMEOUT_MS - 1);
  question.sendPiece('at last');
  await site.page.nextEvent(aidatain);
  question.end();
  expect(await site.waitForEnd()).toMatchObject({ state: 'done' });
  await site.ask();
  const { closed } = await site.ai.nextQuestion();
  site.timers.advance(FIRST_CHUNK_TIMEOUT_MS);
  expect(await site.waitForEnd()).toEqual({ state: 'failed', error: 'The model took too long. Try again', text: '' });
  await closed;
});

test('an answer fails after half a minute without a chunk, and its text stays', async () => {
  await using site = await startSite();
  await site.ask();
  const question = await site.ai.nextQuestion();
  question.sendPiece('so far');
  await site.page.nextEvent(aidatain);
  site.timers.advance(CHUNK_TIMEOUT_MS);
  expect(await site.waitForEnd()).toEqual({
    state: 'failed',
    error: 'The model took too long. Try again',
    text: 'so far',
  });
  await question.closed;
});

test('an endless answer is cut after ten minutes', async () => {
  await using site = await startSite();
  await site.ask();
  const question = await site.ai.nextQuestion();
  const intervalMs = CHUNK_TIMEOUT_MS - 1000;
  let text = '';
  for (let passed = 0; passed + intervalMs < ANSWER_TIMEOUT_MS; passed += intervalMs) {
    question.sendPiece('and ');
    await site.page.nextEvent(aidatain);
    text += 'and ';
    site.timers.advance(intervalMs);
  }
  question.sendPiece('and ');
  await site.page.nextEvent(aidatain);
  site.timers.advance(intervalMs);
  const result = await site.waitForEnd();
  expect(result).toEqual({
    state: 'cut',
    error: 'The answer took longer than 10 minutes and was cut off here',
    text: `${text}and `,
  });
  await question.closed;
});

test('chunks within 50 ms of each other are sent together', async () => {
  await using site = await startSite();
  const { answerid } = await site.ask();
  const question = await site.ai.nextQuestion();
  question.sendPiece('a');
  expect(await site.page.nextEvent(aidatain)).toEqual({ data: 'a', answerid, at: 0 });
  for (const text of ['b', 'c', '\ud83d']) question.sendPiece(text);
  question.sendPiece('\udc4b');
  question.end();
  expect(await site.page.nextEvent(aidatain)).toEqual({ data: 'bc👋', answerid, at: 1 });
  expect(await site.waitForEnd()).toMatchObject({ state: 'done', text: 'abc👋' });
});
