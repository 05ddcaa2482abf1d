import { expect, test } from 'vitest';
import { toIso } from '#platform/contract/day.ts';
import { parseDay } from '../../events/domain/day.ts';
import { createForeignPattern } from './repeat.ts';

const today = parseDay('2026-11-21') ?? 0;

test('a rule is converted to its days, and stored as other calendars write it', () => {
  const pattern = createForeignPattern('FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,WE;UNTIL=20261203', today + 2, today);
  expect(pattern.days.map(toIso)).toEqual(['2026-11-23', '2026-11-25', '2026-11-30', '2026-12-02']);
  expect(pattern.rule).toBe('RRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,WE;UNTIL=20261203');
  expect(pattern.words).toBe('every week on Monday and Wednesday, until 3 December 2026');
  expect(createForeignPattern('FREQ=MONTHLY;BYDAY=-1FR;COUNT=2', today + 6, today).days.map(toIso)).toEqual([
    '2026-11-27',
    '2026-12-25',
  ]);
});

test.each([
  'FREQ=HOURLY',
  'nothing',
  'FREQ=DAILY\r\nATTENDEE:mailto:x',
  'FREQ=DAILY;UNTIL=20260231',
  'FREQ=DAILY;UNTIL=20200101',
])('%j is refused', (rule) => {
  expect(() => createForeignPattern(rule, today, today)).toThrow('rule: ');
});
