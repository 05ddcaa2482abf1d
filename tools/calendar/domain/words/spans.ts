import { civilOf, type Day } from '../day.ts';
import { dated, fullYear, MONTH, monthNamed, readDate } from './dates.ts';
import { firstOf, matchAt, type Part, type Reader, wrong } from './scan.ts';

const BETWEEN = '\\s*(?:-|–|to|until|till|through)\\s*';
const SPANS = [
  `(?:from )?(?:the )?(?<first>\\d{1,2})(?:st|nd|rd|th)?${BETWEEN}(?<last>\\d{1,2})(?:st|nd|rd|th)? (?:of )?(?<month>${MONTH})(?:,? (?<year>\\d{4}))?`,
  `(?:from )?(?<month>${MONTH}) (?<first>\\d{1,2})(?:st|nd|rd|th)?${BETWEEN}(?<last>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?`,
].map((pattern) => new RegExp(pattern));

const spanOf = (from: Day, until: Day): Part =>
  until < from ? wrong('It ends before it begins') : { kind: 'span', from, until };

/** '3-7 December', 'December 3 to 7': one month for both. */
const readShortSpan: Reader = (line, at, today) => {
  const found = SPANS.map((pattern) => matchAt(pattern, line, at)).find((each) => each !== undefined);
  if (!found?.groups) return undefined;
  const { month: named = '', first, last, year } = found.groups;
  const month = monthNamed(named);
  const end = at + found[0].length;
  const from = dated(today, month, Number(first), fullYear(year));
  if (from.kind !== 'date') return { end, part: from };
  const [start = today] = from.days;
  const until = dated(start, month, Number(last), civilOf(start).year);
  return { end, part: until.kind === 'date' ? spanOf(start, until.days[0] ?? start) : until };
};

/** 'from Monday to Friday', '3 Dec - 2 Jan': the end lies behind the beginning. */
const readLongSpan: Reader = (line, at, today) => {
  const begin = readDate(line, matchAt(/from(?= )/, line, at) ? at + 5 : at, today);
  if (begin?.part.kind !== 'date') return undefined;
  const [from = today] = begin.part.days;
  const joint = new RegExp(BETWEEN, 'iuy');
  joint.lastIndex = begin.end;
  if (!joint.test(line)) return undefined;
  const end = readDate(line, joint.lastIndex, from);
  return end?.part.kind === 'date' ? { end: end.end, part: spanOf(from, end.part.days[0] ?? from) } : end;
};

/** 'until Friday'. */
const readUntil: Reader = (line, at, today) => {
  const until = matchAt(/(?:until|till|through)(?= )/, line, at);
  const last = until && readDate(line, at + until[0].length + 1, today);
  return last?.part.kind === 'date'
    ? { end: last.end, part: { kind: 'until', day: last.part.days[0] ?? today } }
    : last;
};

/** More than one day, or the last of them. */
export const readSpan: Reader = (line, at, today) => firstOf([readShortSpan, readLongSpan, readUntil], line, at, today);
