/** What is taken from the inbox, by the end of its name. */
const KINDS = ['mkv', 'mp4', 'webm', 'mov', 'avi', 'ts'];
const LONGEST_TITLE = 200;

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Whether a file of this name in the inbox is meant to be taken: neither hidden nor still being written under a name of its own. */
export const isRecordingName = (name: string): boolean => !name.startsWith('.') && KINDS.includes(extensionOf(name));

/** 2026-11-20 21-04-05 and close forms: 2026-11-20_21.04.05, 2026-11-20T21:04, 'at' between them; Z where it is UTC. */
const SPACED = /(?<![\d])(\d{4})-(\d\d)-(\d\d)(?:[ _T-]| at )(\d\d)[-.:_h](\d\d)(?:[-.:_m](\d\d))?s?(Z)?(?![\d])/;
/** 20261120_210405. */
const COMPACT = /(?<![\d])(\d{4})(\d\d)(\d\d)[ _T-]?(\d\d)(\d\d)(\d\d)(Z)?(?![\d])/;

interface NamedTime {
  readonly match: string;
  readonly time: Temporal.PlainDateTime;
  readonly isUtc: boolean;
}

const numberOf = (text: string | undefined): number => Number(text ?? '0');

const timeIn = (name: string): NamedTime | undefined => {
  const found = SPACED.exec(name) ?? COMPACT.exec(name);
  if (!found) return undefined;
  const [match, year, month, day, hour, minute, second, utc] = found;
  const fields = {
    year: numberOf(year),
    month: numberOf(month),
    day: numberOf(day),
    hour: numberOf(hour),
    minute: numberOf(minute),
    second: numberOf(second),
  };
  try {
    return { match, time: Temporal.PlainDateTime.from(fields, { overflow: 'reject' }), isUtc: utc === 'Z' };
  } catch {
    return undefined; // a 31st of February: some other number
  }
};

/** When the recording of this name began, in milliseconds since the epoch; undefined where its name does not say. `zone`: of who recorded it. */
export const startFromName = (name: string, zone: string): number | undefined => {
  const found = timeIn(name);
  return found?.time.toZonedDateTime(found.isUtc ? 'UTC' : zone).epochMilliseconds;
};

/** A title as it is kept: one line, whole characters, at most 200 of them. */
export const cleanTitle = (title: string): string =>
  Array.from(
    title
      .toWellFormed()
      .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replaceAll(/ {2,}/g, ' ')
      .trim(),
  )
    .slice(0, LONGEST_TITLE)
    .join('')
    .trim();

/** What the name says beside the time: '' where it says nothing. */
export const titleFromName = (name: string): string => {
  const stem = name.replace(/\.[^.]+$/, '');
  const rest = stem.replace(timeIn(name)?.match ?? '', ' ');
  return cleanTitle(rest.replaceAll('_', ' ').replaceAll(/^[\s.-]+|(?:\s+(?:from|at))?[\s.-]+$/gi, ''));
};
