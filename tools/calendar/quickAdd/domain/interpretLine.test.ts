import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Day, toIso } from '#platform/contract/day.ts';
import { parseDay } from '../../events/domain/day.ts';
import { type LineReading, interpretLine } from './interpretLine.ts';

const SATURDAY = parseDay('2026-11-21') ?? 0;
const MONDAY = SATURDAY + 2;

const FRIDAY = SATURDAY + 6;

/** Formats a reading in one line: name | date | time | pattern | tags. */
function formatReading({ name, day, time, endTime, endDays, pattern, tags }: LineReading): string {
  const parts = [`${name} | ${toIso(day)}`];
  const later = endDays === 0 ? '' : `+${endDays}`;
  if (time !== undefined) parts.push(endTime === undefined ? time : `${time}-${endTime}${later}`);
  if (pattern.kind === 'duration') parts.push(`for ${pattern.duration.amount} ${pattern.duration.unit}`);
  if (pattern.kind === 'foreign') parts.push(pattern.rule.replace('RRULE:FREQ=', ''));
  if (pattern.kind === 'repeat') {
    const { every, unit, until } = pattern.repeat;
    const end = until.type === 'times' ? ` +${until.times}` : until.type === 'date' ? ` until ${toIso(until.day)}` : '';
    parts.push(`every ${every} ${unit}${end}`);
  }
  if (tags.length > 0) parts.push(tags.map((tag) => `#${tag}`).join(' '));
  return parts.join(' | ');
}

function describeMeaning(line: string, today: Day = SATURDAY): string {
  const meaning = interpretLine(line, today, '14:07');
  if (meaning.kind === 'empty') return 'nothing yet';
  if (meaning.kind === 'wrong') return `no: ${meaning.why}`;
  return meaning.readings.map(formatReading).join(' OR ') + (meaning.isDated ? '' : ' (no date given)');
}

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
    ['call mum 7pm', 'call mum | 2026-11-21 | 19:00 (no date given)'],
    ['breakfast tomorrow 8 am', 'breakfast | 2026-11-22 | 08:00'],
    ['train 12am monday', 'train | 2026-11-23 | 00:00'],
    ['meeting monday 14:00-15:30', 'meeting | 2026-11-23 | 14:00-15:30'],
    ['meeting monday from 2 to 3pm', 'meeting | 2026-11-23 | 14:00-15:00'],
    ['standup monday 9-9:15', 'standup | 2026-11-23 | 09:00-09:15 OR standup | 2026-11-23 | 21:00-21:15'],
    ['swim tomorrow at 07:30 for 45 minutes', 'swim | 2026-11-22 | 07:30-08:15'],
    ['call at half past 4 in the afternoon', 'call | 2026-11-21 | 16:30 (no date given)'],
    ['dinner tonight at 8 pm', 'dinner | 2026-11-21 | 20:00'],
    ['Konzert morgen 20h', 'Konzert morgen | 2026-11-21 | 20:00 (no date given)'],
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
    ['library loan for 4 weeks', 'library loan | 2026-11-21 | for 4 weeks (no date given)'],
    ['away until friday', 'away | 2026-11-21 | for 7 days (no date given)'],
    ['conference next Thursday for 3 days', 'conference | 2026-11-26 | for 3 days'],
    // Tags, quotes
    [
      'quarterly review 23 nov #work #planning',
      'quarterly review | 2026-11-23 | #work #planning OR review | 2026-11-23 | every 3 month | #work #planning',
    ],
    ['"Friday on my mind" tomorrow', 'Friday on my mind | 2026-11-22'],
    // Words that look like days but are not
    ['buy sun cream tomorrow', 'buy sun cream | 2026-11-22'],
    ['may I ask Jo tomorrow', 'may I ask Jo | 2026-11-22'],
    ['support is there 24/7', 'support is there 24/7 | 2026-11-21 (no date given)'],
    ['march for science tomorrow', 'march for science | 2026-11-22'],
    ['Bus 42 timetable', 'Bus 42 timetable | 2026-11-21 (no date given)'],
    ['water plants', 'water plants | 2026-11-21 (no date given)'],
    // Ambiguous lines: the most likely reading first
    ['party 3/4', 'party | 2027-04-03 OR party | 2027-03-04'],
    ['dentist tomorrow at 3', 'dentist | 2026-11-22 | 15:00 OR dentist | 2026-11-22 | 03:00'],
    ['dentist tomorrow at 9', 'dentist | 2026-11-22 | 09:00 OR dentist | 2026-11-22 | 21:00'],
    ['plan monday meeting on friday', 'plan monday meeting | 2026-11-27 OR plan meeting on friday | 2026-11-23'],
    ['walk saturday', 'walk | 2026-11-21 OR walk | 2026-11-28'],
    ['call Jo next week', 'call Jo | 2026-11-28 OR call Jo | 2026-11-23'],
    // Wrong
    ['', 'nothing yet'],
    ['   ', 'nothing yet'],
    ['tomorrow', 'no: Add a name'],
    ['#work', 'no: Add a name'],
    ['party 31 February', 'no: There is no 31 February'],
    ['party 29 february 2027', 'no: There is no 29 February 2027'],
    ['party 45/13', 'no: There is no month 13'],
    ['party 31.4.', 'no: There is no 31 April'],
    ['party 2026-02-30', 'no: 2026-02-30 is not a date'],
    ['call at 25:00', 'no: 25:00 is not a time'],
    ['call 9:75', 'no: 9:75 is not a time'],
    ['meeting 15:00-14:00', 'no: The end must be after the start'],
    ['holiday from 7 December 2026 to 3 December 2026', 'no: The last day must not be before the first day'],
    ['Monday 24 November dentist', 'no: 24 November is a Tuesday, not a Monday'],
    ['bins every 0 weeks', 'no: A repeat needs an interval of at least 1'],
    ['physio 5 times', 'no: Add how often it repeats: every week, every month'],
    ['retire in 99999 years', 'no: That is too far in the future'],
    [
      'camp from 1 December to 5 December every week',
      'no: A repeating event lasts one day. Leave out the repeat or the last day',
    ],
    ['shower the plants on the 32nd', 'no: No month has a 32nd'],
  ])('%s', (line, meaning) => {
    expect(describeMeaning(line)).toBe(meaning);
  });
});

