import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkedGoal, type Goal, type GoalFields } from './goal.ts';
import { computeAchievement, type Surroundings, levelToTell, formatNotice } from './goalProgress.ts';

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
const goal = (more: Partial<Goal> = {}): Goal => ({ ...checkedGoal(fields), ...more });
const nowhere: Surroundings = { device: undefined, isDeviceGone: false, isCategoryGone: false, only: undefined };

test('a new goal has the specified defaults', () => {
  expect(checkedGoal(fields)).toEqual({
    target: { kind: 'app', name: 'total' },
    measure: 'time',
    amount: 36_000,
    days: 7,
    device: undefined,
    begins: '',
    isLimit: false,
  });
  expect(checkedGoal({ ...fields, limit: 'true', deviceid: '3', begindate: '2028-02-29' })).toMatchObject({
    isLimit: true,
    device: 3,
    begins: '2028-02-29',
  });
});

const isAccepted = (more: Partial<GoalFields>): boolean => {
  try {
    checkedGoal({ ...fields, ...more });
    return true;
  } catch {
    return false;
  }
};
test('only the specified amounts are valid', () => {
  const times = [15, 20, 30, 40, 45, ...Array.from({ length: 3001 }, (_, at) => (at + 1) * 60)];
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
  [{ daysaffectedtype: '2' }, 'daysaffectedtype is 1'],
  [{ daysaffected: '0' }, 'today or the last 2 to 999 days'],
  [{ daysaffected: '1000' }, 'today or the last 2 to 999 days'],
  [{ goaltype: '2' }, 'goaltype is 0'],
  [{ type: 'site' }, 'for an application (app) or a category (cat)'],
  [{ deviceid: '0' }, 'There is no such device'],
  [{ deviceid: 'laptop' }, 'There is no such device'],
  [{ begindate: '2026-02-30' }, 'begindate is a date'],
  [{ begindate: '01-02-2026' }, 'begindate is a date'],
  [{ limit: 'yes' }, 'limit is 1 for a limit'],
])('%j is refused', (more, sentence) => {
  expect(() => checkedGoal({ ...fields, ...more })).toThrow(sentence);
});

test('progress is formatted for people', () => {
  expect(computeAchievement(goal({ target: { kind: 'app', name: 'code' } }), 29_880, nowhere)).toEqual({
    header: 'code: 10 hours',
    lines: ['Time spent in code', 'last 7 days', 'All devices'],
    failedColour: 'var(--accent, #5b4bd4)',
    done: '8h 18m of 10h',
    share: 0.83,
  });
  const limit = goal({ target: { kind: 'app', name: 'firefox' }, amount: 3600, days: 1, isLimit: true });
  expect(computeAchievement(limit, 5100, { ...nowhere, device: 'Laptop' })).toMatchObject({
    header: 'firefox: 1 hour or less',
    lines: ['Time spent in firefox', 'Today', 'Laptop'],
    failedColour: 'var(--red, #be2838)',
    done: '1h 25m, over by 25m',
  });
  const opened = goal({ measure: 'opened', amount: 1, days: 14 });
  expect(computeAchievement(opened, 22, { ...nowhere, only: 'Laptop' })).toMatchObject({
    header: 'total: 1 time',
    lines: ['Times all applications were opened', 'last 14 days', 'All devices (only Laptop)'],
    done: '22 of 1 time',
    share: 22,
  });
  const removed = { ...nowhere, device: 'Laptop', isDeviceGone: true, isCategoryGone: true };
  expect(computeAchievement(goal({ target: { kind: 'cat', name: 'web' } }), 0, removed).lines).toEqual([
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
      const before = computeAchievement(one, done, nowhere);
      const after = computeAchievement(one, done + more, nowhere);
      expect(after.share).toBeGreaterThanOrEqual(before.share);
      expect(before.share >= 1).toBe(done >= one.amount);
      expect(after.lines.every((line) => line !== '')).toBe(true);
    }),
  );
});

test('a limit is notified at 80 and 100 percent, each once in its days', () => {
  const limit = goal({ amount: 3600, days: 3, isLimit: true });
  const none = new Map();
  expect(levelToTell(limit, 2879, none, 100)).toBeUndefined();
  expect(levelToTell(limit, 2880, none, 100)).toBe(80);
  expect(levelToTell(limit, 3000, new Map([[80, 100]]), 100)).toBeUndefined();
  expect(levelToTell(limit, 3600, new Map([[80, 100]]), 100)).toBe(100);
  expect(levelToTell(limit, 3600, none, 100)).toBe(100);
  expect(levelToTell(limit, 3000, new Map([[100, 100]]), 100)).toBeUndefined();
  expect(levelToTell(limit, 9999, new Map([[100, 98]]), 100)).toBeUndefined();
  expect(levelToTell(limit, 9999, new Map([[100, 97]]), 100)).toBe(100);
  expect(levelToTell(goal({ amount: 3600 }), 9999, none, 100)).toBeUndefined();
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
        const level = levelToTell(limit, step.done, notified, today);
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
    title: '10m left before a limit',
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
