import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  getCountdownView,
  changeRemaining,
  changeStopsAtEnd,
  updateCountdown,
  createCountdown,
  pause,
  start,
} from './countdown.ts';
import { serializeTimers, parseTimers } from './savedTimers.ts';
import { addLap, MAX_LAPS, NEW_STOPWATCH, pauseStopwatch, getElapsed, startStopwatch } from './stopwatch.ts';
import { addTimer, MAX_TIMERS, MAX_NAME_LENGTH, createTimers, withCountdown, type Timers } from './timers.ts';

/** 2026-11-21T12:00:00Z. */
const NOON = 1_795_262_400_000;
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

type Change = (state: Timers, now: number) => Timers;
const wait = fc.nat({ max: 3 * HOUR });
const change = fc.oneof(
  fc.constant<Change>((state) => addTimer(state)),
  fc.constantFrom(start, pause).map(
    (apply): Change =>
      (state, now) =>
        state.timers.reduce((changed, { id, countdown }) => withCountdown(changed, id, apply(countdown, now)), state),
  ),
  fc.integer({ min: 1000, max: 100_000 }).map(
    (remaining): Change =>
      (state, now) =>
        state.timers.reduce(
          (changed, { id, countdown }) => withCountdown(changed, id, changeRemaining(countdown, remaining, now)),
          state,
        ),
  ),
  fc.boolean().map(
    (once): Change =>
      (state, now) =>
        state.timers.reduce(
          (changed, { id, countdown }) => withCountdown(changed, id, changeStopsAtEnd(countdown, once, now)),
          state,
        ),
  ),
  fc.constant<Change>((state, now) =>
    state.timers.reduce(
      (changed, { id, countdown }) => withCountdown(changed, id, updateCountdown(countdown, now).countdown),
      state,
    ),
  ),
  fc.constantFrom(startStopwatch, pauseStopwatch, addLap).map((apply): Change => (state, now) => ({
    ...state,
    stopwatch: apply(state.stopwatch, now),
  })),
);
/** Changes that a user made, each with its time. */
const visit = fc.array(fc.tuple(wait, change), { maxLength: 20 }).map((changes): readonly [Timers, number] => {
  let [state, now] = [createTimers(), NOON];
  for (const [waited, apply] of changes) {
    now += waited;
    state = apply(state, now);
  }
  return [state, now];
});

test('stored timers are restored unchanged, and have continued in the meantime', () => {
  fc.assert(
    fc.property(visit, wait, ([state, now], later) => {
      expect(parseTimers(serializeTimers(state, now), now + later)).toEqual(state);
    }),
  );
});

test('no time has passed if the clock was set back in the meantime', () => {
  fc.assert(
    fc.property(visit, fc.integer({ min: 0, max: YEAR }), wait, ([state, now], back, later) => {
      const read = parseTimers(serializeTimers(state, now), now - back);
      for (const [index, { countdown }] of state.timers.entries()) {
        const restored = read.timers[index]?.countdown;
        expect(restored && getCountdownView(restored, now - back + later)).toEqual(
          getCountdownView(countdown, now + later),
        );
      }
      expect(getElapsed(read.stopwatch, now - back + later)).toBe(getElapsed(state.stopwatch, now + later));
    }),
  );
});

test('after the clock was set during a visit, the next visit continues by the new one', () => {
  fc.assert(
    fc.property(visit, fc.integer({ min: -YEAR, max: YEAR }), wait, ([state, now], set, later) => {
      const read = parseTimers(serializeTimers(state, now, now + set), now + set + later);
      for (const [index, { countdown: savedCountdown }] of state.timers.entries()) {
        const restored = read.timers[index]?.countdown;
        expect(restored && updateCountdown(restored, now + set + later).view).toEqual(
          getCountdownView(savedCountdown, now + later),
        );
      }
      expect(getElapsed(read.stopwatch, now + set + later)).toBe(getElapsed(state.stopwatch, now + later));
    }),
  );
});

test('a timer that ran while the page was closed reports the ends it had', () => {
  const text = serializeTimers(withCountdown(createTimers(), 1, start(createCountdown(), NOON)), NOON);
  const [read] = parseTimers(text, NOON + 2 * HOUR).timers;
  expect(read && updateCountdown(read.countdown, NOON + 2 * HOUR)).toMatchObject({
    endCount: 12,
    view: { remaining: 600_000 },
  });
});

