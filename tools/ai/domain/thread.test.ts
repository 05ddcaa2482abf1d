import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Answer, AnswerPiece } from '../contract.ts';
import {
  misses,
  separatedAnswer,
  wholeText,
  withEnding,
  withPiece,
  withQuestion,
  withAnswers,
  type Thread,
} from './thread.ts';

const listed = (answerid: number, text: string, more: Partial<Answer> = {}): Answer => ({
  answerid,
  prompt: `prompt ${answerid}`,
  text,
  state: 'running',
  waiting: false,
  created: '2026-11-21T12:00:00Z',
  ...more,
});

const first = (thread: Thread) => {
  const [answer] = thread;
  if (answer === undefined) throw new Error('no answer');
  return answer;
};

test('chunks that are repeated, late or around a reload add up to the text exactly once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 20 }),
      fc.infiniteStream(fc.nat({ max: 9 })),
      (parts, dice) => {
        const text = parts.join('');
        const chunks: AnswerPiece[] = parts.map((data, at) => ({
          answerid: 1,
          data,
          at: parts.slice(0, at).join('').length,
        }));
        let thread: Thread = [];
        for (const [at, piece] of chunks.entries()) {
          const roll = dice.next().value ?? 0;
          if (roll === 0) continue; // a lost chunk
          if (misses(thread, piece)) thread = withAnswers(thread, [listed(1, text.slice(0, piece.at))]);
          thread = withPiece(thread, piece);
          const earlier = chunks[roll % (at + 1)];
          if (roll > 5 && earlier) thread = withPiece(thread, earlier);
        }
        thread = withAnswers(thread, [listed(1, text)]);
        // Not `wholeText`, which leaves out a text that may begin reasoning.
        expect(first(thread).text).toBe(text);
      },
    ),
  );
});

test('answers are in the order of their questions, whichever arrives first', () => {
  let thread = withPiece([], { answerid: 2, data: 'two', at: 0 });
  thread = withQuestion(thread, { answerid: 1, prompt: 'first', waiting: 1 });
  thread = withQuestion(thread, { answerid: 2, prompt: 'second', waiting: 1 });
  expect(thread).toMatchObject([
    { answerid: 1, prompt: 'first', text: '', waiting: true },
    { answerid: 2, prompt: 'second', text: 'two', waiting: false },
  ]);
});

test('an ended answer stays ended, and ended answers from before the page was opened are not added', () => {
  let thread = withQuestion([], { answerid: 1, prompt: 'p', waiting: 0 });
  thread = withPiece(thread, { answerid: 1, data: 'abc', at: 0 });
  thread = withEnding(thread, { answerid: 1, state: 'failed', error: 'why' });
  thread = withAnswers(thread, [listed(1, 'ab'), listed(2, 'old', { state: 'done' }), listed(3, 'runs')]);
  expect(thread).toMatchObject([
    { answerid: 1, text: 'abc', state: 'failed', error: 'why' },
    { answerid: 3, text: 'runs', state: 'running' },
  ]);
  expect(withEnding(thread, { answerid: 9, state: 'done' })).toBe(thread);
});

test('an answer that failed before its question was accepted has failed, with its prompt', () => {
  const thread = withEnding([], { answerid: 1, state: 'failed', error: 'why' });
  expect(withQuestion(thread, { answerid: 1, prompt: 'p', waiting: 1 })).toMatchObject([
    { answerid: 1, prompt: 'p', state: 'failed', error: 'why', waiting: false },
  ]);
});

test('reasoning is separated from the text, however it arrived', () => {
  let thread = withPiece([], { answerid: 1, data: 'Hm.', at: 0 }, 'thoughts');
  expect(misses(thread, { answerid: 1, data: 'x', at: 4 }, 'thoughts')).toBe(true);
  thread = withPiece(thread, { answerid: 1, data: '. Six.', at: 2 }, 'thoughts');
  thread = withPiece(thread, { answerid: 1, data: '<think>Seven.', at: 0 });
  expect(separatedAnswer(first(thread))).toEqual({ thoughts: 'Hm. Six.\n\nSeven.', text: '' });
  thread = withAnswers(thread, [listed(1, '<think>Seven.</think>42', { thoughts: 'Hm. Six. So' })]);
  expect(separatedAnswer(first(thread))).toEqual({ thoughts: 'Hm. Six. So\n\nSeven.', text: '42' });
  expect(wholeText(thread)).toBe('42');
});

test('the prefix of a tag is hidden while it may become one', () => {
  const thread = withPiece([], { answerid: 1, data: '<thi', at: 0 });
  expect(separatedAnswer(first(thread)).text).toBe('');
  expect(separatedAnswer({ ...first(thread), state: 'done' }).text).toBe('<thi');
});