const WORKDAYS = 'WEEKLY;INTERVAL=1;BYDAY=MO,TU,WE,TH,FR';
describe('rules, and times of every kind', () => {
  test.each([
    ['book club first monday of every month 7pm', 'book club | 2026-12-07 | 19:00 | MONTHLY;INTERVAL=1;BYDAY=1MO'],
    ['pay rent on the 1st of every month', 'pay rent | 2026-12-01 | every 1 month'],
    ['dinner tonight at 8', 'dinner | 2026-11-21 | 20:00 OR dinner | 2026-11-21 | 08:00'],
    ['standup every weekday', `standup | 2026-11-23 | ${WORKDAYS}`],
    ['weekdays standup 09:15', `standup | 2026-11-23 | 09:15 | ${WORKDAYS}`],
    ['workshop tomorrow 9-5', 'workshop | 2026-11-22 | 09:00-17:00 OR workshop 9-5 | 2026-11-22'],
    ['call mum in an hour', 'call mum | 2026-11-21 | 15:07'],
    ['call mum in half an hour', 'call mum | 2026-11-21 | 14:37'],
    ['oven in 20 min', 'oven | 2026-11-21 | 14:27'],
    ['tea an hour from now', 'tea | 2026-11-21 | 15:07'],
    ['check the dough in 12 hours', 'check the dough | 2026-11-22 | 02:07'],
    ['gym every Monday and Thursday', 'gym | 2026-11-23 | WEEKLY;INTERVAL=1;BYDAY=MO,TH'],
    ['gym every mon, wed & fri', 'gym | 2026-11-23 | WEEKLY;INTERVAL=1;BYDAY=MO,WE,FR'],
    ['every last friday standup', 'standup | 2026-11-27 | MONTHLY;INTERVAL=1;BYDAY=-1FR'],
    ['retro second tuesday of each month', 'retro | 2026-12-08 | MONTHLY;INTERVAL=1;BYDAY=2TU'],
    ['pay rent on the last day of every month', 'pay rent | 2026-11-30 | MONTHLY;INTERVAL=1;BYMONTHDAY=-1'],
    ['rent on the 15th of every month', 'rent | 2026-12-15 | every 1 month'],
    ['gym every weekday except friday', 'gym | 2026-11-23 | WEEKLY;INTERVAL=1;BYDAY=MO,TU,WE,TH'],
    ['swim every tuesday and every friday', 'swim | 2026-11-24 | WEEKLY;INTERVAL=1;BYDAY=TU,FR'],
    ['clean on the first and third monday of every month', 'clean | 2026-12-07 | MONTHLY;INTERVAL=1;BYDAY=1MO,3MO'],
    ['clean on the 1st and 15th of every month', 'clean | 2026-12-01 | MONTHLY;INTERVAL=1;BYMONTHDAY=1,15'],
    [
      'gym every monday except holidays',
      "no: 'except holidays' is not understood. Name the days it repeats on instead: Mon, Tue and Thu",
    ],
    ['inspection semi-annually', 'inspection | 2026-11-21 | every 6 month'],
    ['bins bimonthly', "no: 'Bimonthly' can mean two things. Write every 2 months, or name the days of the month"],
    ['sleep late weekends', 'sleep late | 2026-11-21 | WEEKLY;INTERVAL=1;BYDAY=SA,SU'],
    ['bins every other week', 'bins | 2026-11-21 | every 2 week'],
    ['chess every other tue and thu 20:00', 'chess | 2026-11-24 | 20:00 | WEEKLY;INTERVAL=2;BYDAY=TU,TH'],
    ['walk every day except sunday', 'walk | 2026-11-21 | WEEKLY;INTERVAL=1;BYDAY=MO,TU,WE,TH,FR,SA'],
    ['Anna every 3 march', 'Anna | 2027-03-03 | every 1 year'],
    ['film friday night at 9', 'film | 2026-11-27 | 21:00 OR film | 2026-11-27 | 09:00'],
    ['run every morning at 7', 'run | 2026-11-21 | 07:00 | every 1 day OR run | 2026-11-21 | 19:00 | every 1 day'],
    ['drinks friday night', 'drinks | 2026-11-27 | 20:00 OR drinks | 2026-11-27'],
    ['weekly review every friday', 'weekly review | 2026-11-27 | every 1 week'],
    ['gym every mon and wed until 18 december', 'gym | 2026-11-23 | WEEKLY;INTERVAL=1;BYDAY=MO,WE;UNTIL=20261218'],
    ['gym every mon and wed 6 times', 'gym | 2026-11-23 | WEEKLY;INTERVAL=1;BYDAY=MO,WE;COUNT=6'],
    ['read chapters 3-5 tomorrow', 'read chapters 3-5 | 2026-11-22'],
    ['Arsenal 3-1 highlights tomorrow', 'Arsenal 3-1 highlights | 2026-11-22'],
    ['coffee 3.50 euro tomorrow', 'coffee 3.50 euro | 2026-11-22'],
    ['clean each room friday', 'clean each room | 2026-11-27'],
    [
      'pills every few days',
      "no: 'every few days' is not understood as a repeat. Put it in quotes to keep it in the name",
    ],
    ['pills twice a day', 'no: An event can repeat at most once a day. Create an event for each time'],
    ['swim 7am monday 6pm', 'no: Give one time, or a start and an end: 14:00-15:30'],
  ])('%s', (line, meaning) => {
    expect(describeMeaning(line)).toBe(meaning);
  });

  test.each([
    ['gym mon wed fri 7am', 'gym | 2026-11-23 | 07:00 | WEEKLY;INTERVAL=1;BYDAY=MO,WE,FR'],
    ['yoga tue and thu', 'yoga | 2026-11-24 | WEEKLY;INTERVAL=1;BYDAY=TU,TH'],
    ['work mon-fri 9-17', `work | 2026-11-23 | 09:00-17:00 | ${WORKDAYS}`],
    ['dentist 9.40 next tue', 'dentist | 2026-11-24 | 09:40'],
    ['shift monday 9am-5', 'shift | 2026-11-23 | 09:00-17:00'],
    ['class tomorrow 9h30', 'class | 2026-11-22 | 09:30'],
  ])('%s: the most likely reading comes first', (line, meaning) => {
    expect(describeMeaning(line).split(' OR ')[0]).toBe(meaning);
  });
});

