import { expect, test } from 'vitest';
import { UNREACHABLE_MESSAGE } from '#platform/contract/client.ts';
import { outcomeOf } from './history.ts';
import type { SentLine } from './lines.ts';

const NOW = 1_800_000_000_000;
const line = (outcome: string, agoMs = 0): SentLine => ({
  from: 'person',
  id: undefined,
  inputtype: 1,
  inputValue: 'hello',
  timesent: (NOW - agoMs) / 1000,
  outcome,
});

test('what was done is ok', () => expect(outcomeOf(line('ok'), NOW)).toEqual({ state: 'ok', words: 'ok' }));

test('what met no server was not sent', () =>
  expect(outcomeOf(line(UNREACHABLE_MESSAGE), NOW)).toEqual({ state: 'failed', words: 'Not sent' }));

test('what the computer refused says why', () =>
  expect(outcomeOf(line('There is no screen here'), NOW)).toEqual({
    state: 'failed',
    words: 'There is no screen here',
  }));

test('what has no outcome yet is being sent, and after 20 s nobody knows', () => {
  expect(outcomeOf(line('', 19_000), NOW)).toEqual({ state: 'pending', words: 'Sending' });
  expect(outcomeOf(line('', 21_000), NOW)).toEqual({ state: 'failed', words: 'outcome not known' });
});
