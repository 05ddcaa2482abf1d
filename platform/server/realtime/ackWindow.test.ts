import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAckWindow, MAX_UNACKNOWLEDGED } from './ackWindow.ts';

const collect = () => {
  const sent: { readonly data: number; readonly taken: () => void; readonly isSilent: boolean }[] = [];
  const window = createAckWindow<number>((data, taken, isSilent) => void sent.push({ data, taken, isSilent }));
  return { window, sent, data: () => sent.map(({ data }) => data) };
};

test('a receiver without acknowledgements gets eight events, and after one acknowledgement the newest', () => {
  const { window, sent, data } = collect();
  for (let event = 1; event <= 100; event += 1) window.send(event);
  expect(data()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  sent[0]?.taken();
  expect(data()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 100]);
  sent[1]?.taken();
  expect(sent).toHaveLength(9);
});

test('a returned heartbeat acknowledges everything that was sent before it', () => {
  const { window, data } = collect();
  for (let event = 1; event <= 4; event += 1) window.send(event);
  window.onHeartbeatSent();
  for (let event = 5; event <= 20; event += 1) window.send(event);
  window.onHeartbeatReceived();
  expect(data()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 20]);
  for (let event = 21; event <= 40; event += 1) window.send(event);
  expect(data().slice(9)).toEqual([21, 22, 23]);
});

test('a receiver with only heartbeats is silent until it acknowledges something', () => {
  const { window, sent } = collect();
  window.send(1);
  window.onHeartbeatSent();
  window.onHeartbeatReceived();
  window.send(2);
  sent[1]?.taken();
  window.send(3);
  expect(sent.map(({ isSilent }) => isSilent)).toEqual([false, true, false]);
});

test('a repeated acknowledgement counts once', () => {
  const { window, sent } = collect();
  for (let event = 1; event <= 20; event += 1) window.send(event);
  sent[0]?.taken();
  sent[0]?.taken();
  window.send(21);
  expect(sent).toHaveLength(9);
});

test('in any history, order is preserved, at most eight events are open, and the last one arrives', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (steps) => {
      const { window, sent, data } = collect();
      let offered = 0;
      let acknowledged = 0;
      const acknowledge = (): void => {
        sent[acknowledged]?.taken();
        acknowledged += 1;
      };
      for (const isOffer of steps) {
        if (isOffer) window.send((offered += 1));
        else if (acknowledged < sent.length) acknowledge();
        expect(sent.length - acknowledged).toBeLessThanOrEqual(MAX_UNACKNOWLEDGED);
      }
      while (acknowledged < sent.length) acknowledge();
      expect(data()).toEqual(data().toSorted((one, other) => one - other));
      if (offered > 0) expect(data().at(-1)).toBe(offered);
    }),
  );
});

/** Differences of named numbers; the text before a number is its name. */
type Difference = Readonly<Record<string, number>>;
const collectDifferences = () => {
  const sent: { readonly whose: string; readonly data: Difference; readonly taken: () => void }[] = [];
  let lost = 0;
  const window = createAckWindow<{ readonly whose: string; readonly data: Difference }>(
    ({ whose, data }, taken) => void sent.push({ whose, data, taken }),
    {
      merge: (older, newer) => ({ whose: newer.whose, data: { ...older.data, ...newer.data } }),
      key: ({ whose }) => whose,
      onReplaced: () => (lost += 1),
    },
  );
  return { window, sent, lost: () => lost };
};

test('queued differences are merged by key, and none is lost', () => {
  const { window, sent, lost } = collectDifferences();
  for (let event = 0; event < MAX_UNACKNOWLEDGED; event += 1) window.send({ whose: 'a', data: { first: event } });
  window.send({ whose: 'a', data: { film: 1, music: 1 } });
  window.send({ whose: 'b', data: { film: 9 } });
  window.send({ whose: 'a', data: { film: 2 } });
  expect(sent).toHaveLength(MAX_UNACKNOWLEDGED);
  sent[0]?.taken();
  sent[1]?.taken();
  sent[2]?.taken();
  expect(sent.slice(MAX_UNACKNOWLEDGED).map(({ whose, data }) => [whose, data])).toEqual([
    ['a', { film: 2, music: 1 }],
    ['b', { film: 9 }],
  ]);
  expect(lost()).toBe(0);
});

test('in any history, a receiver ends with the newest value of each name', () => {
  const offers = fc.record({
    whose: fc.constantFrom('a', 'b', 'c'),
    data: fc.dictionary(fc.constantFrom('film', 'music', 'game'), fc.nat(100), { minKeys: 1 }),
  });
  const steps = fc.array(fc.oneof(offers, fc.record({ ack: fc.nat(20) })), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (all) => {
      const { window, sent } = collectDifferences();
      const newest = new Map<string, Difference>();
      const open = new Set<number>();
      let seen = 0;
      const notice = (): void => {
        for (; seen < sent.length; seen += 1) open.add(seen);
      };
      for (const step of all) {
        if ('ack' in step) {
          const which = [...open][step.ack % Math.max(1, open.size)];
          if (which !== undefined && open.delete(which)) sent[which]?.taken();
        } else {
          newest.set(step.whose, { ...newest.get(step.whose), ...step.data });
          window.send(step);
        }
        notice();
        expect(open.size).toBeLessThanOrEqual(MAX_UNACKNOWLEDGED);
      }
      for (const which of open) {
        open.delete(which);
        sent[which]?.taken();
        notice();
      }
      const applied = new Map<string, Difference>();
      for (const { whose, data } of sent) applied.set(whose, { ...applied.get(whose), ...data });
      expect(applied).toEqual(newest);
    }),
  );
});
