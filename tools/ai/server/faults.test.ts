import { expect, test } from 'vitest';
import { roomInit } from '#platform/contract/realtime.ts';
import { type AiScript, startAiServer } from '#testing/aiServer.ts';
import { freePort } from '#testing/journeys/program.ts';
import { startServer } from '#testing/server.ts';
import { openSocket } from '#testing/socket.ts';
import { handTimers } from '#testing/timers.ts';
import { aianswers, aidataend, aidatain, aiq, ANSWER_LIMIT } from '../contract.ts';
import { FIRST_PIECE_MS, NEXT_PIECE_MS, WHOLE_ANSWER_MS } from './answering.ts';
import { aiWith } from './index.ts';

/** A server whose AI tool's clock stands still, the AI server it asks, and a page that listens. */
const start = async (environment: Readonly<Record<string, string>> = {}) => {
  const ai = await startAiServer();
  const timers = handTimers();
  const server = await startServer({ environment: { ...ai.environment, ...environment }, tools: [aiWith(timers)] });
  const page = await openSocket(server);
  await page.ask(roomInit, { id: '0' });
  return {
    ai,
    timers,
    page,
    ask: async () => server.call(aiq, { q: 'hi', id: '0' }),
    /** The answer as it ended. */
    end: async () => {
      const { state, error } = await page.next(aidataend);
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
};

const piece = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

test.each<readonly [string, AiScript, object]>([
  [
    'a wrong key',
    ({ fail }) => fail(401, 'bad key'),
    { state: 'failed', error: 'The AI server refused the key; AI_API_KEY holds it', text: '' },
  ],
  [
    'a model that is not there',
    ({ fail }) => fail(404, 'model not found'),
    { state: 'failed', error: 'The AI server knows no such model or address; AI_MODEL and AI_BASE_URL hold them' },
  ],
  [
    'a fault of its own, tried once more',
    ({ fail }) => fail(500, 'out of\n memory'),
    { state: 'failed', error: 'The AI server answered 500: out of memory' },
  ],
  [
    'an error within the stream',
    ({ piece: say, raw, close }) => {
      say('so far');
      raw('data: {"error":{"message":"context is full"}}\n\n');
      close();
    },
    { state: 'failed', error: 'The AI server could not answer: context is full', text: 'so far' },
  ],
  [
    'a line cut in the middle',
    ({ raw, cut }) => {
      raw(piece('so far'));
      raw('data: {"choices":[{"index":0,"del');
      setImmediate(cut);
    },
    { state: 'failed', error: 'The AI server broke the answer off' },
  ],
  [
    'an end without a reason',
    ({ piece: say, close }) => {
      say('so far');
      close();
    },
    { state: 'failed', error: 'The AI server broke the answer off', text: 'so far' },
  ],
  ['nothing at all', ({ end }) => end(), { state: 'failed', error: 'The AI server gave an empty answer', text: '' }],
  [
    'blanks alone',
    ({ piece: say, end }) => {
      say(' \n');
      end();
    },
    { state: 'failed', error: 'The AI server gave an empty answer' },
  ],
  [
    'its limit of length',
    ({ piece: say, end }) => {
      say('so far');
      end('length');
    },
    { state: 'cut', error: "The answer reached the model's limit and was cut here", text: 'so far' },
  ],
  [
    'its limit of length before any text',
    ({ thought, end }) => {
      thought('hm');
      end('length');
    },
    { state: 'failed', error: 'The model reached its limit before it had answered' },
  ],
  [
    'what it withholds',
    ({ end }) => end('content_filter'),
    { state: 'failed', error: 'The AI server withheld the answer' },
  ],
  [
    'more than is kept',
    ({ piece: say, end }) => {
      for (let sent = 0; sent < 11; sent += 1) say('x'.repeat(ANSWER_LIMIT / 10));
      end();
    },
    { state: 'cut', error: 'The answer reached 100000 characters and was cut here', text: 'x'.repeat(ANSWER_LIMIT) },
  ],
  [
    'no stream',
    ({ raw, close }) => {
      raw('<html>');
      close();
    },
    { state: 'failed', error: 'The AI server broke the answer off', text: '' },
  ],
])('an AI server that answers with %s is told in plain words', async (_, script, ended) => {
  await using site = await start();
  site.ai.answer(script);
  await site.ask();
  expect(await site.end()).toMatchObject(ended);
});

test('an AI server that is not there is told in plain words', async () => {
  await using site = await start({ AI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` });
  await site.ask();
  expect(await site.end()).toEqual({
    state: 'failed',
    error: 'The AI server cannot be reached; it may not be running',
    text: '',
  });
});

test('a model has two minutes for its first piece', async () => {
  await using site = await start();
  await site.ask();
  const question = await site.ai.question();
  site.timers.turn(FIRST_PIECE_MS - 1);
  question.piece('at last');
  await site.page.next(aidatain);
  question.end();
  expect(await site.end()).toMatchObject({ state: 'done' });
  await site.ask();
  const { gone } = await site.ai.question();
  site.timers.turn(FIRST_PIECE_MS);
  expect(await site.end()).toEqual({ state: 'failed', error: 'The model took too long', text: '' });
  await gone;
});

test('a model that falls silent is given up after half a minute, with what it wrote', async () => {
  await using site = await start();
  await site.ask();
  const question = await site.ai.question();
  question.piece('so far');
  await site.page.next(aidatain);
  site.timers.turn(NEXT_PIECE_MS);
  expect(await site.end()).toEqual({ state: 'failed', error: 'The model took too long', text: 'so far' });
  await question.gone;
});

test('an answer that does not end is cut after ten minutes', async () => {
  await using site = await start();
  await site.ask();
  const question = await site.ai.question();
  const every = NEXT_PIECE_MS - 1000;
  let text = '';
  for (let passed = 0; passed + every < WHOLE_ANSWER_MS; passed += every) {
    question.piece('and ');
    await site.page.next(aidatain);
    text += 'and ';
    site.timers.turn(every);
  }
  question.piece('and ');
  await site.page.next(aidatain);
  site.timers.turn(every);
  const ended = await site.end();
  expect(ended).toEqual({
    state: 'cut',
    error: 'The answer took longer than 10 minutes and was cut here',
    text: `${text}and `,
  });
  await question.gone;
});

test('what comes within 50 ms of a piece is sent with the next', async () => {
  await using site = await start();
  const { answerid } = await site.ask();
  const question = await site.ai.question();
  question.piece('a');
  expect(await site.page.next(aidatain)).toEqual({ data: 'a', answerid, at: 0 });
  for (const more of ['b', 'c', '\ud83d']) question.piece(more);
  question.piece('\udc4b');
  question.end();
  expect(await site.page.next(aidatain)).toEqual({ data: 'bc👋', answerid, at: 1 });
  expect(await site.end()).toMatchObject({ state: 'done', text: 'abc👋' });
});