describe('over midnight', () => {
  test.each([
    ['party 31 dec 22:00-02:00', 'party | 2026-12-31 | 22:00-02:00+1'],
    ['party 31 dec 21:00-02:00', 'party | 2026-12-31 | 21:00-02:00+1'],
    ['party 31 dec 10pm-2am', 'party | 2026-12-31 | 22:00-02:00+1'],
    ['party 31 dec 10pm to 2', 'party | 2026-12-31 | 22:00-02:00+1'],
    ['party 31 dec 22-2', 'party | 2026-12-31 | 22:00-02:00+1 OR party 22-2 | 2026-12-31'],
    ['party 31 dec 22:00 for 4 hours', 'party | 2026-12-31 | 22:00-02:00+1'],
    ['film tomorrow 23:30 for 90 minutes', 'film | 2026-11-22 | 23:30-01:00+1'],
    ['film tomorrow 23:00 for 1 hour', 'film | 2026-11-22 | 23:00-00:00+1'],
    [
      'party saturday 9pm at the club until 2am',
      'party at the club | 2026-11-21 | 21:00-02:00+1 OR party at the club | 2026-11-28 | 21:00-02:00+1',
    ],
    ['party until 2am', 'no: Add a start time: 21:00-02:00'],
    ['party 31 dec 20:00-24:00', 'party | 2026-12-31 | 20:00-00:00+1'],
    ['fireworks 31 dec at midnight', 'fireworks | 2027-01-01 | 00:00 OR fireworks | 2026-12-31 | 00:00'],
    ['call at midnight', 'call | 2026-11-22 | 00:00 (no date given)'],
    ['party 31 dec 22:00 for 4h', 'party | 2026-12-31 | 22:00-02:00+1'],
    ['party 31 dec 22:00 for 4.5 hours', 'party | 2026-12-31 | 22:00-02:30+1'],
    ['party 31 dec 23:00 for an hour and a half', 'party | 2026-12-31 | 23:00-00:30+1'],
    ['party 31 dec 23:00 for 1h30', 'party | 2026-12-31 | 23:00-00:30+1'],
    ['party 31 dec from 9pm till late', 'party | 2026-12-31 | 21:00'],
    [
      'game night every thursday at 7',
      'game night | 2026-11-26 | 19:00 | every 1 week OR game night | 2026-11-26 | 07:00 | every 1 week',
    ],
    ['hike tomorrow 22:00 for 30 hours', 'hike | 2026-11-22 | 22:00 | for 30 hours'],
    ['concert friday 20:00 to midnight', 'concert | 2026-11-27 | 20:00-00:00+1'],
    ['night shift every friday 22:00-06:00', 'night shift | 2026-11-27 | 22:00-06:00+1 | every 1 week'],
    ['watch mon, wed and fri 20:00-08:00', undefined],
    ['party from 31 dec 22:00 to 1 jan 02:00', 'party | 2026-12-31 | 22:00-02:00+1'],
    ['camp friday 17:00 until sunday 14:00', 'camp | 2026-11-27 | 17:00-14:00 | for 3 days'],
    ['trip 3 dec 5pm - 5 dec 9am', 'trip | 2026-12-03 | 17:00-09:00 | for 3 days'],
    ['talk 3 dec 17:00 to 3 dec 16:00', 'no: The end must be after the start'],
    ['party saturday night 10-2', undefined],
  ])('%s', (line, meaning) => {
    if (meaning === undefined) expect(describeMeaning(line)).toMatch(/\+1/);
    else expect(describeMeaning(line)).toBe(meaning);
  });
});

