import { type DayHalf, type FoundPart, matchAt, partsOf, type Reader, type TimeRange } from './lineScanner.ts';

/** Parts of the day, and the time that is meant where none is said. */
const HALVES: readonly (readonly [RegExp, DayHalf, usual: string])[] = [
  [/ (?:in the )?(?:early |late )?mornings?| a\.?m\.?/, 'am', '09:00'],
  [/ (?:in the )?(?:early |late )?afternoons?| p\.?m\.?/, 'pm', '15:00'],
  [/ (?:in the )?(?:early |late )?(?:evenings?|(?<=\p{L} )eve)/u, 'pm', '19:00'],
  [/ (?:in the |at |late at )?(?:late )?nights?/, 'pm', '20:00'],
];
const DAY_HALF_PATTERNS: readonly (readonly [RegExp, DayHalf, usual: string | undefined])[] = [
  [/^nightly$/i, 'pm', undefined],
  [/tonight/i, 'pm', '20:00'],
  [/afternoon/i, 'pm', '15:00'],
  [/evening/i, 'pm', '19:00'],
  [/this morning/i, 'am', '09:00'],
];

/** 'tonight', 'this morning', and what stands behind a day: 'tomorrow evening', 'every Friday night'. */
export const halfBehind = (
  line: string,
  { start, end, part }: FoundPart,
): Pick<FoundPart, 'end' | 'half' | 'usual'> => {
  const said = line.slice(start, end);
  for (const [pattern, half, usual] of DAY_HALF_PATTERNS)
    if (pattern.test(said)) return { end, half, ...(part.kind === 'date' ? { usual } : {}) };
  if (part.kind !== 'date' && part.kind !== 'repeat') return { end };
  for (const [pattern, half, usual] of HALVES) {
    const found = matchAt(pattern, line, end);
    if (found) return { end: end + found[0].length, half, usual };
  }
  return { end };
};

const WHOLE: Readonly<Record<string, TimeRange>> = {
  morning: { time: '08:00', endTime: '12:00' },
  afternoon: { time: '12:00', endTime: '18:00' },
  evening: { time: '18:00', endTime: '22:00' },
  night: { time: '20:00', endTime: '06:00', endDays: 1 },
};

/** 'all day', 'all morning'. */
export const readAllDay: Reader = (line, at) => {
  const found = matchAt(
    /(?:all|the whole|whole|(?:the )?entire)[ -](day|morning|afternoon|evening|night)(?: long)?/,
    line,
    at,
  );
  if (!found?.[1]) return undefined;
  const range = WHOLE[found[1].toLowerCase()];
  return { end: at + found[0].length, part: range ? { kind: 'time', times: [range] } : { kind: 'allDay' } };
};

const isOfHalf = (time: string, half: DayHalf): boolean => time >= '12:00' === (half === 'pm');

/** Said of what is in the evening as a rule. */
const EVENING =
  /(?<![\p{L}\p{N}])(?:dinner|supper|drinks|party|concert|cinema|movies?|theatre|theater|opera|night)(?![\p{L}\p{N}])/iu;

/** Until when in the morning it is still night. */
const NIGHT_UNTIL = '05:00';

/** Of 'tonight' and 'Saturday night' midnight and what follows it is on the next day. */
const ofNight = (range: TimeRange): TimeRange => (range.time < NIGHT_UNTIL ? { ...range, later: 1 } : range);

const isOfNight = ({ time, later }: TimeRange): boolean => later === 1 || time >= '17:00';

/** Twelve is noon where nothing says that it is night. */
const withoutMidnight = (times: readonly TimeRange[]): readonly TimeRange[] =>
  times.some(({ time }) => time.startsWith('12:')) ? times.filter(({ time }) => !time.startsWith('00:')) : times;

const firstWhere = <T>(list: readonly T[], isFirst: (one: T) => boolean): readonly T[] =>
  list.toSorted((one, other) => Number(isFirst(other)) - Number(isFirst(one)));

const isDated = (found: readonly FoundPart[]): boolean =>
  found.some(({ part }) => ['date', 'span', 'repeat'].includes(part.kind));

/** What a part of the day without a time offers: its usual time, and the whole day. */
const usualTimes = (usual: string | undefined, found: readonly FoundPart[]): readonly (TimeRange | undefined)[] =>
  usual === undefined || partsOf(found, 'span').length > 0 ? [undefined] : [{ time: usual }, undefined];

/** The times that may be meant; beside 'tonight' or 'this morning' those of that part of the day come first. */
export const timesOf = (line: string, found: readonly FoundPart[]): readonly (TimeRange | undefined)[] => {
  const [part] = partsOf(found, 'time');
  const said = found.find((each) => each.half !== undefined);
  if (part === undefined) return usualTimes(said?.usual, found);
  const { nights = [] } = part;
  // Without a day midnight is the next one.
  const isNext = !isDated(found) && part.times.some(({ later }) => later === 1);
  const times = isNext ? part.times.slice(0, 1) : part.times;
  if (said?.half === undefined)
    return EVENING.test(line) ? firstWhere(times, ({ time }) => time >= '17:00') : withoutMidnight(times);
  const { half } = said;
  const isNight = half === 'pm' && /night/i.test(line.slice(said.start, said.end));
  if (isNight) return firstWhere([...times, ...nights].map(ofNight), isOfNight);
  return firstWhere([...times, ...(half === 'pm' ? nights : [])], ({ time }) => isOfHalf(time, half));
};
