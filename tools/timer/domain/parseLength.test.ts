import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { padTwo } from '#platform/contract/text.ts';
import { changeRemaining, changeLoop, MAX_COUNTDOWN_MS, createCountdown, MIN_COUNTDOWN_MS } from './countdown.ts';
import { parseLength } from './parseLength.ts';
import { formatRemaining, formatShortLength, formatSpokenLength } from './timeDisplay.ts';

test.each([
  ['600', 600],
  [' 90 ', 90],
  ['+5', 5],
  ['007', 7],
  ['1', 1],
  ['360000', 360_000],
  ['25m', 1500],
  ['25 min', 1500],
  ['25 min.', 1500],
  ['25\xa0Minutes', 1500],
  ['90s', 90],
  ['90 sec', 90],
  ['2.5h', 9000],
  ['2,5 h', 9000],
  ['.5h', 1800],
  ['½ h', 1800],
  ['1½ hours', 5400],
  ['1h 5', 3900],
  ['1h5', 3900],
  ['5m 30', 330],
  ['1h30m', 5400],
  ['1 hour 5 minutes', 3900],
  ['5 min, 30 s', 330],
  ['1 hour and 30 seconds', 3630],
  ['5m 1h', 3900],
  ['1:30', 90],
  ['0:45', 45],
  [':45', 45],
  ['1:5', 65],
  ['90:00', 5400],
  ['1:05:00', 3900],
  ['1:30 h', 5400],
  ['1:30 min', 90],
  ['１:３０', 90],
  ['0.001h', 4],
  ['100 h', 360000],
])('%j is %i seconds', (text, seconds) => expect(parseLength(text)).toEqual({ length: seconds * 1000 }));

