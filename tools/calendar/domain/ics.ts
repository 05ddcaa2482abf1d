import { LAST_DAY } from './day.ts';
import type { Day } from './day.ts';
import { untilOf } from './duration.ts';
import { styleOf, type CalendarEvent, type EventDraft } from './event.ts';
import { patternText } from './icsPattern.ts';
import { firstDayOf, ruleOfRepeat } from './icsRepeat.ts';
import { escaped, folded, icsDay, icsInstant, icsTime } from './icsText.ts';
import { minutesOf, timeOf } from './time.ts';

/** Of objects that this program wrote: nothing stands in them that it does not know. */
export const PRODUCT = '-//Pegboard//Calendar//EN';

/** Head of a calendar, with its name where it has one. */
export const icsHead = ({ name }: { readonly name?: string | undefined } = {}): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', `PRODID:${PRODUCT}`, 'CALSCALE:GREGORIAN']
    .concat(
      name === undefined
        ? []
        : [`X-WR-CALNAME:${escaped(name)}`, 'REFRESH-INTERVAL;VALUE=DURATION:PT1H', 'X-PUBLISHED-TTL:PT1H'],
    )
    .map(folded)
    .join('');

export const ICS_TAIL = 'END:VCALENDAR\r\n';

const days = (list: readonly Day[], time: string | undefined): string =>
  list.map((day) => (time === undefined ? icsDay(day) : icsTime(day, time))).join(',');

/** `;VALUE=DATE` of whole days, nothing of times, which are of the wall clock and in no zone. */
const kindOf = (time: string | undefined): string => (time === undefined ? ';VALUE=DATE' : '');

/** A line of days such as `EXDATE`; none where there are none. */
export const dayLines = (name: string, list: readonly Day[], time: string | undefined): readonly string[] =>
  list.length === 0 ? [] : [`${name}${kindOf(time)}:${days(list, time)}`];

const HOUR = 60;

/** Where it ends on its last day, in time. */
const endTimeOf = ({ time, endTime, pattern }: EventDraft): string | undefined => {
  if (time === undefined || endTime !== undefined || pattern.kind !== 'duration') return endTime;
  const { amount, unit } = pattern.duration;
  const end = minutesOf(time) + amount * HOUR;
  return unit === 'hours' && amount > 0 && end < 24 * HOUR ? timeOf(end) : undefined;
};

/** Days that one occurrence lasts: of rules of other calendars they say so themselves. */
const lengthOf = ({ day, pattern }: EventDraft): number => {
  if (pattern.kind === 'duration') return untilOf(day, pattern.duration) - day + 1;
  return pattern.kind === 'foreign' ? Number(/^DURATION:P(\d+)D$/m.exec(pattern.rule)?.[1] ?? 1) : 1;
};

/** Start and end of an event whose first day is `first`. The end of whole days is the day behind the last one. */
const spanLines = (draft: EventDraft, first: Day): readonly string[] => {
  const { time } = draft;
  const length = lengthOf(draft);
  const endTime = endTimeOf(draft);
  const start = `DTSTART${kindOf(time)}:${days([first], time)}`;
  if (time === undefined)
    return [start, first + length > LAST_DAY ? `DURATION:P${length}D` : `DTEND;VALUE=DATE:${icsDay(first + length)}`];
  if (endTime !== undefined) return [start, `DTEND:${icsTime(Math.min(LAST_DAY, first + length - 1), endTime)}`];
  if (length === 1 && draft.pattern.kind !== 'duration') return [start];
  if (first + length > LAST_DAY) return [start, `DTEND:${icsTime(LAST_DAY, '23:59')}`];
  return [start, `DTEND:${icsTime(first + length, '00:00')}`];
};

/** The rule of another calendar, its days as the event's time has them. */
const foreignLines = (rule: string, time: string | undefined): readonly string[] =>
  rule.split('\n').flatMap((line) => {
    if (line.startsWith('RRULE:'))
      return [
        time === undefined ? line : line.replace(/UNTIL=(\d{8})(?!T)/, (_whole, day: string) => `UNTIL=${day}T235959`),
      ];
    if (!line.startsWith('RDATE:')) return [];
    const list = line.slice('RDATE:'.length).split(',');
    const clock = time === undefined ? '' : `T${time.replace(':', '')}00`;
    return [`RDATE${kindOf(time)}:${list.map((day) => `${day}${clock}`).join(',')}`];
  });

