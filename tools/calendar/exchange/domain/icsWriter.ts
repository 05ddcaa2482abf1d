import { LAST_DAY, type Day } from '#platform/contract/day.ts';
import { parseDay } from '../../events/domain/day.ts';
import { countEndDays, findEndTime, getStyle, type CalendarEvent, type EventDraft } from '../../events/domain/event.ts';
import { formatPatternHint, findFirstDay, formatRepeatRule, formatRuleUntil } from './icsPattern.ts';
import { escapeText, foldLine, formatIcsDay, formatIcsInstant, formatIcsTime } from './icsText.ts';
import { formatZones } from './icsZone.ts';

/** PRODID of objects that this program wrote. They contain only properties that it knows. */
export const PRODUCT = '-//Pegboard//Calendar//EN';

/** Returns the head of a calendar, with its name if it has one. */
export function formatIcsHead({ name }: { readonly name?: string | undefined } = {}): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', `PRODID:${PRODUCT}`, 'CALSCALE:GREGORIAN']
    .concat(
      name === undefined
        ? []
        : [`X-WR-CALNAME:${escapeText(name)}`, 'REFRESH-INTERVAL;VALUE=DURATION:PT1H', 'X-PUBLISHED-TTL:PT1H'],
    )
    .map(foldLine)
    .join('');
}

export const ICS_TAIL = 'END:VCALENDAR\r\n';

/** The zone and kind of the times. */
type ClockFields = Pick<EventDraft, 'time' | 'zone'>;

const formatTime = (day: Day, time: string, { zone }: Pick<ClockFields, 'zone'>): string =>
  `${formatIcsTime(day, time)}${zone === 'UTC' ? 'Z' : ''}`;

const formatDays = (list: readonly Day[], clock: ClockFields): string =>
  list.map((day) => (clock.time === undefined ? formatIcsDay(day) : formatTime(day, clock.time, clock))).join(',');

/** Formats the parameters of a date: `;VALUE=DATE` for whole days, the zone for times in one. */
function formatKind({ time, zone }: ClockFields): string {
  if (time === undefined) return ';VALUE=DATE';
  return zone === undefined || zone === 'UTC' ? '' : `;TZID=${zone}`;
}

/** Returns a line of days such as `EXDATE`, or no line if there are no days. */
export function formatDayLines(name: string, list: readonly Day[], clock: ClockFields): readonly string[] {
  return list.length === 0 ? [] : [`${name}${formatKind(clock)}:${formatDays(list, clock)}`];
}

/** Counts the days of one occurrence. Foreign rules that were read by an older version store it themselves. */
function countDays(draft: EventDraft): number {
  const storedLength =
    draft.pattern.kind === 'foreign' ? /^DURATION:P(\d+)D$/m.exec(draft.pattern.rule)?.[1] : undefined;
  return storedLength === undefined ? countEndDays(draft) + 1 : Number(storedLength);
}

/** Formats start and end of an event whose first day is `first`. Whole days end on the day after the last one. */
function formatSpan(draft: EventDraft, first: Day): readonly string[] {
  const { time, pattern } = draft;
  const length = countDays(draft);
  const endTime = findEndTime(draft);
  const start = `DTSTART${formatKind(draft)}:${formatDays([first], draft)}`;
  if (time === undefined)
    return [
      start,
      first + length > LAST_DAY ? `DURATION:P${length}D` : `DTEND;VALUE=DATE:${formatIcsDay(first + length)}`,
    ];
  const formatStartAndEnd = (day: Day, at: string): readonly string[] => [
    start,
    `DTEND${formatKind(draft)}:${formatTime(day, at, draft)}`,
  ];
  if (endTime !== undefined && endTime !== '24:00')
    return formatStartAndEnd(Math.min(LAST_DAY, first + length - 1), endTime);
  const isMoment = length === 1 && (pattern.kind !== 'duration' || pattern.duration.amount === 0);
  if (endTime === undefined && isMoment) return [start];
  return first + length > LAST_DAY ? formatStartAndEnd(LAST_DAY, '23:59') : formatStartAndEnd(first + length, '00:00');
}

/** Formats the lines of a foreign rule, with days in the same notation as the event's time. */
const formatForeignRule = (rule: string, clock: ClockFields): readonly string[] =>
  rule.split('\n').flatMap((line) => {
    const { time } = clock;
    if (line.startsWith('RRULE:'))
      return [
        time === undefined
          ? line
          : line.replace(/UNTIL=(\d{8})(?!T)/, (_whole, day: string) => formatUntil(day, clock)),
      ];
    // A moved rule (`createListedPattern`) is a list of dates.
    const dates = /^RDATE(?:;VALUE=DATE)?:(.+)/.exec(line)?.[1];
    if (dates === undefined) return [];
    const list = dates.split(',');
    const suffix = time === undefined ? '' : `T${time.replace(':', '')}00${clock.zone === 'UTC' ? 'Z' : ''}`;
    return [`RDATE${formatKind(clock)}:${list.map((day) => `${day}${suffix}`).join(',')}`];
  });

