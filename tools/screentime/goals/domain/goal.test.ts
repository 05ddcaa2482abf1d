import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  validateGoal,
  type Goal,
  type GoalFields,
  convertAmount,
  formatAmount,
  DAY_COUNTS,
  formatDays,
  isAmount,
  isDayCount,
  OPENED_AMOUNTS,
  TIME_AMOUNTS,
  TIME_SPENT,
  TIMES_OPENED,
  DEFAULT_TIME_SECONDS,
  DEFAULT_OPENED_COUNT,
} from './goal.ts';
import { describeProgress, type ProgressContext, findLevelToNotify, formatNotice } from './goalProgress.ts';

const fields: GoalFields = {
  target: 'total',
  type: 'app',
  goalseconds: '36000',
  deviceid: '-1',
  daysaffected: '7',
  begindate: '',
  daysaffectedtype: '1',
  goaltype: '0',
};
const goal = (more: Partial<Goal> = {}): Goal => ({ ...validateGoal(fields), ...more });
const nowhere: ProgressContext = {
  device: undefined,
  isDeviceRemoved: false,
  isCategoryDeleted: false,
  onlyDevice: undefined,
};

test('a new goal has the specified defaults', () => {
  expect(validateGoal(fields)).toEqual({
    target: { kind: 'app', name: 'total' },
    measure: 'time',
    amount: 36_000,
    days: 7,
    device: undefined,
    begins: '',
    isLimit: false,
  });
  expect(validateGoal({ ...fields, limit: 'true', deviceid: '3', begindate: '2028-02-29' })).toMatchObject({
    isLimit: true,
    device: 3,
    begins: '2028-02-29',
  });
});

function isAccepted(more: Partial<GoalFields>): boolean {
  try {
    validateGoal({ ...fields, ...more });
    return true;
  } catch {
    return false;
  }
}
test('only the specified amounts are valid', () => {
  const times = [15, 20, 30, 40, 45, ...Array.from({ length: 3001 }, (_, index) => (index + 1) * 60)];
  expect(times.every((minutes) => isAccepted({ goalseconds: String(minutes * 60) }))).toBe(true);
  for (const wrong of ['0', '899', '901', '3000', '5400', String(3002 * 3600), '-900', '9e2', '', 'x', '900.5'])
    expect([wrong, isAccepted({ goalseconds: wrong })]).toEqual([wrong, false]);
  for (const [count, taken] of [
    ['1', true],
    ['201', true],
    ['0', false],
    ['202', false],
    ['1.5', false],
  ] as const)
    expect([count, isAccepted({ goaltype: '1', goalseconds: count })]).toEqual([count, taken]);
});

test.each<[Partial<GoalFields>, string]>([
  [{ daysaffectedtype: '0' }, 'not implemented (or ever)'],
  [{ daysaffectedtype: '2' }, 'daysaffectedtype: must be 1'],
  [{ daysaffected: '0' }, 'daysaffected: must be from 1 (today) to 999 days'],
  [{ daysaffected: '1000' }, 'daysaffected: must be from 1 (today) to 999 days'],
  [{ goaltype: '2' }, 'goaltype: must be 0'],
  [{ type: 'site' }, 'type: must be app (application) or cat (category)'],
  [{ deviceid: '0' }, 'There is no such device'],
  [{ deviceid: 'laptop' }, 'There is no such device'],
  [{ begindate: '2026-02-30' }, 'begindate: must be empty or a date'],
  [{ begindate: '01-02-2026' }, 'begindate: must be empty or a date'],
  [{ limit: 'yes' }, 'limit: must be 1 (limit)'],
])('%j is refused', (more, sentence) => {
  expect(() => validateGoal({ ...fields, ...more })).toThrow(sentence);
});

