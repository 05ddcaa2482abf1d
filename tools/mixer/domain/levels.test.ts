import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { setvolumefront, setLevels } from '../contract.ts';
import {
  applyDifference,
  diffLevels,
  limitDifference,
  isEmptyDifference,
  NO_LEVELS,
  type LevelDifference,
  type SliderLevel,
  type ComputerLevels,
} from './levels.ts';

const sliderLevel: fc.Arbitrary<SliderLevel> = fc.record({
  level: fc.integer({ min: 0, max: 100 }),
  muted: fc.boolean(),
  colour: fc.constantFrom('#111111', '#222222'),
  device: fc.constantFrom('Speakers', 'Headset'),
});
const names = fc.constantFrom('Film', 'Music', 'Game', 'constructor', '7');
const levelMap = fc
  .uniqueArray(fc.tuple(names, sliderLevel), { selector: ([name]) => name })
  .map((all) => new Map(all));
const computerLevels: fc.Arbitrary<ComputerLevels> = fc.record({ sessions: levelMap, outputs: levelMap });

test('applying a difference to the old levels results in the new ones', () => {
  fc.assert(
    fc.property(computerLevels, computerLevels, (previous, current) => {
      expect(applyDifference(previous, diffLevels(previous, current))).toEqual(current);
      expect(isEmptyDifference(diffLevels(current, current))).toBe(true);
    }),
  );
});

test('applying it in parts has the same result', () => {
  fc.assert(
    fc.property(computerLevels, computerLevels, fc.integer({ min: 1, max: 3 }), (start, current, max) => {
      let previous = start;
      for (let part = 0; part < 10; part += 1)
        previous = applyDifference(previous, limitDifference(diffLevels(previous, current), max));
      expect(previous).toEqual(current);
    }),
  );
});

/** Converts a difference to the event’s two arguments, as the server does. */
const toEventArguments = ({ changed, gone }: LevelDifference, target = '1') => ({
  data: Object.fromEntries(changed.sessions),
  metadata: {
    target,
    outputs: Object.fromEntries(changed.outputs),
    gone: { sessions: [...gone.sessions], outputs: [...gone.outputs] },
  },
});
const toDifference = ({ data, metadata }: ReturnType<typeof toEventArguments>): LevelDifference => ({
  changed: { sessions: new Map(Object.entries(data)), outputs: new Map(Object.entries(metadata.outputs)) },
  gone: metadata.gone,
});

test('two merged events leave a page in the same state as both would', () => {
  fc.assert(
    fc.property(computerLevels, computerLevels, computerLevels, (first, second, third) => {
      const older = toEventArguments(diffLevels(first, second));
      const newer = toEventArguments(diffLevels(second, third));
      const merged = setvolumefront.merge?.(older, newer) as ReturnType<typeof toEventArguments>;
      expect(applyDifference(first, toDifference(merged))).toEqual(third);
      expect(merged.metadata.gone.sessions.filter((name) => Object.hasOwn(merged.data, name))).toEqual([]);
    }),
  );
});

test('the colour of a new session stays when a level is merged into its event', () => {
  const older = toEventArguments(diffLevels(NO_LEVELS, { ...NO_LEVELS, sessions: new Map([['Film', film]]) }));
  const newer = { ...toEventArguments(diffLevels(NO_LEVELS, NO_LEVELS)), data: { Film: { level: 5, muted: true } } };
  expect(setvolumefront.merge?.(older, newer).data).toEqual({ Film: { level: 5, muted: true, colour: '#111111' } });
});
const film: SliderLevel = { level: 1, muted: false, colour: '#111111' };

const createCommand = (name: string, level: number) => ({
  data: { sessions: { [name]: { level, muted: false } }, outputs: {} },
  metadata: undefined,
});

test('events of two computers are not merged, and requests for one computer are', () => {
  const difference = diffLevels(NO_LEVELS, NO_LEVELS);
  expect(setvolumefront.key?.(toEventArguments(difference, '1'))).not.toBe(
    setvolumefront.key?.(toEventArguments(difference, '2')),
  );
  const merged = setLevels.merge?.(createCommand('Film', 1), createCommand('Music', 2));
  expect(merged && setLevels.merge?.(merged, createCommand('Film', 3)).data).toEqual({
    sessions: { Film: { level: 3, muted: false }, Music: { level: 2, muted: false } },
    outputs: {},
  });
});