test('the largest state that can be stored can be read again', () => {
  let [state, stopwatch] = [createTimers(), startStopwatch(NEW_STOPWATCH, NOON)];
  while (state.timers.length < MAX_TIMERS) state = addTimer(state, '"'.repeat(MAX_NAME_LENGTH));
  for (let count = 1; count <= MAX_LAPS; count++) stopwatch = addLap(stopwatch, NOON + count * YEAR);
  state = { ...state, stopwatch };
  const now = NOON + MAX_LAPS * YEAR;
  expect(parseTimers(serializeTimers(state, now), now)).toEqual(state);
});

const VALID = {
  form: 1,
  written: NOON,
  timers: [{ id: 1, name: 'Tea', countdown: { loop: 60_000, left: 5000, since: NOON - 1, rounds: 2, heard: 2 } }],
  chosen: 1,
  stopwatch: { ran: 500, laps: [100, 200] },
};
const timer = VALID.timers[0];
const countdown = (more: object) => ({ ...VALID, timers: [{ ...timer, countdown: { ...timer?.countdown, ...more } }] });

test('a stored text of this version is read', () => {
  expect(parseTimers(JSON.stringify(VALID), NOON)).toMatchObject({ timers: VALID.timers, stopwatch: VALID.stopwatch });
});

test.each<[string, unknown]>([
  ['of a later version', { ...VALID, form: 2 }],
  ['with an unknown field', { ...VALID, colour: 'red' }],
  ['without a field', { ...VALID, stopwatch: undefined }],
  ['without timers', { ...VALID, timers: [] }],
  ['with timers that are not a list', { ...VALID, timers: { length: 1 } }],
  ['with two timers with one id', { ...VALID, timers: [timer, timer] }],
  [
    'with 21 timers',
    { ...VALID, timers: Array.from({ length: MAX_TIMERS + 1 }, (_, id) => ({ ...timer, id: id + 1 })) },
  ],
  ['without the selected timer', { ...VALID, chosen: 2 }],
  ['with a name of two lines', { ...VALID, timers: [{ ...timer, name: 'a\nb' }] }],
  ['with a name that is a number', { ...VALID, timers: [{ ...timer, name: 5 }] }],
  ['with a loop of 0', countdown({ loop: 0 })],
  ['with a loop that is text', countdown({ loop: '600' })],
  ['with an unknown value of once', countdown({ once: 'maybe' })],
  ['with a loop above the maximum', countdown({ loop: 1e308 })],
  ['with a negative time left', countdown({ left: -5 })],
  ['with a fraction left', countdown({ left: 0.5 })],
  ['with a start after it was written', countdown({ since: NOON + 1 })],
  ['with a start that is null', countdown({ since: null })],
  ['with more reported ends than there were', countdown({ heard: 3 })],
  ['with a negative number of rounds', countdown({ rounds: -1, heard: -1 })],
  ['with unordered laps', { ...VALID, stopwatch: { ran: 500, laps: [200, 100] } }],
  ['with a lap after the elapsed time', { ...VALID, stopwatch: { ran: 500, laps: [501] } }],
  ['with too many laps', { ...VALID, stopwatch: { ran: 500, laps: Array.from({ length: 1001 }, () => 1) } }],
  ['that is a list', [VALID]],
  ['that is null', null],
  ['that is a number', 5],
])('a text %s gives the defaults', (_, value) =>
  expect(parseTimers(JSON.stringify(value), NOON)).toEqual(createTimers()),
);

test.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['half a text', JSON.stringify(VALID).slice(0, 80)],
  ['a prototype key', JSON.stringify(VALID).replace('{', '{"__proto__":{"form":1},')],
  ['a depth of 40,000', '['.repeat(40_000) + ']'.repeat(40_000)],
  ['a huge text', ' '.repeat(5_000_000)],
])('%s gives the defaults', (_, text) => expect(parseTimers(text, NOON)).toEqual(createTimers()));

test('no text throws, and the result can always be stored and read again', () => {
  const broken = fc.tuple(visit, fc.nat(), fc.string({ maxLength: 3 })).map(([[state, now], place, put]) => {
    const text = serializeTimers(state, now);
    const index = place % text.length;
    return text.slice(0, index) + put + text.slice(index + 1);
  });
  const leap = fc.integer({ min: -YEAR, max: YEAR });
  fc.assert(
    fc.property(fc.oneof(broken, fc.json(), fc.string()), leap, (text, by) => {
      const now = NOON + by;
      const read = parseTimers(text, now);
      for (const { countdown: savedCountdown } of read.timers)
        expect(getCountdownView(savedCountdown, now).remaining).toBeGreaterThan(0);
      expect(parseTimers(serializeTimers(read, now), now)).toEqual(read);
    }),
    { numRuns: 500 },
  );
});
