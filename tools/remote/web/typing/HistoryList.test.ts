import { expect, test } from 'vitest';
import { UNREACHABLE_MESSAGE } from '#platform/contract/client.ts';
import { describeOutcome } from './HistoryList.tsx';
import type { SentLine } from './useMessageHistory.ts';

const NOW = 1_800_000_000_000;
const createLine = (outcome: string, agoMs = 0): SentLine => ({
  from: 'person',
  id: undefined,
  inputtype: 1,
  inputValue: 'hello',
  timesent: (NOW - agoMs) / 1000,
  outcome,
});

test('a message that was done is ok', () =>
  expect(describeOutcome(createLine('ok'), NOW)).toEqual({ state: 'ok', description: 'ok' }));

test('a message that reached no server was not sent', () =>
  expect(describeOutcome(createLine(UNREACHABLE_MESSAGE), NOW)).toEqual({ state: 'failed', description: 'Not sent' }));

test('a message that the computer refused has the reason', () =>
  expect(describeOutcome(createLine('There is no screen here'), NOW)).toEqual({
    state: 'failed',
    description: 'There is no screen here',
  }));

test('a message without an outcome is being sent, and after 20 s its outcome is unknown', () => {
  expect(describeOutcome(createLine('', 19_000), NOW)).toEqual({ state: 'pending', description: 'Sending' });
  expect(describeOutcome(createLine('', 21_000), NOW)).toEqual({ state: 'failed', description: 'Outcome unknown' });
});
