import { MONTHS, nameOfMonth, WEEKDAYS } from '../../events/domain/dateNames.ts';
import { civilOf, type Day, dayInMonth, dayOf, monthIndexOf, monthLength, weekdayOf } from '../../events/domain/day.ts';
import { type LinePart, wrong } from './lineScanner.ts';

export const WEEKDAY = '(mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)((?:days?|nesdays?|urdays?)?)';

export const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';

export const weekdayNamed = (text: string): number =>
  WEEKDAYS.findIndex((name) => name.toLowerCase().startsWith(text.toLowerCase().slice(0, 3))) + 1;

export const monthNamed = (text: string): number =>
  MONTHS.findIndex((name) => name.toLowerCase().startsWith(text.toLowerCase().slice(0, 3))) + 1;

/** The first day from `today` on with that weekday. */
export const comingWeekday = (today: Day, weekday: number): Day => today + ((weekday - weekdayOf(today) + 7) % 7);

/** `amount` whole months on, at the same date or the month's last day. */
export const monthsOn = (day: Day, amount: number): Day => {
  const civil = civilOf(day);
  return dayInMonth(monthIndexOf(civil) + amount, civil.date);
};

/** The date of a month with its year, or without one the next such date from today on. */
export const dated = (today: Day, month: number, date: number, year: number | undefined): LinePart => {
  const named = `${date} ${nameOfMonth(month)}`;
  if (date < 1 || date > monthLength(2024, month)) return wrong(`There is no ${named}`);
  if (year !== undefined)
    return date > monthLength(year, month) || year < 1
      ? wrong(`There is no ${named} ${year}`)
      : { kind: 'date', days: [dayOf({ year, month, date })] };
  for (let next = civilOf(today).year; ; next += 1) {
    const isThere = date <= monthLength(next, month);
    const day = isThere ? dayOf({ year: next, month, date }) : -Infinity;
    if (day >= today) return { kind: 'date', days: [day] };
  }
};

export const fullYear = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : text.length === 2 ? 2000 + Number(text) : Number(text);

const DATE_WORDS = (
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth ' +
  'seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth ' +
  'twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first'
).split(' ');

export const DATE_WORD = DATE_WORDS.toReversed()
  .map((word) => word.replace('-', '[- ]'))
  .join('|');

/** The date that '5th' and 'twenty-fifth' say. */
export const dateNamed = (text: string): number =>
  DATE_WORDS.indexOf(text.toLowerCase().replace(' ', '-')) + 1 || Number.parseInt(text, 10);

export const lastOfMonth = (day: Day): Day => dayInMonth(monthIndexOf(civilOf(day)), 31);

/** The next such date of a month. */
export const comingDate = (today: Day, date: number): Day => {
  for (let month = monthIndexOf(civilOf(today)); ; month += 1) {
    const day = dayInMonth(month, date);
    if (day >= today && civilOf(day).date === date) return day;
  }
};

/** Names of what lasts for days. */
export const AWAY =
  /(?<![\p{L}\p{N}])(?:away|off|out|busy|holidays?|vacation|leave|trip|travell?ing|camping|visit(?:s|ing)?|conference|festival|camp|course|workshop|retreat|hotel|stay|on call)(?![\p{L}\p{N}])/iu;
