import { expect, test } from 'vitest';
import { parseDay } from '../events/domain/day.ts';
import { interpretLine } from '../quickAdd/domain/interpretLine.ts';
import { describeReading } from './readingData.ts';

const today = parseDay('2026-11-21') ?? 0;

test.each([
  ['dentist next Tuesday 09:40', 'Tuesday 24 November, 09:40'],
  ['party 25/12/2027', 'Saturday 25 December 2027'],
  ['meeting monday 14:00-15:30', 'Monday 23 November, 14:00 to 15:30'],
  ['bins out every 2 weeks', 'Saturday 21 November, every 2 weeks'],
  ['physio every week 6 times', 'Saturday 21 November, every week, 6 times'],
  ['pills daily until 5 January', 'Saturday 21 November, every day until Tuesday 5 January 2027'],
  ['holiday 3-7 December', 'Thursday 3 December, until Monday 7 December'],
  ['flight tomorrow for 7 hours', 'Sunday 22 November, for 7 hours'],
])('%s is shown as understood', (line, words) => {
  const meaning = interpretLine(line, today, '14:07');
  expect(meaning.kind === 'readings' && meaning.readings[0] && describeReading(meaning.readings[0], today)).toBe(words);
});