function formatUntil(text: string, clock: ClockFields): string {
  const day = parseDay(text.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3'));
  return `UNTIL=${day === undefined || clock.zone === undefined ? `${text}T235959` : formatRuleUntil(day, clock)}`;
}

/** Returns start, end, rule and exceptions. `replaced` are days that are events of their own (`RECURRENCE-ID`). */
export function formatTimeLines(draft: EventDraft, created: number, replaced: readonly Day[] = []): readonly string[] {
  const { day, pattern } = draft;
  const exceptions = draft.exceptions.filter((exception) => !replaced.includes(exception));
  const hint = formatPatternHint(draft);
  const hintLines = hint === undefined ? [] : [`X-PEGBOARD-PATTERN:${hint}`];
  if (pattern.kind === 'foreign')
    return [
      ...formatSpan(draft, day),
      ...formatForeignRule(pattern.rule, draft),
      ...formatDayLines('EXDATE', exceptions, draft),
    ];
  if (pattern.kind !== 'repeat') return [...formatSpan(draft, day), ...hintLines];
  const first = findFirstDay(day, pattern.repeat, created);
  const exceptionDays = first === undefined ? [day] : exceptions;
  const start = first ?? day;
  return [
    ...formatSpan(draft, start),
    `RRULE:${formatRepeatRule(draft, pattern.repeat, start)}`,
    ...formatDayLines('EXDATE', exceptionDays, draft),
    ...hintLines,
  ];
}

export function formatNameLine({ name }: EventDraft): string {
  return `SUMMARY:${escapeText(name)}`;
}
export function formatDescriptionLines({ description }: EventDraft): readonly string[] {
  return description === '' ? [] : [`DESCRIPTION:${escapeText(description)}`];
}
/** Formats tags. The main tag makes the event important, and is named in a property of our own. */
export function formatTagLines({ tags, pinned }: EventDraft): readonly string[] {
  return [
    ...(tags.length === 0 ? [] : [`CATEGORIES:${tags.map(escapeText).join(',')}`]),
    ...(pinned === undefined ? [] : ['PRIORITY:1', `X-PEGBOARD-PINNED:${escapeText(pinned)}`]),
  ];
}
export function formatChangeLines({ edited, revision }: CalendarEvent): readonly string[] {
  return [`LAST-MODIFIED:${formatIcsInstant(edited)}`, `SEQUENCE:${revision}`];
}

interface IcsPosition {
  readonly uid: string;
  /** Line with the day of the repeat that this changes. */
  readonly recurrence?: string | undefined;
  readonly replaced?: readonly Day[];
}

/** Formats one `VEVENT`, unfolded. */
export function formatEventLines(event: CalendarEvent, { uid, recurrence, replaced }: IcsPosition): readonly string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${escapeText(uid)}`,
    `DTSTAMP:${formatIcsInstant(event.edited)}`,
    `CREATED:${formatIcsInstant(event.created)}`,
    ...formatChangeLines(event),
    ...(recurrence === undefined ? [] : [recurrence]),
    formatNameLine(event),
    ...formatTimeLines(event, event.created, replaced),
    ...formatDescriptionLines(event),
    ...formatTagLines(event),
    'END:VEVENT',
  ];
}

/** Whether changed days belong to this event: only while it is a repeat. */
export function isRepeating({ pattern }: EventDraft): boolean {
  return getStyle(pattern) === 'repeat';
}

/**
 * Formats an event and its changed days as `VEVENT`s. Children of an event that no longer repeats are omitted: they are
 * events of their own.
 */
export function formatIcsEvent(event: CalendarEvent, children: readonly CalendarEvent[] = []): string {
  const changed = isRepeating(event)
    ? children.flatMap((child) =>
        child.replaces === undefined || isRepeating(child) ? [] : [{ child, day: child.replaces }],
      )
    : [];
  const { uid } = event;
  const ownLines = formatEventLines(event, { uid, replaced: changed.map(({ day }) => day) });
  const changedLines = changed.flatMap(({ child, day }) =>
    formatEventLines(child, { uid, recurrence: formatDayLines('RECURRENCE-ID', [day], event).join('') }),
  );
  // A change from one day on repeats on its own, and is a separate event for other calendars.
  const laterLines = isRepeating(event)
    ? children.filter(isRepeating).flatMap((child) => formatEventLines(child, { uid: child.uid }))
    : [];
  return [...ownLines, ...changedLines, ...laterLines].map(foldLine).join('');
}

/** Formats a whole calendar. Children are written inside their parent if it is in the list. */
export function formatIcs(
  events: readonly CalendarEvent[],
  about: { readonly name?: string | undefined } = {},
): string {
  const parents = new Set(events.filter(isRepeating).map(({ id }) => id));
  const isChild = ({ parent }: CalendarEvent): boolean => parent !== undefined && parents.has(parent);
  const children = Map.groupBy(events.filter(isChild), ({ parent }) => parent);
  return [
    formatIcsHead(about),
    formatZones(events),
    ...events.filter((event) => !isChild(event)).map((event) => formatIcsEvent(event, children.get(event.id))),
    ICS_TAIL,
  ].join('');
}