/** Lengths as people write them, each with its seconds. */
const WRITTEN = `
5’ = 300 | 5’30” = 330 | 5′30″ = 330 | 5'30'' = 330
5’30’’ = 330 | 30” = 30 | 5' 30 = 330 | half an hour = 1800
half hour = 1800 | a half hour = 1800 | an hour = 3600 | one hour = 3600
a minute = 60 | half a minute = 30 | 1/2 h = 1800 | 1 1/2 h = 5400
1 and 1/2 hours = 5400 | 1½h = 5400 | 1 ½ h = 5400 | ⅓ h = 1200
2/3 hour = 2400 | ¾ hour = 2700 | 3/4 hour = 2700 | quarter of an hour = 900
a quarter of an hour = 900 | quarter hour = 900 | three quarters of an hour = 2700 | an hour and a half = 5400
one and a half hours = 5400 | 2 and a half hours = 9000 | 2 hours and a half = 9000 | two and a half hours = 9000
an hour and a quarter = 4500 | hour and a half = 5400 | 25 Minuten = 1500 | 10mn = 600 | 1,000 s = 1000 | 1 Minute = 60
0,125 h = 450 | 0,500 min = 30 | 0,025 h = 90 | 1,200 min = 72000 | 360,000 s = 360000 | 0.125 h = 450
1 Std = 3600 | 1 Std. = 3600 | 1 Stunde = 3600 | 2 Stunden = 7200
1 Stunde 30 Minuten = 5400 | 1 Stunde und 5 Minuten = 3900 | 1 Std 30 = 5400 | 1 Std. 30 Min. = 5400
10 Sek = 10 | 10 Sekunden = 10 | halbe Stunde = 1800 | eine halbe Stunde = 1800
eine Stunde = 3600 | anderthalb Stunden = 5400 | eineinhalb Stunden = 5400 | dreiviertel Stunde = 2700
Viertelstunde = 900 | eine Viertelstunde = 900 | fünf Minuten = 300 | fünfundzwanzig Minuten = 1500
zehn Minuten = 600 | ten minutes = 600 | five min = 300 | twenty five minutes = 1500
twenty-five minutes = 1500 | forty-five seconds = 45 | thirty seconds = 30 | ninety seconds = 90
seventy minutes = 4200 | eighty minutes = 4800 | seventy-five seconds = 75 | eighty five seconds = 85
siebzig Minuten = 4200 | achtzig Minuten = 4800 | fünfundsiebzig Sekunden = 75 | fünfundachtzig Minuten = 5100
an hour and 20 minutes = 4800 | one hour and twenty minutes = 4800 | a couple of minutes = 120 | two hours = 7200
PT25M = 1500 | PT1H30M = 5400 | PT90S = 90 | P1DT2H = 93600
1 day = 86400 | 1d = 86400 | 1d 2h = 93600 | for 25 minutes = 1500
in 10 minutes = 600 | 10 minute timer = 600 | 10-minute timer = 600 | set a timer for 10 minutes = 600
timer 5 min = 300 | ~10 min = 600 | 1 : 30 = 90 | 1∶30 = 90
１０：００ = 600 | 1h & 30m = 5400 | 1h + 30m = 5400 | 1h, 30m = 5400
1h 30m 15s = 5415 | 1h30m15 = 5415 | 1 hr. 5 min. = 3900 | 1 heure 30 = 5400
1 heure et 30 minutes = 5400 | 2 heures = 7200 | 30 secondes = 30 | 1 hora y 30 minutos = 5400
20 minutos = 1200 | 1 ora = 3600 | 10 minuti = 600 | 1 uur en 5 minuten = 3900
25 мин = 1500 | 25分 = 1500 | 1時間30分 = 5400 | 1.5 hours = 5400
1,5 Std = 5400 | 90 Min = 5400 | 90MIN = 5400 | 1:30 Std = 5400
0:30 h = 1800 | 5 mins 30 secs = 330 | 5 mins, and 30 secs = 330 | 1 h 5' = 3900
00:10:00 = 600 | 25 = 25 | 1H = 3600
2hrs = 7200 | 2 hrs 15 = 8100 | 1hr30 = 5400 | 1.25h = 4500
.25 hours = 900 | 0,5 min = 30 | fifteen minutes = 900 | sixty seconds = 60
90 s = 90 | 3 min 5 sec = 185 | 3min5sec = 185 | 3m5s = 185
`
  .trim()
  .split(/ \| |\n/u)
  .map((pair) => pair.split(' = '));

test.each(WRITTEN)('%j is %s seconds', (text = '', seconds) => {
  expect(parseLength(text)).toEqual({ length: Number(seconds) * 1000 });
});

