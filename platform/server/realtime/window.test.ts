import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeWindow, WINDOW } from './window.ts';

const collect = () => {
  const sent: { readonly data: number; readonly taken: () => void; readonly isSilent: boolean }[] = [];
  const window = makeWindow<number>((data, taken, isSilent) => void sent.push({ data, taken, isSilent }));
  return { window, sent, data: () => sent.map(({ data }) => data) };
};

test('a receiver that acknowledges nothing gets eight, and after one acknowledgement the newest', () => {
  const { window, sent, data } = collect();
  for (let event = 1; event <= 100; event += 1) window.offer(event);
  expect(data()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  sent[0]?.taken();
  expect(data()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 100]);
  sent[1]?.taken();
  expect(sent).toHaveLength(9);
});

test('a heartbeat that came back stands for the acknowledgement of what was sent before it', () => {
  const { window, data } = collect();
  for (let event = 1; event <= 4; event += 1) window.offer(event);
  window.mark();
  for (let event = 5; event <= 20; event += 1) window.offer(event);
  window.confirm();
  expect(data()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 20]);
  for (let event = 21; event <= 40; event += 1) window.offer(event);
  expect(data().slice(9)).toEqual([21, 22, 23]);
});

test('a receiver that only heartbeats speak for is silent until it acknowledges something', () => {
  const { window, sent } = collect();
  window.offer(1);
  window.mark();
  window.confirm();
  window.offer(2);
  sent[1]?.taken();
  window.offer(3);
  expect(sent.map(({ isSilent }) => isSilent)).toEqual([false, true, false]);
});

test('an acknowledgement that comes twice counts once', () => {
  const { window, sent } = collect();
  for (let event = 1; event <= 20; event += 1) window.offer(event);
  sent[0]?.taken();
  sent[0]?.taken();
  window.offer(21);
  expect(sent).toHaveLength(9);
});

test('whatever is offered and acknowledged: order is kept, at most eight are open, and the last one arrives', () => {
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
        if (isOffer) window.offer((offered += 1));
        else if (acknowledged < sent.length) acknowledge();
        expect(sent.length - acknowledged).toBeLessThanOrEqual(WINDOW);
      }
      while (acknowledged < sent.length) acknowledge();
      expect(data()).toEqual(data().toSorted((one, other) => one - other));
      if (offered > 0) expect(data().at(-1)).toBe(offered);
    }),
  );
});