test('progress is formatted for people', () => {
  expect(describeProgress(goal({ target: { kind: 'app', name: 'code' } }), 29_880, nowhere)).toEqual({
    header: 'code: 10 hours',
    lines: ['Time spent in code', 'last 7 days', 'All devices'],
    failedColour: 'var(--accent, #5b4bd4)',
    done: '8h 18m of 10h',
    share: 0.83,
  });
  const limit = goal({ target: { kind: 'app', name: 'firefox' }, amount: 3600, days: 1, isLimit: true });
  expect(describeProgress(limit, 5100, { ...nowhere, device: 'Laptop' })).toMatchObject({
    header: 'firefox: 1 hour or less',
    lines: ['Time spent in firefox', 'Today', 'Laptop'],
    failedColour: 'var(--red, #be2838)',
    done: '1h 25m, over by 25m',
  });
  const opened = goal({ measure: 'opened', amount: 1, days: 14 });
  expect(describeProgress(opened, 22, { ...nowhere, onlyDevice: 'Laptop' })).toMatchObject({
    header: 'total: 1 time',
    lines: ['Times all applications were opened', 'last 14 days', 'All devices (only Laptop)'],
    done: '22 of 1 time',
    share: 22,
  });
  const removed = { ...nowhere, device: 'Laptop', isDeviceRemoved: true, isCategoryDeleted: true };
  expect(describeProgress(goal({ target: { kind: 'cat', name: 'web' } }), 0, removed).lines).toEqual([
    'Time spent in web (deleted category)',
    'last 7 days',
    'Laptop (removed computer)',
  ]);
});

const goals = fc
  .record({
    measure: fc.constantFrom<Goal['measure']>('time', 'opened'),
    times: fc.integer({ min: 1, max: 201 }),
    days: fc.integer({ min: 1, max: 999 }),
    isLimit: fc.boolean(),
  })
  .map(({ times, ...more }) => goal({ ...more, amount: more.measure === 'time' ? times * 3600 : times }));

test('more use never lowers the share', () => {
  fc.assert(
    fc.property(goals, fc.nat(5_000_000), fc.nat(5_000_000), (one, done, more) => {
      const before = describeProgress(one, done, nowhere);
      const after = describeProgress(one, done + more, nowhere);
      expect(after.share).toBeGreaterThanOrEqual(before.share);
      expect(before.share >= 1).toBe(done >= one.amount);
      expect(after.lines.every((line) => line !== '')).toBe(true);
    }),
  );
});

test('a limit is notified at 80 and 100 percent, each once in its days', () => {
  const limit = goal({ amount: 3600, days: 3, isLimit: true });
  const none = new Map();
  expect(findLevelToNotify(limit, 2879, none, 100)).toBeUndefined();
  expect(findLevelToNotify(limit, 2880, none, 100)).toBe(80);
  expect(findLevelToNotify(limit, 3000, new Map([[80, 100]]), 100)).toBeUndefined();
  expect(findLevelToNotify(limit, 3600, new Map([[80, 100]]), 100)).toBe(100);
  expect(findLevelToNotify(limit, 3600, none, 100)).toBe(100);
  expect(findLevelToNotify(limit, 3000, new Map([[100, 100]]), 100)).toBeUndefined();
  expect(findLevelToNotify(limit, 9999, new Map([[100, 98]]), 100)).toBeUndefined();
  expect(findLevelToNotify(limit, 9999, new Map([[100, 97]]), 100)).toBe(100);
  expect(findLevelToNotify(goal({ amount: 3600 }), 9999, none, 100)).toBeUndefined();
});

test('no level is notified twice within the days of a limit, and 100 is never skipped', () => {
  const steps = fc.array(fc.record({ days: fc.integer({ min: 0, max: 3 }), done: fc.nat(7200) }), { maxLength: 40 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), steps, (days, all) => {
      const limit = goal({ amount: 3600, days, isLimit: true });
      const notified = new Map<80 | 100, number>();
      let today = 0;
      for (const step of all) {
        today += step.days;
        const level = findLevelToNotify(limit, step.done, notified, today);
        if (level !== undefined) {
          expect(today - (notified.get(level) ?? -Infinity)).toBeGreaterThanOrEqual(days);
          notified.set(level, today);
        }
        if (step.done >= 3600) expect(today - (notified.get(100) ?? -Infinity)).toBeLessThan(days);
      }
    }),
  );
});

