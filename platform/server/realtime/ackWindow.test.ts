import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAckWindow, MAX_UNACKNOWLEDGED } from './ackWindow.ts';

function createTestWindow() {
  const sent: { readonly data: number; readonly acknowledge: () => void; readonly isSilent: boolean }[] = [];
  const window = createAckWindow<number>(
    (data, acknowledge, isSilent) => void sent.push({ data, acknowledge, isSilent }),
  );
  return { window, sent, listData: () => sent.map(({ data }) => data) };
}

test('a receiver without acknowledgements gets eight events, and after one acknowledgement the newest', () => {
  const { window, sent, listData } = createTestWindow();
  for (let event = 1; event <= 100; event += 1) window.send(event);
  expect(listData()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  sent[0]?.acknowledge();
  expect(listData()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 100]);
  sent[1]?.acknowledge();
  expect(sent).toHaveLength(9);
});

test('a returned heartbeat acknowledges everything that was sent before it', () => {
  const { window, listData } = createTestWindow();
  for (let event = 1; event <= 4; event += 1) window.send(event);
  window.onHeartbeatSent();
  for (let event = 5; event <= 20; event += 1) window.send(event);
  window.onHeartbeatReceived();
  expect(listData()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 20]);
  for (let event = 21; event <= 40; event += 1) window.send(event);
  expect(listData().slice(9)).toEqual([21, 22, 23]);
});

test('a receiver with only heartbeats is silent until it acknowledges something', () => {
  const { window, sent } = createTestWindow();
  window.send(1);
  window.onHeartbeatSent();
  window.onHeartbeatReceived();
  window.send(2);
  sent[1]?.acknowledge();
  window.send(3);
  expect(sent.map(({ isSilent }) => isSilent)).toEqual([false, true, false]);
});

test('a repeated acknowledgement counts once', () => {
  const { window, sent } = createTestWindow();
  for (let event = 1; event <= 20; event += 1) window.send(event);
  sent[0]?.acknowledge();
  sent[0]?.acknowledge();
  window.send(21);
  expect(sent).toHaveLength(9);
});

test('in any history, order is preserved, at most eight events are open, and the last one arrives', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (steps) => {
      const { window, sent, listData } = createTestWindow();
      let lastEvent = 0;
      let acknowledged = 0;
      function acknowledgeNext(): void {
        sent[acknowledged]?.acknowledge();
        acknowledged += 1;
      }
      for (const isOffer of steps) {
        if (isOffer) window.send((lastEvent += 1));
        else if (acknowledged < sent.length) acknowledgeNext();
        expect(sent.length - acknowledged).toBeLessThanOrEqual(MAX_UNACKNOWLEDGED);
      }
      while (acknowledged < sent.length) acknowledgeNext();
      expect(listData()).toEqual(listData().toSorted((one, other) => one - other));
      if (lastEvent > 0) expect(listData().at(-1)).toBe(lastEvent);
    }),
  );
});

/** Differences of named numbers; the text before a number is its name. */
type Difference = Readonly<Record<string, number>>;
function createDifferenceWindow() {
  const sent: { readonly owner: string; readonly data: Difference; readonly acknowledge: () => void }[] = [];
  let lostCount = 0;
  const window = createAckWindow<{ readonly owner: string; readonly data: Difference }>(
    ({ owner, data }, acknowledge) => void sent.push({ owner, data, acknowledge }),
    {
      merge: (older, newer) => ({ owner: newer.owner, data: { ...older.data, ...newer.data } }),
      key: ({ owner }) => owner,
      onReplaced: () => (lostCount += 1),
    },
  );
  return { window, sent, getLostCount: () => lostCount };
}

test('queued differences are merged by key, and none is lost', () => {
  const { window, sent, getLostCount } = createDifferenceWindow();
  for (let event = 0; event < MAX_UNACKNOWLEDGED; event += 1) window.send({ owner: 'a', data: { first: event } });
  window.send({ owner: 'a', data: { film: 1, music: 1 } });
  window.send({ owner: 'b', data: { film: 9 } });
  window.send({ owner: 'a', data: { film: 2 } });
  expect(sent).toHaveLength(MAX_UNACKNOWLEDGED);
  sent[0]?.acknowledge();
  sent[1]?.acknowledge();
  sent[2]?.acknowledge();
  expect(sent.slice(MAX_UNACKNOWLEDGED).map(({ owner, data }) => [owner, data])).toEqual([
    ['a', { film: 2, music: 1 }],
    ['b', { film: 9 }],
  ]);
  expect(getLostCount()).toBe(0);
});

test('in any history, a receiver ends with the newest value of each name', () => {
  const offers = fc.record({
    owner: fc.constantFrom('a', 'b', 'c'),
    data: fc.dictionary(fc.constantFrom('film', 'music', 'game'), fc.nat(100), { minKeys: 1 }),
  });
  const steps = fc.array(fc.oneof(offers, fc.record({ ack: fc.nat(20) })), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (all) => {
      const { window, sent } = createDifferenceWindow();
      const newest = new Map<string, Difference>();
      const open = new Set<number>();
      let trackedCount = 0;
      function trackNew(): void {
        for (; trackedCount < sent.length; trackedCount += 1) open.add(trackedCount);
      }
      for (const step of all) {
        if ('ack' in step) {
          const number = [...open][step.ack % Math.max(1, open.size)];
          if (number !== undefined && open.delete(number)) sent[number]?.acknowledge();
        } else {
          newest.set(step.owner, { ...newest.get(step.owner), ...step.data });
          window.send(step);
        }
        trackNew();
        expect(open.size).toBeLessThanOrEqual(MAX_UNACKNOWLEDGED);
      }
      for (const number of open) {
        open.delete(number);
        sent[number]?.acknowledge();
        trackNew();
      }
      const applied = new Map<string, Difference>();
      for (const { owner, data } of sent) applied.set(owner, { ...applied.get(owner), ...data });
      expect(applied).toEqual(newest);
    }),
  );
});
