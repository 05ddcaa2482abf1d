import { ONE_TIME } from './clockTimes.ts';
import { type FoundPart, partsOf } from './lineScanner.ts';

/** What looks like a part of a rule, and was not understood. */
const RULE_LEFT =
  /(?<![\p{L}\p{N}])(?:(?:every|each) (?:other|few|couple|single|\d|first|second|third|last|mon|tue|wed|thu|fri|sat|sun|day|week|month|year|morning|evening|night|hour|minute|weekday|weekend)\p{L}*|(?:of|in) (?:every|each) \p{L}+|(?:second|third|next)[- ]to[- ]last \p{L}+|penultimate (?:mon|tue|wed|thu|fri|sat|sun|day|week)\p{L}*|every$|each$)/iu;

const EVERY_LEFT =
  /(?<![\p{L}\p{N}])(?:(?:every )?now and (?:then|again)|every(?: \p{L}+){1,2}|once (?:in|per|every) (?:a |an )?\p{L}+(?: moon)?|from time to time|alternate \p{L}+|(?:odd|even) (?:days|weeks|months)|(?:every|each) (?:\p{L}+ )?(?:moon|season|term|semester|holiday|payday|easter|christmas|decade)|most (?:days|weeks|mornings|evenings|nights))(?![\p{L}\p{N}])/iu;

const NEXT_PERIOD =
  '(?:next|this|last|coming) (?:week|weekend|month|year|quarter|summer|winter|spring|autumn|(?:mon|tues|wednes|thurs|fri|satur|sun)day)';
const END_OF_PERIOD = 'end of (?:the |this |next )?(?:day|week|month|quarter|year)';
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const WEEKDAY = '(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?';
/** A day that 'before', 'after' or 'since' leaves open; 'the market' and 'the wedding' are none. */
const OPEN_BOUND = [
  NEXT_PERIOD,
  END_OF_PERIOD,
  `\\d{1,2}(?:st|nd|rd|th)?(?: (?:of )?${MONTH})?`,
  '\\d\\p{L}*',
  'today|tomorrow|tonight|yesterday|weekend|summer|winter|spring|autumn|christmas|easter',
  "new year(?:['’]?s)?",
  WEEKDAY,
  MONTH,
].join('|');

/** A bound that was not understood: 'until summer', 'for the term'. */
const BOUND_LEFT = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?:until|till?|up to|ending|starting|beginning)(?: [\p{L}\p{N}]+){1,2}|(?:and|or|&|during|throughout) (?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|tember|ember|ober)?|for (?:the )?(?:rest|remainder|whole|next|term|season|semester|winter|summer|spring|autumn)(?: of)?(?: \p{L}+){0,2}|(?:from|between) (?:\p{L}+) (?:to|until|till?|and) (?:summer|winter|spring|autumn|fall)|through (?:the )?(?:summer|winter|spring|autumn|fall|end|term|season)|(?:before|after|since) (?:the )?(?:${OPEN_BOUND})|(?:x ?\d+|\d+ ?x))(?![\p{L}\p{N}])`,
  'iu',
);

const EXCEPT = /(?<![\p{L}\p{N}])(?:except(?:ing)?|excluding|but not|apart from)(?: \p{L}+)?/iu;

const SAY_DAYS_ONCE = 'Give the days only once. Put a day in quotes to keep it in the name';

/** What is said twice, or against another part of the line. */
export const contradictionIn = (found: readonly FoundPart[]): string | undefined => {
  if (partsOf(found, 'repeat').length > 1) return 'Give only one repeat. Create an event for each one';
  const times = new Set(partsOf(found, 'time').map((part) => JSON.stringify(part.times)));
  if (times.size > 1) return ONE_TIME;
  if (times.size > 0 && partsOf(found, 'allDay').length > 0) return 'Give a time or all day, not both';
  const spans = partsOf(found, 'span').length;
  if (spans > 1 || (spans > 0 && partsOf(found, 'date').length > 0)) return SAY_DAYS_ONCE;
  return partsOf(found, 'length').length > 1 ? 'Give the length only once' : undefined;
};

const leftOfRule = (rest: string, isRepeating: boolean): string | undefined => {
  if (isRepeating) {
    const except = EXCEPT.exec(rest)?.[0];
    if (except !== undefined)
      return `'${except}' is not understood. Name the days it repeats on instead: Mon, Tue and Thu`;
    const bound = BOUND_LEFT.exec(rest)?.[0];
    if (bound !== undefined)
      return `'${bound}' is not understood. Use a date or a number: until 31 March, for 6 weeks, 10 times`;
  }
  // Beside a rule that is understood, 'every plant' is no other one.
  const left = (isRepeating ? undefined : EVERY_LEFT.exec(rest))?.[0] ?? RULE_LEFT.exec(rest)?.[0];
  return left && `'${left}' is not understood as a repeat. Put it in quotes to keep it in the name`;
};

/** 'tomorrow and Friday': two days, which are two events. */
const severalDays = (line: string, found: readonly FoundPart[]): string | undefined => {
  const dates = found.filter(({ part }) => part.kind === 'date' || part.kind === 'repeat');
  const isJoined = dates.some((each, index) => {
    const before = dates[index - 1];
    const joint = before?.part.kind === 'repeat' ? /^\s*or\s*$/iu : /^\s*(?:and|&|\+|or)\s*$/iu;
    return before !== undefined && joint.test(line.slice(before.end, each.start));
  });
  return isJoined ? 'Give only one day. Create an event for each day' : undefined;
};

/** Why a line that was read in part is not understood; `rest` is what would be its name. */
export const faultIn = (line: string, found: readonly FoundPart[], rest: string): string | undefined =>
  partsOf(found, 'wrong')[0]?.why ??
  severalDays(line, found) ??
  contradictionIn(found) ??
  leftOfRule(rest, partsOf(found, 'repeat').length > 0);
