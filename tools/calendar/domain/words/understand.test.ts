import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Day, parseDay, toIso } from '../day.ts';
import { type Reading, understand } from './understand.ts';

const SATURDAY = parseDay('2026-11-21') ?? 0;
const MONDAY = SATURDAY + 2;

/** A reading in one line: name | date | time | pattern | tags. */
const written = ({ name, day, time, endTime, pattern, tags }: Reading): string => {
  const said = [`${name} | ${toIso(day)}`];
  if (time !== undefined) said.push(endTime === undefined ? time : `${time}-${endTime}`);
  if (pattern.kind === 'duration') said.push(`for ${pattern.duration.amount} ${pattern.duration.unit}`);
  if (pattern.kind === 'repeat') {
    const { every, unit, until } = pattern.repeat;
    const end = until.type === 'times' ? ` +${until.times}` : until.type === 'date' ? ` until ${toIso(until.day)}` : '';
    said.push(`every ${every} ${unit}${end}`);
  }
  if (tags.length > 0) said.push(tags.map((tag) => `#${tag}`).join(' '));
  return said.join(' | ');
};

const meaningOf = (line: string, today: Day = SATURDAY): string => {
  const meaning = understand(line, today);
  if (meaning.kind === 'empty') return 'nothing yet';
  if (meaning.kind === 'wrong') return `no: ${meaning.why}`;
  return meaning.readings.map(written).join(' OR ') + (meaning.isDated ? '' : ' (no day said)');
};

