import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_NAME_LENGTH } from '../../contract/limits.ts';
import type { ReportedInterval } from './interval.ts';
import {
  MAX_SIGHTING_GAP_MS,
  splitCertain,
  endMeasuring,
  splitInterval,
  processSighting,
  cleanName,
  type MeasuringResult,
  type MeasuringState,
  type Sighting,
} from './measurement.ts';

const SECOND = 1000;
const AWAY = 20 * SECOND;

const createSighting = (sighting: Partial<Sighting> & Pick<Sighting, 'lastInput'>): Sighting => ({
  focused: undefined,
  open: [],
  playing: [],
  recording: [],
  ...sighting,
});

/** Returns the intervals of samples at these seconds, ended with the last one. */
function measureSamples(samples: readonly (readonly [second: number, sight: Sighting])[]): readonly ReportedInterval[] {
  const intervals: ReportedInterval[] = [];
  let now: MeasuringState | undefined;
  for (const [second, sight] of samples) {
    const { measuring, ended }: MeasuringResult = processSighting(now, second * SECOND, sight, AWAY);
    now = measuring;
    intervals.push(...ended);
  }
  return now ? [...intervals, ...endMeasuring(now, now.at)] : intervals;
}
const format = (intervals: readonly ReportedInterval[]): readonly string[] =>
  intervals.map(({ app, status, from, until }) => `${app} ${status} ${from / SECOND}-${until / SECOND}`).toSorted();

test('the application in use is focused, other open ones are in the background', () => {
  const open = ['Editor', 'Mail'];
  const samples = [0, 5, 10, 12].map(
    (at) => [at, createSighting({ open, focused: at < 10 ? 'Editor' : 'Mail', lastInput: at * SECOND })] as const,
  );
  expect(format(measureSamples(samples))).toEqual([
    'Editor off 10-12',
    'Editor on 0-10',
    'Mail off 0-10',
    'Mail on 10-12',
  ]);
});

test('a person without input is away since the last input, whatever got the focus since', () => {
  const open = ['Editor', 'Mail'];
  const samples = [0, 5, 10, 15, 20, 25].map(
    (at) => [at, createSighting({ open, focused: at < 15 ? 'Editor' : 'Mail', lastInput: 5 * SECOND })] as const,
  );
  expect(format(measureSamples(samples))).toEqual([
    'Editor off 15-25',
    'Editor off 5-15',
    'Editor on 0-5',
    'Mail off 0-15',
    'Mail off 15-25',
  ]);
  const back = [...samples, [30, createSighting({ open, focused: 'Mail', lastInput: 28 * SECOND })] as const];
  expect(format(measureSamples(back))).toContain('Mail on 26.5-30');
  expect(format(measureSamples(back))).toContain('Mail off 15-26.5');
});

test('certain time is sent: focus up to the last input, and no further', () => {
  const at = (second: number, input: number) =>
    [
      second * SECOND,
      createSighting({ focused: 'Editor', playing: ['Music'], lastInput: input * SECOND }),
      AWAY,
    ] as const;
  const first = processSighting(undefined, ...at(0, 0));
  const { measuring } = processSighting(first.measuring, ...at(10, 4));
  const quick = splitCertain(measuring, { includesBackground: false });
  expect(format(quick.ended)).toEqual(['Editor on 0-4']);
  const whole = splitCertain(quick.measuring, { includesBackground: true });
  expect(format(whole.ended)).toEqual(['Music s 0-10']);
  const left = processSighting(whole.measuring, ...at(25, 4));
  expect(format(left.ended)).toEqual([]);
  expect(format(endMeasuring(left.measuring, 25 * SECOND))).toEqual(['Editor off 4-25', 'Music s 10-25']);
});

const use = (input: number): Sighting => createSighting({ focused: 'Editor', lastInput: input * SECOND });

test('sleep ends everything at the last sample, and a clock that goes back counts no time twice', () => {
  expect(
    format(
      measureSamples([
        [0, use(0)],
        [10, use(10)],
        [3600, use(3600)],
        [3605, use(3605)],
      ]),
    ),
  ).toEqual(['Editor on 0-10', 'Editor on 3600-3605']);
  expect(
    format(
      measureSamples([
        [100, use(100)],
        [110, use(110)],
        [50, use(50)],
        [55, use(55)],
        [112, use(112)],
      ]),
    ),
  ).toEqual(['Editor on 100-110', 'Editor on 110-112']);
});

test('another title of the same window starts a new interval', () => {
  const intervals = measureSamples([0, 5, 10, 15].map((at) => [at, { ...use(at), title: at < 10 ? 'one' : 'two' }]));
  expect(intervals.map(({ title, from, until }) => [title, from / SECOND, until / SECOND])).toEqual([
    ['one', 0, 10],
    ['two', 10, 15],
  ]);
});

// Compares any history with a count by quarters of a second that knows no intervals -----------------------------------

const UNIT = 250;
const apps = fc.subarray(['a', 'b', 'c']);
/** In quarters of a second. */
interface Step {
  readonly after: number;
  readonly idle: number;
  readonly sighting: Omit<Sighting, 'lastInput'>;
  readonly saveMode: 'none' | 'focus' | 'all';
}
const step: fc.Arbitrary<Step> = fc.record({
  // Even numbers, so that there is a middle between two of them.
  after: fc
    .oneof(
      { weight: 20, arbitrary: fc.integer({ min: 0, max: 30 }) },
      fc.integer({ min: 61, max: 400 }),
      fc.integer({ min: -200, max: -1 }),
    )
    .map((half) => 2 * half),
  idle: fc.integer({ min: 0, max: 60 }).map((half) => 2 * half),
  sighting: fc.record({
    focused: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    title: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
    open: apps,
    playing: apps,
    recording: apps,
  }),
  saveMode: fc.constantFrom('none', 'focus', 'all'),
});

