import { assert, array, boolean, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { afterAsking, afterHearing, ANSWERED, type Entry, type Known } from './thread.ts';

const entry = (id: number): Entry => ({ id, text: `${id}`, sentby: 'x', inputtype: 1, timesent: id, from: undefined });
const NOTHING: Known = { entries: [], upTo: undefined };
const idsOf = ({ entries }: Known): readonly number[] => entries.map(({ id }) => id);

test('a message that came while the line was down is asked for, also where a later one came live', () => {
  const heard = afterHearing(NOTHING, [entry(2)]);
  expect(heard.upTo).toBeUndefined();
  expect(idsOf(afterAsking(heard, [entry(1), entry(2)]))).toEqual([1, 2]);
});

test('whatever is heard live and whenever it is asked, after an answer nothing is missing and nothing stands twice', () => {
  const step = record({ written: nat({ max: 3 }), isHeard: boolean(), isAsked: boolean() });
  assert(
    property(array(step, { maxLength: 40 }), (steps) => {
      const server: Entry[] = [];
      let known = NOTHING;
      for (const { written, isHeard, isAsked } of steps) {
        const fresh = Array.from({ length: written }, (_, at) => entry(server.length + at + 1));
        server.push(...fresh);
        if (isHeard) known = afterHearing(known, fresh);
        if (!isAsked) continue;
        known = afterAsking(
          known,
          server.filter(({ id }) => id > (known.upTo ?? 0)),
        );
        expect(known.entries).toEqual(server);
      }
    }),
  );
});

test('an answer that may have left some out takes the place of what was known; nothing new changes nothing', () => {
  const many = Array.from({ length: ANSWERED }, (_, at) => entry(at + 500));
  const known = afterAsking(afterAsking(NOTHING, [entry(1)]), many);
  expect(idsOf(known)[0]).toBe(500);
  expect(afterAsking(known, [])).toBe(known);
  expect(afterHearing(known, [entry(600)])).toBe(known);
});