describe('parts of the day', () => {
  test.each([
    ['drinks saturday night', 'drinks | 2026-11-21 | 20:00 OR drinks | 2026-11-21 OR drinks | 2026-11-28 | 20:00'],
    ['call mum tonight', 'call mum | 2026-11-21 | 20:00 OR call mum | 2026-11-21'],
    ['lunch tomorrow afternoon', 'lunch | 2026-11-22 | 15:00 OR lunch | 2026-11-22'],
    ['swim this morning', 'swim | 2026-11-21'],
    ['pills every morning', 'pills | 2026-11-21 | 09:00 | every 1 day OR pills | 2026-11-21 | every 1 day'],
    ['fireworks tonight at midnight', 'fireworks | 2026-11-22 | 00:00'],
    ['fireworks at midnight tonight', 'fireworks | 2026-11-22 | 00:00 (no date given)'],
    ['taxi tonight at 1', 'taxi | 2026-11-22 | 01:00 OR taxi | 2026-11-21 | 13:00'],
    ['taxi tonight at 12', 'taxi | 2026-11-22 | 00:00 OR taxi | 2026-11-21 | 12:00'],
    ['taxi at 1 tonight', 'taxi | 2026-11-22 | 01:00 (no date given)'],
    ['taxi friday night at 2am', 'taxi | 2026-11-28 | 02:00'],
    ['drinks tonight 10-2', 'drinks | 2026-11-21 | 22:00-02:00+1'],
    ['dinner tonight at 8', 'dinner | 2026-11-21 | 20:00 OR dinner | 2026-11-21 | 08:00'],
    ['class tomorrow 9h30', 'class | 2026-11-22 | 09:30'],
    ['Zahnarzt 5.12 um 9', 'Zahnarzt | 2026-12-05 | 09:00 OR Zahnarzt | 2026-12-05 | 21:00'],
    ['Termin am 5.12 um 14 Uhr', 'Termin | 2026-12-05 | 14:00'],
    ['Zahnarzt 5.12. um 9 Uhr', 'Zahnarzt | 2026-12-05 | 09:00'],
    ['Kurs 5.12. von 9 bis 11 Uhr', 'Kurs | 2026-12-05 | 09:00-11:00'],
  ])('%s', (line, meaning) => {
    expect(describeMeaning(line).startsWith(meaning)).toBe(true);
    expect([line, describeMeaning(line).slice(0, meaning.length)]).toEqual([line, meaning]);
  });
});