/** When an event is: start, end, rule and days left out. `replaced` are days that stand as events of their own (`RECURRENCE-ID`). */
export const whenLines = (draft: EventDraft, created: number, replaced: readonly Day[] = []): readonly string[] => {
  const { day, pattern, time } = draft;
  const exceptions = draft.exceptions.filter((each) => !replaced.includes(each));
  const hint = patternText(draft);
  const own = hint === undefined ? [] : [`X-PEGBOARD-PATTERN:${hint}`];
  if (pattern.kind === 'foreign')
    return [...spanLines(draft, day), ...foreignLines(pattern.rule, time), ...dayLines('EXDATE', exceptions, time)];
  if (pattern.kind !== 'repeat') return [...spanLines(draft, day), ...own];
  const first = firstDayOf(day, pattern.repeat, created);
  const left = first === undefined ? [day] : exceptions;
  const start = first ?? day;
  return [
    ...spanLines(draft, start),
    `RRULE:${ruleOfRepeat(draft, pattern.repeat, start)}`,
    ...dayLines('EXDATE', left, time),
    ...own,
  ];
};

export const nameLine = ({ name }: EventDraft): string => `SUMMARY:${escaped(name)}`;
export const descriptionLines = ({ description }: EventDraft): readonly string[] =>
  description === '' ? [] : [`DESCRIPTION:${escaped(description)}`];
/** Its tags; the main one is important, and named. */
export const tagLines = ({ tags, pinned }: EventDraft): readonly string[] => [
  ...(tags.length === 0 ? [] : [`CATEGORIES:${tags.map(escaped).join(',')}`]),
  ...(pinned === undefined ? [] : ['PRIORITY:1', `X-PEGBOARD-PINNED:${escaped(pinned)}`]),
];
export const changeLines = ({ edited, revision }: CalendarEvent): readonly string[] => [
  `LAST-MODIFIED:${icsInstant(edited)}`,
  `SEQUENCE:${revision}`,
];

interface Place {
  readonly uid: string;
  /** Line that says of which day of the repeat this is the change. */
  readonly recurrence?: string | undefined;
  readonly replaced?: readonly Day[];
}

/** One `VEVENT`, unfolded. */
export const eventLines = (event: CalendarEvent, { uid, recurrence, replaced }: Place): readonly string[] => [
  'BEGIN:VEVENT',
  `UID:${escaped(uid)}`,
  `DTSTAMP:${icsInstant(event.edited)}`,
  `CREATED:${icsInstant(event.created)}`,
  ...changeLines(event),
  ...(recurrence === undefined ? [] : [recurrence]),
  nameLine(event),
  ...whenLines(event, event.created, replaced),
  ...descriptionLines(event),
  ...tagLines(event),
  'END:VEVENT',
];

/** Changed days belong to their repeat where it still is one; else they are events like any other. */
export const takesChildren = ({ pattern }: EventDraft): boolean => styleOf(pattern) === 'repeat';

/** An event with its changed days, as `VEVENT`s. The children of what does not repeat are left out: they are events of their own. */
export const icsEvent = (event: CalendarEvent, children: readonly CalendarEvent[] = []): string => {
  const changed = takesChildren(event)
    ? children.flatMap((child) => (child.replaces === undefined ? [] : [{ child, day: child.replaces }]))
    : [];
  const { uid, time } = event;
  const own = eventLines(event, { uid, replaced: changed.map(({ day }) => day) });
  const others = changed.flatMap(({ child, day }) =>
    eventLines(child, { uid, recurrence: dayLines('RECURRENCE-ID', [day], time).join('') }),
  );
  return [...own, ...others].map(folded).join('');
};

/** A whole calendar. Children of an event that is among them stand within it. */
export const icsOf = (events: readonly CalendarEvent[], about: { readonly name?: string | undefined } = {}): string => {
  const parents = new Set(events.filter(takesChildren).map(({ id }) => id));
  const isChild = ({ parent }: CalendarEvent): boolean => parent !== undefined && parents.has(parent);
  const children = Map.groupBy(events.filter(isChild), ({ parent }) => parent);
  return [
    icsHead(about),
    ...events.filter((event) => !isChild(event)).map((event) => icsEvent(event, children.get(event.id))),
    ICS_TAIL,
  ].join('');
};