describe('on Saturday 21 November 2026', () => {
  test.each([
    // Days in words
    ['dentist tomorrow', 'dentist | 2026-11-22'],
    ['dentist next Tuesday', 'dentist | 2026-11-24'],
    ['Dentist on Tuesday', 'Dentist | 2026-11-24'],
    ['this friday film night', 'film night | 2026-11-27'],
    ['call the bank today', 'call the bank | 2026-11-21'],
    ['bins out day after tomorrow', 'bins out | 2026-11-23'],
    ['pay rent in 3 days', 'pay rent | 2026-11-24'],
    ['holiday in a fortnight', 'holiday | 2026-12-05'],
    ['MOT in two weeks', 'MOT | 2026-12-05'],
    ['review 3 weeks from now', 'review | 2026-12-12'],
    ['renew passport in 6 months', 'renew passport | 2027-05-21'],
    ['weed the garden this weekend', 'weed the garden | 2026-11-21'],
    ['tax return by the end of the month', 'tax return | 2026-11-30'],
    ['Steffi visited last friday', 'Steffi visited | 2026-11-20'],
    ['Monday week: school photo', 'school photo | 2026-11-30'],
    ['choir wed', 'choir | 2026-11-25'],
    ['sat 28 november party', 'party | 2026-11-28'],
    // Dates
    ['Anna 24 Nov', 'Anna | 2026-11-24'],
    ['car service 2nd of December', 'car service | 2026-12-02'],
    ['December 24th, 2027 eve', 'eve | 2027-12-24'],
    ['exam on 2026-12-05', 'exam | 2026-12-05'],
    ['exam 05-12-2026', 'exam | 2026-12-05'],
    ['Zahnarzt 5.12.', 'Zahnarzt | 2026-12-05'],
    ['Zahnarzt 5.12.27', 'Zahnarzt | 2027-12-05'],
    ['party 25/12', 'party | 2026-12-25'],
    ['party 12/25/2026', 'party | 2026-12-25'],
    ['rent on the 1st', 'rent | 2026-12-01'],
    ['dinner 3 january', 'dinner | 2027-01-03'],
    ['leap day 29 feb', 'leap day | 2028-02-29'],
    ['ski trip in February', 'ski trip | 2027-02-01'],
    ['Tuesday 24 November dentist', 'dentist | 2026-11-24'],
    // Times
    ['dentist next Tuesday 09:40', 'dentist | 2026-11-24 | 09:40'],
    ['lunch with Jo tomorrow at noon', 'lunch with Jo | 2026-11-22 | 12:00'],
    ['call mum 7pm', 'call mum | 2026-11-21 | 19:00 (no day said)'],
    ['breakfast tomorrow 8 am', 'breakfast | 2026-11-22 | 08:00'],
    ['train 12am monday', 'train | 2026-11-23 | 00:00'],
    ['meeting monday 14:00-15:30', 'meeting | 2026-11-23 | 14:00-15:30'],
    ['meeting monday from 2 to 3pm', 'meeting | 2026-11-23 | 14:00-15:00'],
    ['standup monday 9-9:15', 'standup | 2026-11-23 | 09:00-09:15 OR standup | 2026-11-23 | 21:00-21:15'],
    ['swim tomorrow at 07:30 for 45 minutes', 'swim | 2026-11-22 | 07:30-08:15'],
    ['call at half past 4 in the afternoon', 'call | 2026-11-21 | 16:30 (no day said)'],
    ['dinner tonight at 8 pm', 'dinner | 2026-11-21 | 20:00'],
    ['Konzert morgen 20h', 'Konzert morgen | 2026-11-21 | 20:00 (no day said)'],
    // Repeats
    ['bins out every Monday', 'bins out | 2026-11-23 | every 1 week'],
    ['water the plants every 2 weeks', 'water the plants | 2026-11-21 | every 2 week'],
    ['yoga tuesdays at 18:30', 'yoga | 2026-11-24 | 18:30 | every 1 week'],
    ['rent every month on the 1st', 'rent | 2026-12-01 | every 1 month'],
    ['clean filter every other friday', 'clean filter | 2026-11-27 | every 2 week'],
    ['pills daily at 08:00 until 5 December', 'pills | 2026-11-21 | 08:00 | every 1 day until 2026-12-05'],
    ['physio every week for 6 times', 'physio | 2026-11-21 | every 1 week +5'],
    ['insurance yearly 3 march', 'insurance | 2027-03-03 | every 1 year'],
    ["Anna's birthday 3 May", "Anna's birthday | 2027-05-03 | every 1 year OR Anna's birthday | 2027-05-03"],
    // More than a day
    ['holiday 3-7 December', 'holiday | 2026-12-03 | for 5 days'],
    ['Holiday in the hills from 20 December to 2 January', 'Holiday in the hills | 2026-12-20 | for 14 days'],
    ['Jo visits from Monday to Friday', 'Jo visits | 2026-11-23 | for 5 days'],
    ['fair December 3 to 5', 'fair | 2026-12-03 | for 3 days'],
    ['library loan for 4 weeks', 'library loan | 2026-11-21 | for 4 weeks (no day said)'],
    ['away until friday', 'away | 2026-11-21 | for 7 days (no day said)'],
    ['conference next Thursday for 3 days', 'conference | 2026-11-26 | for 3 days'],
    // Tags, quotes
    ['quarterly review 23 nov #work #planning', 'quarterly review | 2026-11-23 | #work #planning'],
    ['"Friday on my mind" tomorrow', 'Friday on my mind | 2026-11-22'],
    // Words that look like days and are none
    ['buy sun cream tomorrow', 'buy sun cream | 2026-11-22'],
    ['may I ask Jo tomorrow', 'may I ask Jo | 2026-11-22'],
    ['support is there 24/7', 'support is there 24/7 | 2026-11-21 (no day said)'],
    ['march for science tomorrow', 'march for science | 2026-11-22'],
    ['Bus 42 timetable', 'Bus 42 timetable | 2026-11-21 (no day said)'],
    ['water plants', 'water plants | 2026-11-21 (no day said)'],
    // Ambiguous: the likeliest first, the others offered
    ['party 3/4', 'party | 2027-04-03 OR party | 2027-03-04'],
    ['dentist tomorrow at 3', 'dentist | 2026-11-22 | 15:00 OR dentist | 2026-11-22 | 03:00'],
    ['dentist tomorrow at 9', 'dentist | 2026-11-22 | 09:00 OR dentist | 2026-11-22 | 21:00'],
    ['plan monday meeting on friday', 'plan monday meeting | 2026-11-27 OR plan meeting on friday | 2026-11-23'],
    ['walk saturday', 'walk | 2026-11-21 OR walk | 2026-11-28'],
    ['call Jo next week', 'call Jo | 2026-11-28 OR call Jo | 2026-11-23'],
    // Wrong
    ['', 'nothing yet'],
    ['   ', 'nothing yet'],
    ['tomorrow', 'no: Say what it is'],
    ['#work', 'no: Say what it is'],
    ['party 31 February', 'no: There is no 31 February'],
    ['party 29 february 2027', 'no: There is no 29 February 2027'],
    ['party 45/13', 'no: There is no month 13'],
    ['party 31.4.', 'no: There is no 31 April'],
    ['party 2026-02-30', 'no: There is no 2026-02-30'],
    ['call at 25:00', 'no: There is no 25:00'],
    ['call 9:75', 'no: There is no 9:75'],
    ['meeting 15:00-14:00', 'no: It ends before it begins'],
    ['holiday from 7 December 2026 to 3 December 2026', 'no: It ends before it begins'],
    ['Monday 24 November dentist', 'no: 24 November is a Tuesday, not a Monday'],
    ['gym every Monday and Thursday', 'no: Only one weekday can repeat in one event: make one for each'],
    ['standup every weekday', 'no: Only one weekday can repeat in one event: make one for each'],
    ['weekdays standup 9:15', 'no: Only one weekday can repeat in one event: make one for each'],
    [
      'every last friday standup',
      'no: The last one of a month cannot repeat: give a day, such as every month on the 25th',
    ],
    [
      'pay rent on the last day of every month',
      'no: The last one of a month cannot repeat: give a day, such as every month on the 25th',
    ],
    ['bins every 0 weeks', 'no: It has to repeat at least every 1'],
    ['physio 5 times', 'no: Say how often it repeats: every week, every month'],
    ['retire in 99999 years', 'no: That is too far away for a calendar'],
    [
      'camp from 1 December to 5 December every week',
      'no: What repeats lasts a day: leave the repeat or the last day out',
    ],
    ['shower the plants on the 32nd', 'no: There is no 32nd of a month'],
  ])('%s', (line, meaning) => {
    expect(meaningOf(line)).toBe(meaning);
  });
});

