/** A time in the name of a file. */
export interface NamedTime {
  /** Position in the name, including everything that belongs to the time. */
  readonly from: number;
  readonly until: number;
  /** Possible times; the more likely one first if the order of day and month is ambiguous. */
  readonly times: readonly Temporal.PlainDateTime[];
  /** Undefined means the time zone of the recording's user. */
  readonly zone: string | undefined;
}

// Many programs and languages name recordings; all names have a date, then a time, with little in between.

const YEAR = String.raw`(?<year>19[89]\d|20\d\d)`;
const BREAK = String.raw`[-._/ ]`;
const DATES: readonly string[] = [
  // 2026-11-25, 2026.11.25, 2026_11_25
  String.raw`${YEAR}(?<break>${BREAK})(?<month>\d\d)\k<break>(?<day>\d\d)`,
  // 20261125
  String.raw`${YEAR}(?<month>\d\d)(?<day>\d\d)`,
  // 11-25-2026, 25.11.2026, 11_25_2026
  String.raw`(?<one>\d\d?)(?<break>${BREAK})(?<other>\d\d?)\k<break>${YEAR}`,
  // 26-11-25, 11-25-26
  String.raw`(?<short>\d\d(?<break>[-._])\d\d\k<break>\d\d)`,
];
/** 'at' as macOS writes it in other languages, and words for the half of the day before the time. */
const WORDS = String.raw`(?:at|um|om|à|a las|a la|alle|às|as|kl\.?|klo|o|в|saat)`;
const MORNING = '上午|午前|오전';
const EVENING = '下午|午後|오후';
const BETWEEN = String.raw`(?:\s*[T,]\s*|[\s_]*-[\s_]*|[\s_]+|\.)(?:${WORDS}\s+)?(?<before>${MORNING}|${EVENING})?\s*`;
/** After a date without separators, a time without separators may follow immediately. */
const TIMES: readonly string[] = [
  // 21-40-05, 9.40.05, 21h40m05s, 21:40, optionally followed by fractions of a second
  String.raw`(?<hour>\d\d?)(?:[-.:_h꞉]|\s(?=\d\d\s\d\d))(?<minute>\d\d)(?:(?:[-.:_m꞉]|\s)(?<second>\d\d)s?(?:[.,-]\d{2,3}(?!\d))?)?`,
  // 214005, 214005123
  String.raw`(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?:\d{2,3})?`,
  // 2140
  String.raw`(?<hour>\d\d)(?<minute>\d\d)`,
];
const HALF = String.raw`(?:[\s_]?(?<half>[ap])\.?\s?m\.?(?![\p{L}\d]))?`;
const ZONE = String.raw`(?:\s?(?:(?<utc>Z|UTC|GMT)(?<offset>[+-]\d{1,2}(?::?\d\d)?)?|(?:CES?T|E[DS]T|[CMP][DS]T|BST|W?EST|I?ST|JST|AE[DS]T))(?![\p{L}\d]))?`;

const createPattern = (date: string, time: string, between: string): RegExp =>
  new RegExp(`(?<!\\d)${date}${between}${time}(?!\\d)${HALF}${ZONE}`, 'iu');
const PATTERNS: readonly RegExp[] = [
  ...DATES.flatMap((date) => TIMES.map((time) => createPattern(date, time, BETWEEN))),
  // 20261125214005
  createPattern(DATES[1] ?? '', TIMES[1] ?? '', ''),
];

type Groups = Readonly<Record<string, string | undefined>>;
interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const CENTURY = 2000;

/** Returns the possible dates, the more likely one first. */
function listDates({ year, month, day, one, other, short, break: between }: Groups): readonly CalendarDate[] {
  if (short !== undefined) {
    const [first = 0, second = 0, third = 0] = short.split(between ?? '-').map(Number);
    const european = { year: CENTURY + third, month: second, day: first };
    const others = [
      { year: CENTURY + first, month: second, day: third },
      { year: CENTURY + third, month: first, day: second },
    ];
    return between === '.' ? [european, ...others] : [...others, european];
  }
  if (one === undefined) return [{ year: Number(year), month: Number(month), day: Number(day) }];
  const american = { year: Number(year), month: Number(one), day: Number(other) };
  const european = { year: Number(year), month: Number(other), day: Number(one) };
  return between === '.' ? [european, american] : [american, european];
}

function getHour({ hour, half, before = '' }: Groups): number {
  const value = Number(hour);
  const isEvening = half?.toLowerCase() === 'p' || EVENING.split('|').includes(before);
  const isMorning = half?.toLowerCase() === 'a' || MORNING.split('|').includes(before);
  if (isEvening && value < 12) return value + 12;
  return isMorning && value === 12 ? 0 : value;
}

function listTimes(groups: Groups): readonly Temporal.PlainDateTime[] {
  const time = { hour: getHour(groups), minute: Number(groups['minute']), second: Number(groups['second'] ?? 0) };
  return listDates(groups).flatMap((date) => {
    try {
      return [Temporal.PlainDateTime.from({ ...date, ...time }, { overflow: 'reject' })];
    } catch {
      return []; // no such day, such as 31 February: it is another number
    }
  });
}