describe('a rule that is not understood is reported', () => {
  test.each([
    'party every blue moon',
    'water plants each blue moon',
    'clean every now and then',
    'review once in a while',
    'pills every few days',
    'call mum from time to time tomorrow',
    'stretch most mornings',
  ])('%s', (line) => expect(describeMeaning(line)).toMatch(/^no: '.*' is not understood as a repeat/));

  test.each([
    ['clean each room friday', 'clean each room | 2026-11-27'],
    ['water every plant on mondays', 'water every plant | 2026-11-23 | every 1 week'],
    ['"Every blue moon" concert friday', 'Every blue moon concert | 2026-11-27'],
  ])('%s is no such rule', (line, meaning) => expect(describeMeaning(line)).toBe(meaning));
});

test('rules and times are removed from the name, and other words stay', () => {
  const ordinal = fc.constantFrom('first', 'second', 'third', 'last', '2nd');
  const weekday = fc.constantFrom('monday', 'tue', 'wednesday', 'thu', 'fri', 'saturday', 'sun');
  const rule = fc.oneof(
    fc.tuple(ordinal, weekday).map(([one, day]) => `${one} ${day} of every month`),
    fc
      .tuple(fc.constantFrom('every ', 'every other ', ''), weekday, weekday)
      .map(([lead, one, two]) => `${lead}${one} and ${two}`),
    fc.constantFrom(
      'every weekday',
      'weekends',
      'every other week',
      'every 2 months on the 3rd',
      'on the 15th of each month',
    ),
  );
  const time = fc.constantFrom('7pm', '9am-5', 'at 8:15', 'noon', '14:00-15:30');
  const name = fc.array(fc.constantFrom('choir', 'Zoë', 'budget', 'garden', 'plan'), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(name, rule, time, fc.boolean(), (words, ruleText, clock, isRuleFirst) => {
      const line = isRuleFirst ? `${ruleText} ${words.join(' ')} ${clock}` : `${words.join(' ')} ${ruleText} ${clock}`;
      const meaning = interpretLine(line, MONDAY, '14:07');
      if (meaning.kind !== 'readings') throw new Error(`${line}: not understood`);
      expect([line, meaning.readings[0]?.name]).toEqual([line, words.join(' ')]);
      expect(meaning.readings[0]?.pattern.kind).toMatch(/repeat|foreign/);
      expect(meaning.readings[0]?.time).toBeDefined();
    }),
  );
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
    expect(describeMeaning(line, MONDAY)).toBe(meaning);
  });
});

test('every input is understood or refused in a sentence, and each reading has a name and an existing day', () => {
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
      const meaning = interpretLine(text, today, '14:07');
      if (meaning.kind === 'wrong') expect(meaning.why).toMatch(/\w/);
      if (meaning.kind !== 'readings') return;
      expect(meaning.readings.length).toBeGreaterThan(0);
      for (const { name, day, time, endTime, endDays, pattern } of meaning.readings) {
        expect(name).not.toBe('');
        expect(parseDay(toIso(day))).toBe(day);
        const isLater = endDays > 0 || pattern.kind === 'duration';
        if (endTime !== undefined) expect(isLater || endTime > (time ?? '99')).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['dinner sat at 8', 'dinner', FRIDAY + 1],
  ['party fri at 9pm', 'party', FRIDAY],
  ['gym wed at 7', 'gym', FRIDAY + 5],
  ['lunch sat noon', 'lunch', FRIDAY + 1],
  ['bins every 2nd monday', 'bins', FRIDAY + 3],
  ['training every monday for 6 weeks', 'training', FRIDAY + 3],
  ['hotel 24 dec for 3 nights', 'hotel', FRIDAY + 27],
  ['party sat 9pm til 2am', 'party', FRIDAY + 1],
])('%s starts on its first day, and has a clean name', (text, name, day) => {
  const meaning = interpretLine(text, FRIDAY, '16:54');
  expect(meaning.kind === 'readings' ? meaning.readings[0] : meaning).toMatchObject({ name, day });
});

test('two times are no end', () => {
  expect(interpretLine('pills 8am and 8pm every day', FRIDAY, '16:54').kind).toBe('wrong');
});