describe('on a Monday', () => {
  test.each([
    ['dentist next Friday', 'dentist | 2026-12-04 OR dentist | 2026-11-27'],
    ['dentist this Friday', 'dentist | 2026-11-27'],
    ['dentist Friday', 'dentist | 2026-11-27'],
    ['review monday', 'review | 2026-11-23 OR review | 2026-11-30'],
    ['review next monday', 'review | 2026-11-30'],
    ['review last monday', 'review | 2026-11-16'],
  ])('%s', (line, meaning) => {
    expect(meaningOf(line, MONDAY)).toBe(meaning);
  });
});

test('whatever is typed is understood or refused in a sentence, and a reading always has a name and a day that exists', () => {
  const words = fc.constantFrom(
    ...'dentist next last this every other 3 31 99 february monday mon sat at 9 9:75 pm to - until for weeks times 2026 the 1st #tag "x" and of week in from every'.split(
      ' ',
    ),
  );
  const line = fc.oneof(
    fc.array(words, { maxLength: 10 }).map((each) => each.join(' ')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );
  fc.assert(
    fc.property(line, fc.integer({ min: -700_000, max: 2_900_000 }), (text, today) => {
      const meaning = understand(text, today);
      if (meaning.kind === 'wrong') expect(meaning.why).toMatch(/\w/);
      if (meaning.kind !== 'readings') return;
      expect(meaning.readings.length).toBeGreaterThan(0);
      for (const { name, day, time, endTime } of meaning.readings) {
        expect(name).not.toBe('');
        expect(parseDay(toIso(day))).toBe(day);
        if (endTime !== undefined) expect(endTime > (time ?? '99')).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});
