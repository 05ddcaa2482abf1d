import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getCountdownView, changeLeft, changeOnce, look, newCountdown, pause, start } from './countdown.ts';
import { serializeTimers, timersFrom } from './savedTimers.ts';
import { lap, MAX_LAPS, NEW_STOPWATCH, pauseStopwatch, getElapsed, startStopwatch } from './stopwatch.ts';
import { addTimer, MAX_TIMERS, NAME_LIMIT, newTimers, withCountdown, type Timers } from './timers.ts';

/** 2026-11-21T12:00:00Z. */
const NOON = 1_795_262_400_000;
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

type Change = (all: Timers, now: number) => Timers;
const wait = fc.nat({ max: 3 * HOUR });
const change = fc.oneof(
  fc.constant<Change>((all) => addTimer(all)),
  fc.constantFrom(start, pause).map(
    (made): Change =>
      (all, now) =>
        all.timers.reduce((left, { id, countdown }) => withCountdown(left, id, made(countdown, now)), all),
  ),
  fc.integer({ min: 1000, max: 100_000 }).map(
    (left): Change =>
      (all, now) =>
        all.timers.reduce(
          (changed, { id, countdown }) => withCountdown(changed, id, changeLeft(countdown, left, now)),
          all,
        ),
  ),
  fc.boolean().map(
    (once): Change =>
      (all, now) =>
        all.timers.reduce(
          (changed, { id, countdown }) => withCountdown(changed, id, changeOnce(countdown, once, now)),
          all,
        ),
  ),
  fc.constant<Change>((all, now) =>
    all.timers.reduce((changed, { id, countdown }) => withCountdown(changed, id, look(countdown, now).countdown), all),
  ),
  fc.constantFrom(startStopwatch, pauseStopwatch, lap).map((made): Change => (all, now) => ({
    ...all,
    stopwatch: made(all.stopwatch, now),
  })),
);
/** Changes that a user made, each with its time. */
const visit = fc.array(fc.tuple(wait, change), { maxLength: 20 }).map((changes): readonly [Timers, number] => {
  let [all, now] = [newTimers(), NOON];
  for (const [waited, made] of changes) {
    now += waited;
    all = made(all, now);
  }
  return [all, now];
});

test('stored timers are restored unchanged, and have continued in the meantime', () => {
  fc.assert(
    fc.property(visit, wait, ([all, now], later) => {
      expect(timersFrom(serializeTimers(all, now), now + later)).toEqual(all);
    }),
  );
});

test('no time has passed if the clock was set back in the meantime', () => {
  fc.assert(
    fc.property(visit, fc.integer({ min: 0, max: YEAR }), wait, ([all, now], back, later) => {
      const read = timersFrom(serializeTimers(all, now), now - back);
      for (const [index, { countdown }] of all.timers.entries()) {
        const again = read.timers[index]?.countdown;
        expect(again && getCountdownView(again, now - back + later)).toEqual(getCountdownView(countdown, now + later));
      }
      expect(getElapsed(read.stopwatch, now - back + later)).toBe(getElapsed(all.stopwatch, now + later));
    }),
  );
});

test('after the clock was set during a visit, the next visit continues by the new one', () => {
  fc.assert(
    fc.property(visit, fc.integer({ min: -YEAR, max: YEAR }), wait, ([all, now], set, later) => {
      const read = timersFrom(serializeTimers(all, now, now + set), now + set + later);
      for (const [index, { countdown: one }] of all.timers.entries()) {
        const again = read.timers[index]?.countdown;
        expect(again && look(again, now + set + later).shown).toEqual(getCountdownView(one, now + later));
      }
      expect(getElapsed(read.stopwatch, now + set + later)).toBe(getElapsed(all.stopwatch, now + later));
    }),
  );
});

test('a timer that ran while the page was closed reports the ends it had', () => {
  const text = serializeTimers(withCountdown(newTimers(), 1, start(newCountdown(), NOON)), NOON);
  const [read] = timersFrom(text, NOON + 2 * HOUR).timers;
  expect(read && look(read.countdown, NOON + 2 * HOUR)).toMatchObject({ ends: 12, shown: { left: 600_000 } });
});

test('the largest state that can be stored can be read again', () => {
  let [all, stopwatch] = [newTimers(), startStopwatch(NEW_STOPWATCH, NOON)];
  while (all.timers.length < MAX_TIMERS) all = addTimer(all, '"'.repeat(NAME_LIMIT));
  for (let taken = 1; taken <= MAX_LAPS; taken++) stopwatch = lap(stopwatch, NOON + taken * YEAR);
  all = { ...all, stopwatch };
  const now = NOON + MAX_LAPS * YEAR;
  expect(timersFrom(serializeTimers(all, now), now)).toEqual(all);
});

