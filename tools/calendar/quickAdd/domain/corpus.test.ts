import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCivilDate, MONTHS, WEEKDAYS } from '#platform/contract/day.ts';
import { formatDate } from '../../events/domain/dateNames.ts';
import { parseDay, getWeekday, formatTime } from '../../events/domain/day.ts';
import { describeReading as inWords } from '../../web/readingData.ts';
import { interpretLine } from './interpretLine.ts';

const FRIDAY = parseDay('2026-11-27') ?? 0;
const NOW = '16:54';

/** Returns what quick add shows for a line: name and words of the most likely reading, or why there is none. */
function formatResult(line: string): string {
  const meaning = interpretLine(line, FRIDAY, NOW);
  if (meaning.kind === 'wrong') return `no: ${meaning.why}`;
  const [reading] = meaning.kind === 'readings' ? meaning.readings : [];
  return reading ? `${reading.name} | ${inWords(reading, FRIDAY)}` : 'nothing yet';
}

/** Lines typed on Friday 27 November 2026 at 16:54, each with what quick add shows. */
const lines = readFileSync(new URL('corpus.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' => '));

test.each(lines)('%s', (line = '', shown = '') => {
  expect(formatResult(line)).toBe(shown);
});

/** Real names that contain words or digits of days and times. */
const NAMES = [
  'May',
  '7 Up',
  'Windows 11',
  'cat sat on mat',
  'March of the penguins',
  'Maroon 5',
  'Blink 182',
  'U2',
  'Catch 22',
  'April',
  'sun cream',
  'Apollo 13 book',
  'Route 66',
  'iPhone 15',
  'Area 51',
  'First aid',
  'Second World War',
  'quarter final',
  '24h race',
  '3 day conference',
  '10x engineer',
  '2x4 lumber',
  'Room 1430',
  'half marathon',
  'New Year resolutions',
  'Christmas Carol',
  'Easter Island',
  'letter from May',
  'one on one',
  'table for 4',
  'bus 9',
  'chapter 3',
  '5 minute recipe',
];

test('names with words or digits of days and times stay unchanged', () => {
  for (const name of NAMES)
    for (const line of [`meet ${name} group`, `${name} plan`, `see ${name} with Ann`]) {
      const meaning = interpretLine(line, FRIDAY, NOW);
      expect([line, meaning.kind === 'readings' && meaning.readings[0]]).toMatchObject([
        line,
        { name: line, day: FRIDAY, time: undefined, pattern: { kind: 'single' } },
      ]);
    }
});

test('a name without any word or digit of a time stays unchanged', () => {
  const word = fc.constantFrom(
    ...'choir Zoë budget garden plan with Ann the Jo and a for on at by dinner visit café über school bins of'.split(
      ' ',
    ),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      const name = ['call', ...words, 'home'].join(' ');
      const meaning = interpretLine(name, FRIDAY, NOW);
      expect(meaning).toMatchObject({ kind: 'readings', isDated: false, readings: [{ name, time: undefined }] });
    }),
  );
});

test('twelve o’clock is noon, unless the line is about an evening', () => {
  for (const line of ['lunch tomorrow 12:00', 'lunch tomorrow 12:30', 'lunch tomorrow at 12']) {
    const meaning = interpretLine(line, FRIDAY, NOW);
    expect([line, meaning.kind === 'readings' && meaning.readings.map(({ time }) => time?.slice(0, 2))]).toEqual([
      line,
      ['12'],
    ]);
  }
});

test('misspelt words are understood, and a name keeps its spelling', () => {
  expect(formatResult('Wensday Club and EOD reprot on wensday 9am')).toBe(
    'Wensday Club and EOD reprot | Wednesday 2 December, 09:00',
  );
  expect(formatResult('"wensday 330pm" tmrw 330pm')).toBe('wensday 330pm | Saturday 28 November, 15:30');
});

test('a typing mistake in a weekday does not make another day', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...WEEKDAYS),
      fc.nat(),
      fc.constantFrom('less', 'twice', 'swapped'),
      (day, seed, slip) => {
        const at = 1 + (seed % (day.length - 3));
        const [letter, next] = [day.charAt(at), day.charAt(at + 1)];
        const middle = { less: next, twice: letter + letter + next, swapped: next + letter }[slip];
        const line = `choir ${day.slice(0, at)}${middle}${day.slice(at + 2)} 9am`;
        expect([line, formatResult(line)]).toEqual([line, formatResult(`choir ${day} 9am`)]);
      },
    ),
  );
});

