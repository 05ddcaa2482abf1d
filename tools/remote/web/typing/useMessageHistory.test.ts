import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import { loadWithWindow } from '#testing/kits/browser/loadWithWindow.ts';
import type { PageLine } from './useComposer.ts';
import type { HistoryEntry } from './useMessageHistory.ts';

const { getLastReceivedMs, mergePageLines } = await loadWithWindow(() => import('./useComposer.ts'));
const { mergeLines, listReplies, upsertEntry, removeByIds } = await loadWithWindow(
  () => import('./useMessageHistory.ts'),
);

const sentEntry = (id: number, received: number, timesent = received): HistoryEntry => ({
  id,
  inputtype: 1,
  inputValue: `text ${id}`,
  timesent,
  received,
  outcome: 'ok',
});
const pageLine = (timesent: number, after: number): PageLine => ({
  inputtype: 1,
  inputValue: 'own',
  timesent,
  outcome: '',
  target: '1',
  after,
});

test('lines are in the order in which the server received them, whatever the senders’ clocks say', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true })), (times) => {
      const history = times.map((timesent, at) => sentEntry(at + 1, 1000 + at, timesent));
      const replies = [{ from: 'device' as const, id: 7, text: 'x', timesent: -1e9, received: 1000.5 }];
      const received = mergeLines(history, replies).map((line) => line.received ?? 0);
      expect(received).toEqual(received.toSorted((one, other) => one - other));
      expect(mergeLines(history, []).map(({ id }) => id)).toEqual(history.map(({ id }) => id));
    }),
  );
});

test('lines that only this page knows come after the line that was last when they were sent', () => {
  const lines = mergeLines([sentEntry(1, 100), sentEntry(2, 200)], []);
  const aheadOfServer = pageLine(999_999, getLastReceivedMs(lines));
  expect(mergePageLines(lines, [aheadOfServer]).map(({ id }) => id)).toEqual([1, 2, undefined]);
  const laterLines = mergeLines([sentEntry(1, 100), sentEntry(2, 200), sentEntry(3, 300)], []);
  expect(mergePageLines(laterLines, [aheadOfServer]).map(({ id }) => id)).toEqual([1, 2, undefined, 3]);
  // The server has it, as the time of sending shows.
  expect(mergePageLines(mergeLines([sentEntry(4, 400, 999_999)], []), [aheadOfServer]).map(({ id }) => id)).toEqual([
    4,
  ]);
});

test('the first line of all has the time at which it was sent', () => {
  const first = pageLine(500, getLastReceivedMs([]));
  expect(mergePageLines([], [first]).map(getReceivedMs)).toEqual([500_000]);
});

test('an entry replaces the one with its id, and deleted ones are removed', () => {
  const history = [sentEntry(1, 100), sentEntry(2, 200)];
  expect(upsertEntry(history, { ...sentEntry(2, 200), outcome: 'no' }).map(({ outcome }) => outcome)).toEqual([
    'ok',
    'no',
  ]);
  expect(upsertEntry(history, sentEntry(3, 300)).map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(removeByIds(history, [1]).map(({ id }) => id)).toEqual([2]);
  expect(removeByIds(history, undefined)).toEqual([]);
});

test('of the messages with a device only its own ones are its replies', () => {
  const details = [
    { id: 1, inputtype: 3 as const, timesent: 5, received: 6, from: '4' },
    { id: 2, inputtype: 1 as const, timesent: 5, received: 6, from: '9' },
    { id: 3, inputtype: 1 as const, timesent: 5, received: 6 },
  ];
  const response = { messages: ['ended', 'hello', 'by the account'], sentby: ['a', 'b', 'c'], details };
  expect(listReplies(response, '4')).toEqual([{ from: 'device', id: 1, timesent: 5, received: 6, text: 'ended' }]);
});
