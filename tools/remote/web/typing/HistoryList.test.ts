import { expect, test } from 'vitest';
import { UNREACHABLE_MESSAGE } from '#platform/contract/client.ts';
import { describeOutcome } from './HistoryList.tsx';
import type { SentLine } from './useHistory.ts';

const NOW = 1_800_000_000_000;
const line = (outcome: string, agoMs = 0): SentLine => ({
  from: 'person',
  id: undefined,
  inputtype: 1,
  inputValue: 'hello',
  timesent: (NOW - agoMs) / 1000,
  outcome,
});

test('a message that was done is ok', () =>
  expect(describeOutcome(line('ok'), NOW)).toEqual({ state: 'ok', words: 'ok' }));

test('a message that reached no server was not sent', () =>
  expect(describeOutcome(line(UNREACHABLE_MESSAGE), NOW)).toEqual({ state: 'failed', words: 'Not sent' }));

test('a message that the computer refused has the reason', () =>
  expect(describeOutcome(line('There is no screen here'), NOW)).toEqual({
    state: 'failed',
    words: 'There is no screen here',
  }));

test('a message without an outcome is being sent, and after 20 s its outcome is unknown', () => {
  expect(describeOutcome(line('', 19_000), NOW)).toEqual({ state: 'pending', words: 'Sending' });
  expect(describeOutcome(line('', 21_000), NOW)).toEqual({ state: 'failed', words: 'Outcome unknown' });
});
