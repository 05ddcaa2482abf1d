import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Answer, AnswerChunk } from '../contract.ts';
import {
  hasGapBefore,
  separateAnswer,
  getWholeText,
  endAnswer,
  addChunk,
  addQuestion,
  mergeAnswers,
  type Thread,
} from './thread.ts';

const createAnswer = (answerid: number, text: string, fields: Partial<Answer> = {}): Answer => ({
  answerid,
  prompt: `prompt ${answerid}`,
  text,
  state: 'running',
  waiting: false,
  created: '2026-11-21T12:00:00Z',
  ...fields,
});

function getFirst(thread: Thread) {
  const [answer] = thread;
  if (answer === undefined) throw new Error('no answer');
  return answer;
}

test('chunks that are repeated, late or around a reload add up to the text exactly once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 20 }),
      fc.infiniteStream(fc.nat({ max: 9 })),
      (parts, rolls) => {
        const text = parts.join('');
        const chunks: AnswerChunk[] = parts.map((data, at) => ({
          answerid: 1,
          data,
          at: parts.slice(0, at).join('').length,
        }));
        let thread: Thread = [];
        for (const [at, chunk] of chunks.entries()) {
          const roll = rolls.next().value ?? 0;
          if (roll === 0) continue; // a lost chunk
          if (hasGapBefore(thread, chunk)) thread = mergeAnswers(thread, [createAnswer(1, text.slice(0, chunk.at))]);
          thread = addChunk(thread, chunk);
          const earlier = chunks[roll % (at + 1)];
          if (roll > 5 && earlier) thread = addChunk(thread, earlier);
        }
        thread = mergeAnswers(thread, [createAnswer(1, text)]);
        // Not `getWholeText`, which leaves out a text that may begin reasoning.
        expect(getFirst(thread).text).toBe(text);
      },
    ),
  );
});

test('answers are in the order of their questions, whichever arrives first', () => {
  let thread = addChunk([], { answerid: 2, data: 'two', at: 0 });
  thread = addQuestion(thread, { answerid: 1, prompt: 'first', waiting: 1 });
  thread = addQuestion(thread, { answerid: 2, prompt: 'second', waiting: 1 });
  expect(thread).toMatchObject([
    { answerid: 1, prompt: 'first', text: '', waiting: true },
    { answerid: 2, prompt: 'second', text: 'two', waiting: false },
  ]);
});

test('an ended answer stays ended, and ended answers from before the page was opened are not added', () => {
  let thread = addQuestion([], { answerid: 1, prompt: 'p', waiting: 0 });
  thread = addChunk(thread, { answerid: 1, data: 'abc', at: 0 });
  thread = endAnswer(thread, { answerid: 1, state: 'failed', error: 'why' });
  thread = mergeAnswers(thread, [
    createAnswer(1, 'ab'),
    createAnswer(2, 'old', { state: 'done' }),
    createAnswer(3, 'runs'),
  ]);
  expect(thread).toMatchObject([
    { answerid: 1, text: 'abc', state: 'failed', error: 'why' },
    { answerid: 3, text: 'runs', state: 'running' },
  ]);
  expect(endAnswer(thread, { answerid: 9, state: 'done' })).toBe(thread);
});

test('an answer that failed before its question was accepted has failed, with its prompt', () => {
  const thread = endAnswer([], { answerid: 1, state: 'failed', error: 'why' });
  expect(addQuestion(thread, { answerid: 1, prompt: 'p', waiting: 1 })).toMatchObject([
    { answerid: 1, prompt: 'p', state: 'failed', error: 'why', waiting: false },
  ]);
});

test('reasoning is separated from the text, however it arrived', () => {
  let thread = addChunk([], { answerid: 1, data: 'Hm.', at: 0 }, 'thoughts');
  expect(hasGapBefore(thread, { answerid: 1, data: 'x', at: 4 }, 'thoughts')).toBe(true);
  thread = addChunk(thread, { answerid: 1, data: '. Six.', at: 2 }, 'thoughts');
  thread = addChunk(thread, { answerid: 1, data: '<think>Seven.', at: 0 });
  expect(separateAnswer(getFirst(thread))).toEqual({ thoughts: 'Hm. Six.\n\nSeven.', text: '' });
  thread = mergeAnswers(thread, [createAnswer(1, '<think>Seven.</think>42', { thoughts: 'Hm. Six. So' })]);
  expect(separateAnswer(getFirst(thread))).toEqual({ thoughts: 'Hm. Six. So\n\nSeven.', text: '42' });
  expect(getWholeText(thread)).toBe('42');
});

test('the prefix of a tag is hidden while it may become one', () => {
  const thread = addChunk([], { answerid: 1, data: '<thi', at: 0 });
  expect(separateAnswer(getFirst(thread)).text).toBe('');
  expect(separateAnswer({ ...getFirst(thread), state: 'done' }).text).toBe('<thi');
});