const GOOD = {
  form: 1,
  written: NOON,
  timers: [{ id: 1, name: 'Tea', countdown: { loop: 60_000, left: 5000, since: NOON - 1, rounds: 2, heard: 2 } }],
  chosen: 1,
  stopwatch: { ran: 500, laps: [100, 200] },
};
const timer = GOOD.timers[0];
const countdown = (more: object) => ({ ...GOOD, timers: [{ ...timer, countdown: { ...timer?.countdown, ...more } }] });

test('a stored text of this version is read', () => {
  expect(timersFrom(JSON.stringify(GOOD), NOON)).toMatchObject({ timers: GOOD.timers, stopwatch: GOOD.stopwatch });
});

test.each<[string, unknown]>([
  ['of a later program', { ...GOOD, form: 2 }],
  ['with a field we do not know', { ...GOOD, colour: 'red' }],
  ['without a field', { ...GOOD, stopwatch: undefined }],
  ['without timers', { ...GOOD, timers: [] }],
  ['with timers that are none', { ...GOOD, timers: { length: 1 } }],
  ['with two timers of one id', { ...GOOD, timers: [timer, timer] }],
  [
    'with 21 timers',
    { ...GOOD, timers: Array.from({ length: MAX_TIMERS + 1 }, (_, id) => ({ ...timer, id: id + 1 })) },
  ],
  ['with none chosen', { ...GOOD, chosen: 2 }],
  ['with a name of two lines', { ...GOOD, timers: [{ ...timer, name: 'a\nb' }] }],
  ['with a name that is a number', { ...GOOD, timers: [{ ...timer, name: 5 }] }],
  ['with a loop of nothing', countdown({ loop: 0 })],
  ['with a loop that is text', countdown({ loop: '600' })],
  ['that stops in a way we do not know', countdown({ once: 'maybe' })],
  ['with a loop beyond the longest', countdown({ loop: 1e308 })],
  ['with less than nothing left', countdown({ left: -5 })],
  ['with a fraction left', countdown({ left: 0.5 })],
  ['with a start after it was written', countdown({ since: NOON + 1 })],
  ['with a start that is null', countdown({ since: null })],
  ['with more ends heard than there were', countdown({ heard: 3 })],
  ['with rounds below nothing', countdown({ rounds: -1, heard: -1 })],
  ['with laps in disorder', { ...GOOD, stopwatch: { ran: 500, laps: [200, 100] } }],
  ['with a lap beyond what ran', { ...GOOD, stopwatch: { ran: 500, laps: [501] } }],
  ['with too many laps', { ...GOOD, stopwatch: { ran: 500, laps: Array.from({ length: 1001 }, () => 1) } }],
  ['that is a list', [GOOD]],
  ['that is null', null],
  ['that is a number', 5],
])('a text %s gives the defaults', (_, value) => expect(timersFrom(JSON.stringify(value), NOON)).toEqual(newTimers()));

test.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['half a text', JSON.stringify(GOOD).slice(0, 80)],
  ['a prototype key', JSON.stringify(GOOD).replace('{', '{"__proto__":{"form":1},')],
  ['a depth of 40,000', '['.repeat(40_000) + ']'.repeat(40_000)],
  ['a huge text', ' '.repeat(5_000_000)],
])('%s gives the defaults', (_, text) => expect(timersFrom(text, NOON)).toEqual(newTimers()));

test('no text throws, and the result can always be stored and read again', () => {
  const broken = fc.tuple(visit, fc.nat(), fc.string({ maxLength: 3 })).map(([[all, now], place, put]) => {
    const text = serializeTimers(all, now);
    const index = place % text.length;
    return text.slice(0, index) + put + text.slice(index + 1);
  });
  const leap = fc.integer({ min: -YEAR, max: YEAR });
  fc.assert(
    fc.property(fc.oneof(broken, fc.json(), fc.string()), leap, (text, by) => {
      const now = NOON + by;
      const read = timersFrom(text, now);
      for (const { countdown: one } of read.timers) expect(getCountdownView(one, now).left).toBeGreaterThan(0);
      expect(timersFrom(serializeTimers(read, now), now)).toEqual(read);
    }),
    { numRuns: 500 },
  );
});