function getZone(name: string, { utc, offset }: Groups): string | undefined {
  // The Pixel camera and Zoom's cloud write UTC times.
  if (utc === undefined) return /^(?:PXL_|GMT\d)/.test(name) ? 'UTC' : undefined;
  if (offset === undefined) return 'UTC';
  const [, sign = '+', hours = '0', minutes = '00'] = /^([+-])(\d{1,2}):?(\d\d)?$/.exec(offset) ?? [];
  return `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/** Screen recordings of iOS, and names with milliseconds since 1970. */
const EPOCH_TIME_PATTERN = /RPReplay_Final(?<seconds>1\d{9})(?!\d)|(?<!\d)(?<milliseconds>1[4-9]\d{11})(?!\d)/;

function findEpochTime(name: string): NamedTime | undefined {
  const match = EPOCH_TIME_PATTERN.exec(name);
  if (!match) return undefined;
  const digits = match.groups?.['seconds'] ?? match.groups?.['milliseconds'] ?? '';
  const instant = Temporal.Instant.fromEpochMilliseconds(Number(digits.padEnd(13, '0')));
  const until = match.index + match[0].length;
  return {
    from: until - digits.length,
    until,
    times: [instant.toZonedDateTimeISO('UTC').toPlainDateTime()],
    zone: 'UTC',
  };
}

/** Finds the time in a name of any program; undefined if there is none. */
export function findNamedTime(name: string): NamedTime | undefined {
  for (const pattern of PATTERNS) {
    const match = pattern.exec(name);
    if (!match) continue;
    const groups: Groups = match.groups ?? {};
    const times = listTimes(groups);
    if (times.length === 0) continue;
    return { from: match.index, until: match.index + match[0].length, times, zone: getZone(name, groups) };
  }
  return findEpochTime(name);
}

/** Extensions of files that are taken from the inbox. */
const EXTENSIONS = ['mkv', 'mp4', 'webm', 'mov', 'avi', 'ts'];
export const MAX_TITLE_LENGTH = 200;

const getExtension = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Whether a file of the inbox should be taken: it is not hidden, and does not have a temporary name. */
export function isRecordingName(name: string): boolean {
  return !name.startsWith('.') && EXTENSIONS.includes(getExtension(name));
}

/**
 * Returns the start of a recording by its name, in milliseconds since the epoch; undefined if the name has no time.
 * @param zone time zone of the recording's user
 * @param modified milliseconds since the epoch; of several possible times the nearest one counts
 */
export function getStartFromName(name: string, zone: string, modified?: number): number | undefined {
  const namedTime = findNamedTime(name);
  const starts = namedTime?.times.map((time) => time.toZonedDateTime(namedTime.zone ?? zone).epochMilliseconds) ?? [];
  if (modified === undefined) return starts[0];
  return starts.toSorted((one, other) => Math.abs(one - modified) - Math.abs(other - modified))[0];
}

/** Normalizes a title: one line, valid characters, at most 200 of them. */
export function cleanTitle(title: string): string {
  return Array.from(
    title
      .toWellFormed()
      .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replaceAll(/ {2,}/g, ' ')
      .trim(),
  )
    .slice(0, MAX_TITLE_LENGTH)
    .join('')
    .trim();
}

/** Extensions; some programs write two: `.webm.mkv`, `.mp4-.mp4`, `.DVR.mp4`. */
const TRAILING_EXTENSION_PATTERN = /[-\s]*\.(?:mkv|mp4|m4v|webm|mov|avi|ts|mpe?g|flv|wmv|3gp|gif|dvr)[-\s]*$/i;
/** Words that lead to the time: 'Screencast from 2026-…', 'Bildschirmaufzeichnung vom 2026-…', 'GMT20261125-…'. */
const TIME_PREFIX_PATTERN = /(?:^|\s)(?:from|at|on|vom|von|du|de|del|dal|van|från|fra|z|от|gmt)$/i;
const START_EDGES_PATTERN = /^[\s.-]+|[\s.,([–—-]+$/g;
const END_EDGES_PATTERN = /^[\s.,)\]–—~-]+|[\s.([-]+$/g;

function removeExtensions(name: string): string {
  let stem = name.replace(/\.[^.]+$/, '');
  for (
    let shorter = stem.replace(TRAILING_EXTENSION_PATTERN, '');
    shorter !== stem && shorter !== '';
    shorter = stem.replace(TRAILING_EXTENSION_PATTERN, '')
  )
    stem = shorter;
  return stem;
}

const replaceUnderscores = (text: string): string => text.replaceAll('_', ' ');

/** Returns the name without its time; '' if nothing is left. */
export function getTitleFromName(name: string): string {
  const stem = removeExtensions(name);
  const namedTime = findNamedTime(stem);
  if (!namedTime) return cleanTitle(replaceUnderscores(stem).replaceAll(START_EDGES_PATTERN, ''));
  const before = replaceUnderscores(stem.slice(0, namedTime.from))
    .replaceAll(START_EDGES_PATTERN, '')
    .replace(TIME_PREFIX_PATTERN, '');
  const after = replaceUnderscores(stem.slice(namedTime.until)).replaceAll(END_EDGES_PATTERN, '');
  return cleanTitle(`${before.replaceAll(START_EDGES_PATTERN, '')} ${after}`);
}
