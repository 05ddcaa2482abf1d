import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { setvolumefront, setLevels } from '../contract.ts';
import {
  applyDifference,
  diffLevels,
  limitDifference,
  isEmptyDifference,
  NO_LEVELS,
  type Difference,
  type ShownLevel,
  type ComputerLevels,
} from './levels.ts';

const shown: fc.Arbitrary<ShownLevel> = fc.record({
  level: fc.integer({ min: 0, max: 100 }),
  muted: fc.boolean(),
  colour: fc.constantFrom('#111111', '#222222'),
  device: fc.constantFrom('Speakers', 'Headset'),
});
const names = fc.constantFrom('Film', 'Music', 'Game', 'constructor', '7');
const group = fc.uniqueArray(fc.tuple(names, shown), { selector: ([name]) => name }).map((all) => new Map(all));
const sound: fc.Arbitrary<ComputerLevels> = fc.record({ sessions: group, outputs: group });

test('applying a difference to the old levels gives the new ones', () => {
  fc.assert(
    fc.property(sound, sound, (known, now) => {
      expect(applyDifference(known, diffLevels(known, now))).toEqual(now);
      expect(isEmptyDifference(diffLevels(now, now))).toBe(true);
    }),
  );
});

test('applying it in parts has the same result', () => {
  fc.assert(
    fc.property(sound, sound, fc.integer({ min: 1, max: 3 }), (start, now, max) => {
      let known = start;
      for (let part = 0; part < 10; part += 1)
        known = applyDifference(known, limitDifference(diffLevels(known, now), max));
      expect(known).toEqual(now);
    }),
  );
});

/** The event’s two arguments, as the server derives them from a difference. */
const toSent = ({ changed, gone }: Difference, target = '1') => ({
  data: Object.fromEntries(changed.sessions),
  metadata: {
    target,
    outputs: Object.fromEntries(changed.outputs),
    gone: { sessions: [...gone.sessions], outputs: [...gone.outputs] },
  },
});
const differenceIn = ({ data, metadata }: ReturnType<typeof toSent>): Difference => ({
  changed: { sessions: new Map(Object.entries(data)), outputs: new Map(Object.entries(metadata.outputs)) },
  gone: metadata.gone,
});

test('two merged events leave a page in the same state as both would', () => {
  fc.assert(
    fc.property(sound, sound, sound, (first, second, third) => {
      const older = toSent(diffLevels(first, second));
      const newer = toSent(diffLevels(second, third));
      const merged = setvolumefront.merge?.(older, newer) as ReturnType<typeof toSent>;
      expect(applyDifference(first, differenceIn(merged))).toEqual(third);
      expect(merged.metadata.gone.sessions.filter((name) => Object.hasOwn(merged.data, name))).toEqual([]);
    }),
  );
});

test('the colour of a new session stays when a level is merged into its event', () => {
  const older = toSent(diffLevels(NO_LEVELS, { ...NO_LEVELS, sessions: new Map([['Film', film]]) }));
  const newer = { ...toSent(diffLevels(NO_LEVELS, NO_LEVELS)), data: { Film: { level: 5, muted: true } } };
  expect(setvolumefront.merge?.(older, newer).data).toEqual({ Film: { level: 5, muted: true, colour: '#111111' } });
});
const film: ShownLevel = { level: 1, muted: false, colour: '#111111' };

const createCommand = (name: string, level: number) => ({
  data: { sessions: { [name]: { level, muted: false } }, outputs: {} },
  metadata: undefined,
});

test('events of two computers are not merged, and requests for one computer are', () => {
  const difference = diffLevels(NO_LEVELS, NO_LEVELS);
  expect(setvolumefront.key?.(toSent(difference, '1'))).not.toBe(setvolumefront.key?.(toSent(difference, '2')));
  const both = setLevels.merge?.(createCommand('Film', 1), createCommand('Music', 2));
  expect(both && setLevels.merge?.(both, createCommand('Film', 3)).data).toEqual({
    sessions: { Film: { level: 3, muted: false }, Music: { level: 2, muted: false } },
    outputs: {},
  });
});