test('a fully written event reads back as the same one, in any order', () => {
  const minutes = fc.integer({ min: 1, max: 300 });
  const written = fc.record({
    day: fc.integer({ min: FRIDAY, max: FRIDAY + 300 }),
    hour: fc.integer({ min: 6, max: 18 }),
    minutes,
    form: fc.constantFrom('range', 'for', 'bare', 'brackets'),
    isDayFirst: fc.boolean(),
    isWithWeekday: fc.boolean(),
  });
  fc.assert(
    fc.property(written, ({ day, hour, minutes: length, form, isDayFirst, isWithWeekday }) => {
      const time = formatTime(hour * 60);
      const endTime = formatTime(hour * 60 + length);
      const timeText = {
        range: `${time}-${endTime}`,
        for: `${time} for ${length} minutes`,
        bare: `${time} ${length} min`,
        brackets: `${time} (${length} min)`,
      }[form];
      const weekday = isWithWeekday ? `${WEEKDAYS[getWeekday(day) - 1]} ` : '';
      const dayText = `${weekday}${formatDate(day)} ${toCivilDate(day).year}`;
      const line = `choir ${isDayFirst ? `${dayText} ${timeText}` : `${timeText} ${dayText}`}`;
      const meaning = interpretLine(line, FRIDAY, NOW);
      expect([line, meaning.kind === 'readings' && meaning.readings[0]]).toMatchObject([
        line,
        { name: 'choir', day, time, endTime, endDays: 0 },
      ]);
    }),
  );
});

test('a weekly rule with any bound ends there, and nothing of it stays in the name', () => {
  const bound = fc.oneof(
    fc.integer({ min: 2, max: 50 }).map((weeks) => `for ${weeks} weeks`),
    fc.integer({ min: 2, max: 50 }).map((times) => `${times} times`),
    fc.integer({ min: 2, max: 50 }).map((times) => `x${times}`),
    fc.constantFrom(...MONTHS).map((month) => `until ${month}`),
    fc.constantFrom(...MONTHS).map((month) => `till the end of ${month}`),
    fc.constantFrom('until christmas', 'from 5 jan to 30 mar', 'between 5 jan and 30 mar', 'jan-mar', 'through march'),
  );
  fc.assert(
    fc.property(fc.constantFrom(...WEEKDAYS), bound, fc.boolean(), (weekday, ending, isTimed) => {
      const line = `choir every ${weekday} ${ending}${isTimed ? ' 6pm' : ''}`;
      const meaning = interpretLine(line, FRIDAY, NOW);
      // November ends on Monday, so no other day is left.
      if (meaning.kind === 'wrong') {
        expect([line, meaning.why]).toEqual([line, 'The last day must not be before the first day']);
        return;
      }
      const reading = meaning.kind === 'readings' ? meaning.readings[0] : undefined;
      expect([line, reading?.name, reading?.time]).toEqual([line, 'choir', isTimed ? '18:00' : undefined]);
      expect(reading?.pattern).toMatchObject({
        kind: 'repeat',
        repeat: { until: { type: expect.stringMatching(/times|date/) } },
      });
    }),
  );
});

test('every input is understood or refused in a sentence', () => {
  const words = fc.constantFrom(
    ...'first last except sat eod 830 before after fortnight weeks today wknd fifth 5p 15th 24th-26th 2h 1h30 90 min half ten nine am morning night christmas all day next week month x10 between and 1430 biweekly until from to in march may friday thursdays 9ish quarter of the every other monthly for 3 nights 7 - ( ) #tag "'.split(
      ' ',
    ),
  );
  const day = fc.integer({ min: -700_000, max: 2_900_000 });
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), day, (typedWords, today) => {
      const meaning = interpretLine(typedWords.join(' '), today, NOW);
      if (meaning.kind === 'wrong') expect(meaning.why).toMatch(/^\S.*\w/);
      if (meaning.kind !== 'readings') return;
      expect(meaning.readings.length).toBeGreaterThan(0);
      for (const { name, time, endTime, endDays, pattern } of meaning.readings) {
        expect(name.trim()).not.toBe('');
        const isLater = endDays > 0 || pattern.kind === 'duration';
        if (endTime !== undefined) expect(isLater || endTime > (time ?? '99')).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