interface Sample {
  readonly at: number;
  readonly input: number;
  readonly sighting: Step['sighting'];
}

/** Splits samples into runs without sleep or clock changes. */
function splitRuns(steps: readonly Step[]): readonly (readonly Sample[])[] {
  const runs: Sample[][] = [];
  let clock = 1000;
  let reached = 0;
  for (const { after, idle, sighting } of steps) {
    clock += after;
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && clock >= reached && (clock - reached) * UNIT <= MAX_SIGHTING_GAP_MS)
      run.push({ at: clock, input: Math.min(clock, Math.max(clock - idle, last.input)), sighting });
    else runs.push([{ at: Math.max(clock, reached), input: Math.max(clock, reached) - idle, sighting }]);
    reached = runs.at(-1)?.at(-1)?.at ?? reached;
  }
  return runs;
}

const AWAY_UNITS = AWAY / UNIT;
const isGone = ({ at, input }: Sample): boolean => at - input >= AWAY_UNITS;

const listStatuses = ({ focused, open, playing, recording }: Step['sighting'], isThere: boolean): readonly string[] => [
  ...(focused === undefined ? [] : [`${focused} ${isThere ? 'on' : 'off'}`]),
  ...open.filter((app) => app !== focused).map((app) => `${app} off`),
  ...playing.map((app) => `${app} s`),
  ...recording.map((app) => `${app} r`),
];

/** Lists every quarter of a second with its application and status. */
const recount = (steps: readonly Step[]): readonly string[] =>
  splitRuns(steps).flatMap((run) => {
    const isAwayAt = (unit: number): boolean =>
      run.some((one, index) => {
        const next = run[index + 1];
        if (!isGone(one)) return false;
        if (unit >= one.input && unit < one.at)
          return index === 0 || !isGone(run[index - 1] as Sample) || unit >= one.at;
        return (
          next !== undefined &&
          unit >= one.at &&
          unit < (isGone(next) ? next.at : Math.max((one.at + next.input) / 2, one.at))
        );
      });
    return run.flatMap(({ at, sighting }, index) =>
      Array.from({ length: (run[index + 1]?.at ?? at) - at }, (_, more) => at + more).flatMap((unit) =>
        listStatuses(sighting, !isAwayAt(unit)).map((status) => `${unit} ${status}`),
      ),
    );
  });

/** Measures the same steps by the rules. */
function measured(steps: readonly Step[]): readonly ReportedInterval[] {
  const intervals: ReportedInterval[] = [];
  let clock = 1000;
  let now: MeasuringState | undefined;
  for (const { after, idle, sighting, saveMode } of steps) {
    clock += after;
    const { measuring, ended }: MeasuringResult = processSighting(
      now,
      clock * UNIT,
      { ...sighting, lastInput: (clock - idle) * UNIT },
      AWAY,
    );
    intervals.push(...ended);
    const certain =
      saveMode === 'none'
        ? { measuring, ended: [] }
        : splitCertain(measuring, { includesBackground: saveMode === 'all' });
    now = certain.measuring;
    intervals.push(...certain.ended);
  }
  return now ? [...intervals, ...endMeasuring(now, now.at)] : intervals;
}

test('any samples, sleeps and clock changes give intervals that are not empty, do not overlap, and add up', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const intervals = measured(steps);
      for (const { from, until } of intervals) expect(until).toBeGreaterThan(from);
      const counted = intervals.flatMap(({ app, status, from, until }) =>
        Array.from({ length: (until - from) / UNIT }, (_, more) => `${from / UNIT + more} ${app} ${status}`),
      );
      expect(new Set(counted).size, 'nothing twice').toBe(counted.length);
      expect(counted.toSorted()).toEqual(recount(steps).toSorted());
    }),
    { numRuns: 500 },
  );
});

test('a long interval is split into parts that touch and are equal to it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 * 3_600_000 }), (length) => {
      const piece: ReportedInterval = { app: 'a', status: 'off', from: 7, until: 7 + length };
      const parts = splitInterval(piece);
      expect(parts[0]?.from).toBe(7);
      expect(parts.at(-1)?.until).toBe(7 + length);
      for (const [index, { from, until }] of parts.entries()) {
        expect(until - from).toBeLessThanOrEqual(6 * 3_600_000);
        expect(until).toBeGreaterThan(from);
        if (index > 0) expect(from).toBe(parts[index - 1]?.until);
      }
    }),
  );
});

test('any name is cut to a valid length, and no character is split', () => {
  expect(cleanName('Code\u0000 - "OSS"\n')).toBe('Code  - "OSS"');
  expect(cleanName(`\u0007${'👋'.repeat(600)}`)).toBe('👋'.repeat(MAX_NAME_LENGTH));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0x10_ffff }), { maxLength: 550 }), (points) => {
      const raw = String.fromCodePoint(...points);
      const name = cleanName(raw);
      expect(Array.from(name).length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
      expect(cleanName(name)).toBe(name);
      expect(name.isWellFormed()).toBe(true);
    }),
    { numRuns: 30 },
  );
});
