import { describe, expect, test } from 'vitest';
import { CompletionError, CompletionReader, NotACompletion } from './completionReader.ts';

const createChunk = (delta: object, reason: string | null = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] });
const createEvents = (...data: readonly string[]): string => data.map((item) => `data: ${item}\n\n`).join('');

/** Reads a body in pieces of a number of characters. */
function readAll(body: string, pieceSize: number) {
  const reader = new CompletionReader();
  const result = { text: '', thoughts: '', reason: undefined as string | undefined };
  function addPart(part: ReturnType<typeof reader.read> extends Iterable<infer Part> ? Part : never): void {
    if (part.kind === 'text' || part.kind === 'thoughts') result[part.kind] += part.text;
    if (part.kind === 'end') result.reason = part.reason;
  }
  for (let at = 0; at < body.length && !reader.hasEnded; at += pieceSize)
    for (const part of reader.read(body.slice(at, at + pieceSize))) addPart(part);
  for (const part of reader.end()) addPart(part);
  return result;
}

describe.each([1, 7, 10_000])('a body in pieces of %i characters', (pieceSize) => {
  test.each([
    ['a list of chunks', `[${createChunk({ content: 'Hel' })},${createChunk({ content: 'lo' }, 'stop')}]`, 'Hello', ''],
    [
      'two chunks in one event',
      createEvents(createChunk({ content: 'a}{b' }) + createChunk({ content: 'c' }, 'stop')),
      'a}{bc',
      '',
    ],
    [
      'many braces in one event',
      createEvents(createChunk({ content: '\\frac{a}{b}"}{' }) + createChunk({ content: 'c' }, 'stop')),
      '\\frac{a}{b}"}{c',
      '',
    ],
    [
      'two chunks with a space between',
      createEvents(`${createChunk({ content: 'a' })} ${createChunk({ content: 'c' }, 'stop')}`),
      'ac',
      '',
    ],
    [
      'objects on lines',
      `${createChunk({ content: 'a}\n{' })}\n${createChunk({ content: 'c' }, 'stop')}\n`,
      'a}\n{c',
      '',
    ],
    ['objects without lines', createChunk({ content: 'a}{' }) + createChunk({ content: 'c' }, 'stop'), 'a}{c', ''],
    ['one object over lines', JSON.stringify(JSON.parse(createChunk({ content: 'Hi' }, 'stop')), null, 2), 'Hi', ''],
    ['a field name written twice', `data: data: ${createChunk({ content: 'Hi' }, 'stop')}\n\n`, 'Hi', ''],
    ['one choice in place of a list', createEvents('{"choices":{"delta":{"content":"Hi"}}}', '[DONE]'), 'Hi', ''],
    ['an end without brackets', createEvents(createChunk({ content: 'Hi' }), 'DONE'), 'Hi', ''],
    ['an end of another name', createEvents(createChunk({ content: 'Hi' }), '[END]'), 'Hi', ''],
    [
      'an empty error in each chunk',
      createEvents('{"error":{},"choices":[{"delta":{"content":"Hi"}}]}', '[DONE]'),
      'Hi',
      '',
    ],
    ['parts that are plain texts', createEvents(createChunk({ content: ['Hel', 'lo'] }, 'stop')), 'Hello', ''],
    [
      'a part with a value',
      createEvents(createChunk({ content: [{ type: 'text', text: { value: 'Hi' } }] }, 'stop')),
      'Hi',
      '',
    ],
    [
      'a content that is an object',
      createEvents(createChunk({ content: { type: 'text', text: 'Hi' } }, 'stop')),
      'Hi',
      '',
    ],
    ['a content that is a number', createEvents(createChunk({ content: 42 }, 'stop')), '42', ''],
    [
      'the whole message again at the end',
      createEvents(createChunk({ content: 'ha' }), '{"choices":[{"message":{"content":"ha"},"finish_reason":"stop"}]}'),
      'ha',
      '',
    ],
    [
      'two equal chunks',
      createEvents(
        '{"choices":[{"message":{"content":"ha"}}]}',
        '{"choices":[{"message":{"content":"ha"}}]}',
        '[DONE]',
      ),
      'haha',
      '',
    ],
    [
      'thoughts as an object',
      createEvents(createChunk({ thinking: { content: 'hm' } }), createChunk({ content: 'Hi' }, 'stop')),
      'Hi',
      'hm',
    ],
    [
      'thoughts of another name',
      createEvents(createChunk({ thought: 'hm' }), createChunk({ content: 'Hi' }, 'stop')),
      'Hi',
      'hm',
    ],
    [
      'a list of summaries',
      createEvents(
        createChunk({ reasoning_details: [{ summary: [{ text: 'hm' }] }] }),
        createChunk({ content: 'Hi' }, 'stop'),
      ),
      'Hi',
      'hm',
    ],
  ])('with %s is read completely', (_, body, text, thoughts) => {
    expect(readAll(body, pieceSize)).toEqual({ text, thoughts, reason: 'stop' });
  });

  test.each([
    ['an answer of another API', '{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}'],
    ['a stream of another API', 'event: message_start\ndata: {"type":"message_start"}\n\n'],
  ])('with %s is reported as no completion', (_, body) => {
    expect(() => readAll(body, pieceSize)).toThrow(NotACompletion);
  });

  test('an error that is a text is reported completely', () => {
    const body = 'event: error\ndata: model [x] {y} failed\n\n';
    expect(() => readAll(body, pieceSize)).toThrow(new CompletionError('model [x] {y} failed'));
  });

  test('an error inside a choice is reported', () => {
    const body = createEvents('{"choices":[{"error":{"message":"boom"},"finish_reason":"error"}]}');
    expect(() => readAll(body, pieceSize)).toThrow(new CompletionError('boom'));
  });
});

test('an invalid chunk is reported, and the others count', () => {
  const body = `${createChunk({ content: 'a' })}{broken}${createChunk({ content: 'b' }, 'stop')}`;
  const read = { text: 'ab', thoughts: '', reason: 'damaged' };
  expect([readAll(body, 7), readAll(createEvents(body), 7)]).toEqual([read, read]);
});

const FORMULA = String.raw`\frac{a}{b}{c}{d}`;

test.each([
  ['in one event', createEvents(createChunk({ content: FORMULA.repeat(200_000) }, 'stop'))],
  ['in one object', createChunk({ content: FORMULA.repeat(200_000) }, 'stop')],
  [
    'in two chunks of one event',
    createEvents(createChunk({ content: FORMULA.repeat(200_000) }) + createChunk({}, 'stop')),
  ],
  ['in an event that is cut off', createEvents(`${createChunk({ content: FORMULA.repeat(200_000) }).slice(0, -1)} !`)],
  [
    'in an object of very many lines',
    JSON.stringify(
      { extra: Array.from({ length: 200_000 }, () => ({})), ...JSON.parse(createChunk({ content: 'a' }, 'stop')) },
      null,
      1,
    ),
  ],
])('very many braces %s are read in time that grows with the length alone', (_, body) => {
  const start = process.cpuUsage();
  readAll(body, 16_384);
  // Processor time does not depend on other programs. In quadratic time this would take minutes.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(20);
});
