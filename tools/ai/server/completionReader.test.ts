import { describe, expect, test } from 'vitest';
import { CompletionError, CompletionReader, NotACompletion } from './completionReader.ts';

const chunk = (delta: object, reason: string | null = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] });
const events = (...data: readonly string[]): string => data.map((one) => `data: ${one}\n\n`).join('');

/** Reads a body in pieces of `size` characters. */
const readAll = (body: string, size: number) => {
  const reader = new CompletionReader();
  const read = { text: '', thoughts: '', reason: undefined as string | undefined };
  const add = (part: ReturnType<typeof reader.read> extends Iterable<infer Part> ? Part : never): void => {
    if (part.kind === 'text' || part.kind === 'thoughts') read[part.kind] += part.text;
    if (part.kind === 'end') read.reason = part.reason;
  };
  for (let at = 0; at < body.length && !reader.hasEnded; at += size)
    for (const part of reader.read(body.slice(at, at + size))) add(part);
  for (const part of reader.end()) add(part);
  return read;
};

describe.each([1, 7, 10_000])('a body in pieces of %i characters', (size) => {
  test.each([
    ['a list of chunks', `[${chunk({ content: 'Hel' })},${chunk({ content: 'lo' }, 'stop')}]`, 'Hello', ''],
    ['two chunks in one event', events(chunk({ content: 'a}{b' }) + chunk({ content: 'c' }, 'stop')), 'a}{bc', ''],
    [
      'many braces in one event',
      events(chunk({ content: '\\frac{a}{b}"}{' }) + chunk({ content: 'c' }, 'stop')),
      '\\frac{a}{b}"}{c',
      '',
    ],
    [
      'two chunks with a space between',
      events(`${chunk({ content: 'a' })} ${chunk({ content: 'c' }, 'stop')}`),
      'ac',
      '',
    ],
    ['objects on lines', `${chunk({ content: 'a}\n{' })}\n${chunk({ content: 'c' }, 'stop')}\n`, 'a}\n{c', ''],
    ['objects without lines', chunk({ content: 'a}{' }) + chunk({ content: 'c' }, 'stop'), 'a}{c', ''],
    ['one object over lines', JSON.stringify(JSON.parse(chunk({ content: 'Hi' }, 'stop')), null, 2), 'Hi', ''],
    ['a field name written twice', `data: data: ${chunk({ content: 'Hi' }, 'stop')}\n\n`, 'Hi', ''],
    ['one choice in place of a list', events('{"choices":{"delta":{"content":"Hi"}}}', '[DONE]'), 'Hi', ''],
    ['an end without brackets', events(chunk({ content: 'Hi' }), 'DONE'), 'Hi', ''],
    ['an end of another name', events(chunk({ content: 'Hi' }), '[END]'), 'Hi', ''],
    ['an empty error in each chunk', events('{"error":{},"choices":[{"delta":{"content":"Hi"}}]}', '[DONE]'), 'Hi', ''],
    ['parts that are plain texts', events(chunk({ content: ['Hel', 'lo'] }, 'stop')), 'Hello', ''],
    ['a part with a value', events(chunk({ content: [{ type: 'text', text: { value: 'Hi' } }] }, 'stop')), 'Hi', ''],
    ['a content that is an object', events(chunk({ content: { type: 'text', text: 'Hi' } }, 'stop')), 'Hi', ''],
    ['a content that is a number', events(chunk({ content: 42 }, 'stop')), '42', ''],
    [
      'the whole message again at the end',
      events(chunk({ content: 'ha' }), '{"choices":[{"message":{"content":"ha"},"finish_reason":"stop"}]}'),
      'ha',
      '',
    ],
    [
      'two equal chunks',
      events('{"choices":[{"message":{"content":"ha"}}]}', '{"choices":[{"message":{"content":"ha"}}]}', '[DONE]'),
      'haha',
      '',
    ],
    [
      'thoughts as an object',
      events(chunk({ thinking: { content: 'hm' } }), chunk({ content: 'Hi' }, 'stop')),
      'Hi',
      'hm',
    ],
    ['thoughts of another name', events(chunk({ thought: 'hm' }), chunk({ content: 'Hi' }, 'stop')), 'Hi', 'hm'],
    [
      'a list of summaries',
      events(chunk({ reasoning_details: [{ summary: [{ text: 'hm' }] }] }), chunk({ content: 'Hi' }, 'stop')),
      'Hi',
      'hm',
    ],
  ])('with %s is read completely', (_, body, text, thoughts) => {
    expect(readAll(body, size)).toEqual({ text, thoughts, reason: 'stop' });
  });

  test.each([
    ['an answer of another API', '{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}'],
    ['a stream of another API', 'event: message_start\ndata: {"type":"message_start"}\n\n'],
  ])('with %s is reported as no completion', (_, body) => {
    expect(() => readAll(body, size)).toThrow(NotACompletion);
  });

  test('an error that is a text is reported completely', () => {
    const body = 'event: error\ndata: model [x] {y} failed\n\n';
    expect(() => readAll(body, size)).toThrow(new CompletionError('model [x] {y} failed'));
  });

  test('an error inside a choice is reported', () => {
    const body = events('{"choices":[{"error":{"message":"boom"},"finish_reason":"error"}]}');
    expect(() => readAll(body, size)).toThrow(new CompletionError('boom'));
  });
});

test('an invalid chunk is reported, and the others count', () => {
  const body = `${chunk({ content: 'a' })}{broken}${chunk({ content: 'b' }, 'stop')}`;
  const read = { text: 'ab', thoughts: '', reason: 'damaged' };
  expect([readAll(body, 7), readAll(events(body), 7)]).toEqual([read, read]);
});

const FORMULA = String.raw`\frac{a}{b}{c}{d}`;

test.each([
  ['in one event', events(chunk({ content: FORMULA.repeat(200_000) }, 'stop'))],
  ['in one object', chunk({ content: FORMULA.repeat(200_000) }, 'stop')],
  ['in two chunks of one event', events(chunk({ content: FORMULA.repeat(200_000) }) + chunk({}, 'stop'))],
  ['in an event that is cut off', events(`${chunk({ content: FORMULA.repeat(200_000) }).slice(0, -1)} !`)],
  [
    'in an object of very many lines',
    JSON.stringify(
      { extra: Array.from({ length: 200_000 }, () => ({})), ...JSON.parse(chunk({ content: 'a' }, 'stop')) },
      null,
      1,
    ),
  ],
])('very many braces %s are read in time that grows with the length alone', (_, body) => {
  const start = performance.now();
  readAll(body, 16_384);
  expect(performance.now() - start).toBeLessThan(5000);
});