test.each([
  ['', 'Enter a time such as 600, 10:00 or 10 min'],
  ['   ', 'Enter a time such as 600, 10:00 or 10 min'],
  ['ten', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['12abc', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['1e3', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['0x10', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['NaN', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['Infinity', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['1 000', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['-', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['10 months', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['m', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['1h 90', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['1s 5', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['1/0 h', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['half', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['timer', 'Enter a time such as 600 (seconds), 10:00, 25 min or 1 h 30 min'],
  ['½', 'Enter whole seconds, or add a unit, such as 1.5 min'],
  ['5 days', 'Enter at most 360,000 seconds (100 hours)'],
  ['-5', "The time can't be negative. Enter 1 second or more"],
  ['−5', "The time can't be negative. Enter 1 second or more"],
  ['-1.5', "The time can't be negative. Enter 1 second or more"],
  ['-1:30', "The time can't be negative. Enter 1 second or more"],
  ['-5m', "The time can't be negative. Enter 1 second or more"],
  ['1.5', 'Enter whole seconds, or add a unit, such as 1.5 min'],
  ['1,5', 'Enter whole seconds, or add a unit, such as 1.5 min'],
  ['1.5 s', 'Enter whole seconds, or add a unit, such as 1.5 min'],
  ['1:75', 'Enter minutes and seconds after a colon with two digits up to 59, such as 1:30 or 1:05:00'],
  ['1:', 'Enter minutes and seconds after a colon with two digits up to 59, such as 1:30 or 1:05:00'],
  ['::', 'Enter minutes and seconds after a colon with two digits up to 59, such as 1:30 or 1:05:00'],
  ['1:2:3', 'Enter minutes and seconds after a colon with two digits up to 59, such as 1:30 or 1:05:00'],
  ['1:90:00', 'Enter minutes and seconds after a colon with two digits up to 59, such as 1:30 or 1:05:00'],
  ['1m 1m', 'Enter each unit only once, such as 1 h 30 min'],
  ['1h 5m 1 h', 'Enter each unit only once, such as 1 h 30 min'],
  ['0', 'Enter 1 second or more'],
  ['0:00', 'Enter 1 second or more'],
  ['0.0001 h', 'Enter 1 second or more'],
  ['360001', 'Enter at most 360,000 seconds (100 hours)'],
  ['100h 1s', 'Enter at most 360,000 seconds (100 hours)'],
  ['9'.repeat(400), 'Enter at most 360,000 seconds (100 hours)'],
  [`${'9'.repeat(400)} h`, 'Enter at most 360,000 seconds (100 hours)'],
])('%j gives the message: %s', (text, problem) => expect(parseLength(text)).toEqual({ problem }));

test('every valid number of whole seconds is read as itself, and changes the timer to exactly that', () => {
  fc.assert(
    fc.property(fc.integer({ min: MIN_COUNTDOWN_MS / 1000, max: MAX_COUNTDOWN_MS / 1000 }), (seconds) => {
      const length = seconds * 1000;
      expect(parseLength(String(seconds))).toEqual({ length });
      expect(changeLoop(createCountdown(), length, 0)).toMatchObject({ loop: length, left: length });
      expect(changeRemaining(createCountdown(), length, 0)).toMatchObject({ left: length });
    }),
  );
});

test('a length is read as itself in every notation', () => {
  const whole = fc.record({ h: fc.nat({ max: 99 }), m: fc.nat({ max: 59 }), s: fc.nat({ max: 59 }) });
  fc.assert(
    fc.property(
      whole.filter(({ h, m, s }) => h + m + s > 0),
      ({ h, m, s }) => {
        const seconds = h * 3600 + m * 60 + s;
        for (const text of [
          `${h}:${padTwo(m)}:${padTwo(s)}`,
          `${h}h ${m}m ${s}s`,
          `${h} hours ${m} min ${s}`,
          `${h}h${m}m${s}`,
        ])
          expect(parseLength(text)).toEqual({ length: seconds * 1000 });
        expect(parseLength(formatRemaining(seconds * 1000))).toEqual({ length: seconds * 1000 });
        expect(parseLength(formatSpokenLength(seconds))).toEqual({ length: seconds * 1000 });
        expect(parseLength(formatShortLength(seconds))).toEqual({ length: seconds * 1000 });
      },
    ),
  );
});

test('any text gives a valid length or an error message', () => {
  const number = fc.oneof(fc.double().map(String), fc.bigInt().map(String), fc.integer().map(String));
  const time = fc.string({
    unit: fc.constantFrom(
      '0',
      '1',
      '5',
      '9',
      '.',
      ',',
      ':',
      '½',
      '/',
      '-',
      ' ',
      "'",
      'h',
      'm',
      's',
      'min',
      ' and ',
      'a ',
      'half ',
    ),
  });
  fc.assert(
    fc.property(fc.oneof(fc.string(), number, time), (text) => {
      const parsed = parseLength(text);
      if ('problem' in parsed) expect(parsed.problem).toMatch(/^[A-Z].+[^.]$/);
      else
        expect(
          parsed.length >= MIN_COUNTDOWN_MS && parsed.length <= MAX_COUNTDOWN_MS && parsed.length % 1000 === 0,
        ).toBe(true);
    }),
  );
});