test('a notice says what is left, or that the limit is exceeded', () => {
  const limit = goal({ target: { kind: 'app', name: 'firefox' }, amount: 3600, days: 1, isLimit: true });
  expect(formatNotice(limit, 3000, nowhere)).toEqual({
    title: '10m left until the limit',
    text: 'firefox: 1 hour or less\n50m of 1h, today',
  });
  expect(formatNotice(limit, 3600, nowhere).title).toBe('Limit reached');
  expect(formatNotice(limit, 5100, nowhere)).toEqual({
    title: 'Limit exceeded',
    text: 'firefox: 1 hour or less\n1h 25m, over by 25m, today',
  });
  const long = formatNotice({ ...limit, target: { kind: 'app', name: '👋'.repeat(500) } }, 3600, nowhere);
  expect(long.title.length + long.text.length).toBeLessThan(1000);
});

test('times are 15, 20, 30, 40 and 45 minutes, 1 hour, and 2 to 3001 hours', () => {
  const labels = TIME_AMOUNTS.map((amount) => formatAmount(TIME_SPENT, amount));
  expect(labels.slice(0, 8)).toEqual([
    '15 minutes',
    '20 minutes',
    '30 minutes',
    '40 minutes',
    '45 minutes',
    '1 hour',
    '2 hours',
    '3 hours',
  ]);
  expect(labels.at(-1)).toBe('3001 hours');
  expect(labels).toHaveLength(3006);
  expect(new Set(labels).size).toBe(3006);
});

test('times opened are 1 to 201, days are today or the last 2 to 999', () => {
  const opened = OPENED_AMOUNTS.map((amount) => formatAmount(TIMES_OPENED, amount));
  expect([opened[0], opened[1], opened.at(-1), opened.length]).toEqual(['1 time', '2 times', '201 times', 201]);
  const days = DAY_COUNTS.map(formatDays);
  expect([days[0], days[1], days.at(-1), days.length]).toEqual(['Today', 'last 2 days', 'last 999 days', 999]);
});

test('changing the type resets only implausible amounts', () => {
  expect(convertAmount(TIME_SPENT, 898)).toBe(DEFAULT_TIME_SECONDS);
  expect(convertAmount(TIME_SPENT, 899)).toBe(899);
  expect(convertAmount(TIMES_OPENED, 3600)).toBe(DEFAULT_OPENED_COUNT);
  expect(convertAmount(TIMES_OPENED, 3599)).toBe(3599);
  const amount = fc.nat({ max: 20_000_000 });
  const type = fc.constantFrom(TIME_SPENT, TIMES_OPENED);
  fc.assert(
    fc.property(type, amount, (to, from) => convertAmount(to, convertAmount(to, from)) === convertAmount(to, from)),
  );
  fc.assert(fc.property(type, fc.integer({ min: 900, max: 3599 }), (to, from) => convertAmount(to, from) === from));
});

test('any other value is invalid', () => {
  for (const none of [0, -900, 1, 899, 901, 3599, 3602 * 3600, Number.NaN, 0.5])
    expect(isAmount(TIME_SPENT, none)).toBe(false);
  for (const none of [0, -1, 202, 1.5, Number.NaN]) expect(isAmount(TIMES_OPENED, none)).toBe(false);
  for (const none of [0, -1, 1000, 1.5, Number.NaN]) expect(isDayCount(none)).toBe(false);
  expect(TIME_AMOUNTS.every((amount) => isAmount(TIME_SPENT, amount))).toBe(true);
  expect(DAY_COUNTS.every(isDayCount)).toBe(true);
});
