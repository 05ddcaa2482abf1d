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
  if (pattern.kind === 'foreign') said.push(pattern.rule.replace('RRULE:FREQ=', ''));
  if (pattern.kind === 'repeat') {
    const { every, unit, until } = pattern.repeat;
    const end = until.type === 'times' ? ` +${until.times}` : until.type === 'date' ? ` until ${toIso(until.day)}` : '';
    said.push(`every ${every} ${unit}${end}`);
  }
  if (tags.length > 0) said.push(tags.map((tag) => `#${tag}`).join(' '));
  return said.join(' | ');
};

const meaningOf = (line: string, today: Day = SATURDAY): string => {
  const meaning = understand(line, today, '14:07');
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
    ['sleep late weekends', 'sleep late | 2026-11-21 | WEEKLY;INTERVAL=1;BYDAY=SA,SU'],
    ['bins every other week', 'bins | 2026-11-21 | every 2 week'],
    ['chess every other tue and thu 20:00', 'chess | 2026-11-24 | 20:00 | WEEKLY;INTERVAL=2;BYDAY=TU,TH'],
    ['walk every day except sunday', 'walk | 2026-11-21 | WEEKLY;INTERVAL=1;BYDAY=MO,TU,WE,TH,FR,SA'],
    ['Anna every 3 march', 'Anna | 2027-03-03 | every 1 year'],
    ['film friday night at 9', 'film | 2026-11-27 | 21:00 OR film | 2026-11-27 | 09:00'],
    ['run every morning at 7', 'run | 2026-11-21 | 07:00 | every 1 day OR run | 2026-11-21 | 19:00 | every 1 day'],
    ['drinks friday night', 'drinks night | 2026-11-27'],
    ['weekly review every friday', 'weekly review | 2026-11-27 | every 1 week'],
    ['gym every mon and wed until 18 december', 'gym | 2026-11-23 | WEEKLY;INTERVAL=1;BYDAY=MO,WE;UNTIL=20261218'],
    ['gym every mon and wed 6 times', 'gym | 2026-11-23 | WEEKLY;INTERVAL=1;BYDAY=MO,WE;COUNT=6'],
    ['read chapters 3-5 tomorrow', 'read chapters 3-5 | 2026-11-22'],
    ['Arsenal 3-1 highlights tomorrow', 'Arsenal 3-1 highlights | 2026-11-22'],
    ['coffee 3.50 euro tomorrow', 'coffee 3.50 euro | 2026-11-22'],
    ['clean each room friday', 'clean each room | 2026-11-27'],
    ['pills every few days', "no: 'every few' is not understood as a repeat. Quotes make it a part of the name"],
    ['pills twice a day', 'no: It can repeat once a day at most: make one event for each time'],
    ['swim 7am monday 6pm', 'no: Say one time only, or from one to another: 14:00-15:30'],
  ])('%s', (line, meaning) => {
    expect(meaningOf(line)).toBe(meaning);
  });

  test.each([
    ['gym mon wed fri 7am', 'gym | 2026-11-23 | 07:00 | WEEKLY;INTERVAL=1;BYDAY=MO,WE,FR'],
    ['yoga tue and thu', 'yoga | 2026-11-24 | WEEKLY;INTERVAL=1;BYDAY=TU,TH'],
    ['work mon-fri 9-17', `work | 2026-11-23 | 09:00-17:00 | ${WORKDAYS}`],
    ['dentist 9.40 next tue', 'dentist | 2026-11-24 | 09:40'],
    ['shift monday 9am-5', 'shift | 2026-11-23 | 09:00-17:00'],
    ['class tomorrow 9h30', 'class | 2026-11-22 | 09:30'],
  ])('%s: what is likeliest comes first', (line, meaning) => {
    expect(meaningOf(line).split(' OR ')[0]).toBe(meaning);
  });
});

test('nothing of a rule or a time stays in the name, and the other words do', () => {
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
    fc.property(name, rule, time, fc.boolean(), (words, said, clock, isRuleFirst) => {
      const line = isRuleFirst ? `${said} ${words.join(' ')} ${clock}` : `${words.join(' ')} ${said} ${clock}`;
      const meaning = understand(line, MONDAY, '14:07');
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
      const meaning = understand(text, today, '14:07');
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
