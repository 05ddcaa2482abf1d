import type { Day } from '#platform/contract/day.ts';
import { DAY_MINUTES } from '#platform/contract/duration.ts';
import { toMinutes, formatTime } from '../../events/domain/day.ts';
import { listRanges } from './clockTimes.ts';
import { type LineSection, type LinePart, listParts } from './lineScanner.ts';
import { removeWeekdays } from './repeatPatterns.ts';

/** Removes text from the line without adding it to the name. */
const NOTHING: LinePart = { kind: 'name', text: '' };
const END_BEFORE_START_MESSAGE = 'The end must be after the start';
const NO_START: LinePart = { kind: 'wrong', why: 'Add a start time: 21:00-02:00' };
const UNSUPPORTED_EXCEPTION: LinePart = {
  kind: 'wrong',
  why: 'Name the days it repeats on instead: Mon, Tue and Thu',
};

/** Returns each combination of the ambiguous parts, the most likely first. */
function combineMeanings(parts: readonly LineSection[]): readonly (readonly LineSection[])[] {
  const at = parts.findIndex(({ part }) => part.kind === 'either');
  const either = parts[at];
  if (either?.part.kind !== 'either') return [parts];
  // An ambiguous part doesn't mean what another part of the line already says.
  const statedKinds = new Set(parts.map(({ part }) => part.kind));
  return either.part.options
    .filter(
      (option) =>
        option === undefined || !(option.kind === 'date' || option.kind === 'time') || !statedKinds.has(option.kind),
    )
    .flatMap((option) =>
      combineMeanings(parts.toSpliced(at, 1, ...(option === undefined ? [] : [{ ...either, part: option }]))),
    );
}

const isAdjective = ({ part }: LineSection): boolean => part.kind === 'repeat' && part.isAdjective === true;

function applyInterval(part: LinePart, every: number): LinePart {
  if (part.kind === 'either')
    return { ...part, options: part.options.map((option) => option && applyInterval(option, every)) };
  if (part.kind !== 'repeat' || part.unit !== 'week' || part.every !== 1) return part;
  const rule = part.rule?.replace('INTERVAL=1;', `INTERVAL=${every};`);
  return { ...part, every, ...(rule === undefined ? {} : { rule }) };
}

const isOther = ({ part }: LineSection): boolean =>
  part.kind === 'either'
    ? part.options.some((option) => option?.kind === 'repeat' && !option.isAdjective)
    : part.kind === 'repeat' && !part.isAdjective;

/** Returns the number of weeks of 'biweekly' or 'every 3 weeks', unless it has weekdays of its own. */
const countWeeks = ({ part }: LineSection): number | undefined =>
  part.kind === 'repeat' && part.unit === 'week' && part.first === undefined && (part.every > 1 || !part.isAdjective)
    ? part.every
    : undefined;

/**
 * Removes an adjective from the rules if there is another rule: 'weekly review every Friday'. 'biweekly' and 'every 2
 * weeks' instead apply to the weekdays of the line: 'biweekly 1:1 Thursdays'.
 */
function removeAdjectives(parts: readonly LineSection[]): readonly LineSection[] {
  const interval = parts.find((each) => countWeeks(each) !== undefined);
  const every = interval && countWeeks(interval);
  const rest = parts.filter((each) => each !== interval);
  if (every === undefined || !rest.some((each) => isOther(each)))
    return parts.some(isOther) ? parts.filter((each) => !isAdjective(each)) : parts;
  return parts.map((each) =>
    each === interval || isAdjective(each)
      ? { ...each, part: NOTHING }
      : isOther(each)
        ? { ...each, part: applyInterval(each.part, every) }
        : each,
  );
}

/** Whether the usual time of a part of today is over. Late in the evening people still say 'tonight'. */
const isOver = ({ part, usual }: LineSection, today: Day, now: string): boolean =>
  part.kind === 'date' && part.days[0] === today && usual !== undefined && usual <= now;

/** Converts a time relative to now, and times on two days, to a day and a time. */
const splitMoments = (parts: readonly LineSection[], today: Day, now: string): readonly LineSection[] =>
  parts.flatMap((each) => {
    const timeSection = { start: each.end, end: each.end };
    if (each.part.kind === 'stretch')
      return [
        { ...each, part: { kind: 'date', days: [each.part.from] } },
        { ...timeSection, part: { kind: 'time', times: each.part.times } },
      ] as const;
    if (each.part.kind !== 'wait') return [isOver(each, today, now) ? { ...each, usual: undefined } : each];
    const minutes = toMinutes(now) + each.part.minutes;
    const day = today + Math.floor(minutes / DAY_MINUTES);
    const times = [{ time: formatTime(minutes % DAY_MINUTES) }];
    return [
      { ...each, part: { kind: 'date', days: [day] } },
      { ...timeSection, part: { kind: 'time', times } },
    ] as const;
  });

/** Joins a time and an end that are separate in the line: '9pm at the club until 2am'. */
function joinEnds(parts: readonly LineSection[]): readonly LineSection[] {
  const [end] = listParts(parts, 'ends');
  if (!end) return parts;
  const rest = parts.map((each) => (each.part.kind === 'ends' ? { ...each, part: NO_START } : each));
  const [start] = listParts(parts, 'time');
  if (!start || start.times.some(({ endTime }) => endTime !== undefined)) return rest;
  const ranges = listRanges(
    start.times.map(({ time }) => time),
    end.times,
  );
  const part: LinePart =
    ranges.times.length > 0 ? { kind: 'time', ...ranges } : { kind: 'wrong', why: END_BEFORE_START_MESSAGE };
  return parts.flatMap((each) =>
    each.part.kind === 'time' ? [{ ...each, part }] : each.part.kind === 'ends' ? [{ ...each, part: NOTHING }] : [each],
  );
}

/** Returns two interpretations of a line with two days: the last or the first counts, the other belongs to the name. */
function chooseDates(parts: readonly LineSection[]): readonly (readonly LineSection[])[] {
  const dates = parts.filter(({ part }) => part.kind === 'date');
  if (dates.length < 2 || parts.some(({ part }) => part.kind === 'span')) return [parts];
  const selectDate = (selectedDate: LineSection | undefined): readonly LineSection[] =>
    parts.filter((each) => each.part.kind !== 'date' || each === selectedDate);
  return [selectDate(dates.at(-1)), selectDate(dates[0])];
}

function removeDays(part: LinePart, weekdays: readonly number[]): LinePart {
  if (part.kind === 'either')
    return { ...part, options: part.options.map((each) => each && removeDays(each, weekdays)) };
  return part.kind === 'repeat' ? (removeWeekdays(part, weekdays) ?? UNSUPPORTED_EXCEPTION) : part;
}

/** Applies exceptions to the repeats: 'daily at 9 except Sunday'. */
function applyExceptions(parts: readonly LineSection[]): readonly LineSection[] {
  const weekdays = listParts(parts, 'except').flatMap((each) => each.weekdays);
  if (weekdays.length === 0) return parts;
  return parts.map((each) => ({
    ...each,
    part: each.part.kind === 'except' ? NOTHING : removeDays(each.part, weekdays),
  }));
}

/** Normalizes the parts: moments become days and times, and ends are joined to their starts. */
export function resolveParts(parts: readonly LineSection[], today: Day, now: string): readonly LineSection[] {
  return applyExceptions(removeAdjectives(joinEnds(splitMoments(parts, today, now))));
}

/** Returns each interpretation of a line, the most likely first. */
export function listInterpretations(parts: readonly LineSection[]): readonly (readonly LineSection[])[] {
  return combineMeanings(parts).flatMap(chooseDates);
}
