import { LAST_DAY, parseDay } from '../../events/domain/day.ts';
import type { Day } from '../../events/domain/day.ts';
import { endDaysOf, endTimeOf, styleOf, type CalendarEvent, type EventDraft } from '../../events/domain/event.ts';
import { patternText, firstDayOf, ruleOfRepeat, untilText } from './icsPattern.ts';
import { escaped, folded, icsDay, icsInstant, icsTime } from './icsText.ts';
import { zonesText } from './icsZone.ts';

/** Of objects that this program wrote: nothing stands in them that it does not know. */
export const PRODUCT = '-//Pegboard//Calendar//EN';

/** Head of a calendar, with its name where it has one. */
export function icsHead({ name }: { readonly name?: string | undefined } = {}): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', `PRODID:${PRODUCT}`, 'CALSCALE:GREGORIAN']
    .concat(
      name === undefined
        ? []
        : [`X-WR-CALNAME:${escaped(name)}`, 'REFRESH-INTERVAL;VALUE=DURATION:PT1H', 'X-PUBLISHED-TTL:PT1H'],
    )
    .map(folded)
    .join('');
}

export const ICS_TAIL = 'END:VCALENDAR\r\n';

/** The clock that times are told by. */
type Clock = Pick<EventDraft, 'time' | 'zone'>;

const timed = (day: Day, time: string, { zone }: Pick<Clock, 'zone'>): string =>
  `${icsTime(day, time)}${zone === 'UTC' ? 'Z' : ''}`;

const days = (list: readonly Day[], clock: Clock): string =>
  list.map((day) => (clock.time === undefined ? icsDay(day) : timed(day, clock.time, clock))).join(',');

/** `;VALUE=DATE` of whole days, the zone of times in one. */
const kindOf = ({ time, zone }: Clock): string => {
  if (time === undefined) return ';VALUE=DATE';
  return zone === undefined || zone === 'UTC' ? '' : `;TZID=${zone}`;
};

/** A line of days such as `EXDATE`; none where there are none. */
export function dayLines(name: string, list: readonly Day[], clock: Clock): readonly string[] {
  return list.length === 0 ? [] : [`${name}${kindOf(clock)}:${days(list, clock)}`];
}

/** Days that one time lasts: rules of other calendars that were read long ago say so themselves. */
const lengthOf = (draft: EventDraft): number => {
  const said = draft.pattern.kind === 'foreign' ? /^DURATION:P(\d+)D$/m.exec(draft.pattern.rule)?.[1] : undefined;
  return said === undefined ? endDaysOf(draft) + 1 : Number(said);
};

/** Start and end of an event whose first day is `first`. The end of whole days is the day behind the last one. */
const spanLines = (draft: EventDraft, first: Day): readonly string[] => {
  const { time, pattern } = draft;
  const length = lengthOf(draft);
  const endTime = endTimeOf(draft);
  const start = `DTSTART${kindOf(draft)}:${days([first], draft)}`;
  if (time === undefined)
    return [start, first + length > LAST_DAY ? `DURATION:P${length}D` : `DTEND;VALUE=DATE:${icsDay(first + length)}`];
  const end = (day: Day, at: string): readonly string[] => [start, `DTEND${kindOf(draft)}:${timed(day, at, draft)}`];
  if (endTime !== undefined && endTime !== '24:00') return end(Math.min(LAST_DAY, first + length - 1), endTime);
  const isMoment = length === 1 && (pattern.kind !== 'duration' || pattern.duration.amount === 0);
  if (endTime === undefined && isMoment) return [start];
  return first + length > LAST_DAY ? end(LAST_DAY, '23:59') : end(first + length, '00:00');
};

/** The rule of another calendar, its days as the event's time has them. */
const foreignLines = (rule: string, clock: Clock): readonly string[] =>
  rule.split('\n').flatMap((line) => {
    const { time } = clock;
    if (line.startsWith('RRULE:'))
      return [
        time === undefined ? line : line.replace(/UNTIL=(\d{8})(?!T)/, (_whole, day: string) => untilOf(day, clock)),
      ];
    if (!line.startsWith('RDATE:')) return [];
    const list = line.slice('RDATE:'.length).split(',');
    const behind = time === undefined ? '' : `T${time.replace(':', '')}00${clock.zone === 'UTC' ? 'Z' : ''}`;
    return [`RDATE${kindOf(clock)}:${list.map((day) => `${day}${behind}`).join(',')}`];
  });

const untilOf = (text: string, clock: Clock): string => {
  const day = parseDay(text.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3'));
  return `UNTIL=${day === undefined || clock.zone === undefined ? `${text}T235959` : untilText(day, clock)}`;
};

/** When an event is: start, end, rule and days left out. `replaced` are days that stand as events of their own (`RECURRENCE-ID`). */
export function whenLines(draft: EventDraft, created: number, replaced: readonly Day[] = []): readonly string[] {
  const { day, pattern } = draft;
  const exceptions = draft.exceptions.filter((each) => !replaced.includes(each));
  const hint = patternText(draft);
  const own = hint === undefined ? [] : [`X-PEGBOARD-PATTERN:${hint}`];
  if (pattern.kind === 'foreign')
    return [...spanLines(draft, day), ...foreignLines(pattern.rule, draft), ...dayLines('EXDATE', exceptions, draft)];
  if (pattern.kind !== 'repeat') return [...spanLines(draft, day), ...own];
  const first = firstDayOf(day, pattern.repeat, created);
  const left = first === undefined ? [day] : exceptions;
  const start = first ?? day;
  return [
    ...spanLines(draft, start),
    `RRULE:${ruleOfRepeat(draft, pattern.repeat, start)}`,
    ...dayLines('EXDATE', left, draft),
    ...own,
  ];
}

export function nameLine({ name }: EventDraft): string {
  return `SUMMARY:${escaped(name)}`;
}
export function descriptionLines({ description }: EventDraft): readonly string[] {
  return description === '' ? [] : [`DESCRIPTION:${escaped(description)}`];
}
/** Its tags; the main one is important, and named. */
export function tagLines({ tags, pinned }: EventDraft): readonly string[] {
  return [
    ...(tags.length === 0 ? [] : [`CATEGORIES:${tags.map(escaped).join(',')}`]),
    ...(pinned === undefined ? [] : ['PRIORITY:1', `X-PEGBOARD-PINNED:${escaped(pinned)}`]),
  ];
}
export function changeLines({ edited, revision }: CalendarEvent): readonly string[] {
  return [`LAST-MODIFIED:${icsInstant(edited)}`, `SEQUENCE:${revision}`];
}

interface IcsPosition {
  readonly uid: string;
  /** Line that says of which day of the repeat this is the change. */
  readonly recurrence?: string | undefined;
  readonly replaced?: readonly Day[];
}

/** One `VEVENT`, unfolded. */
export function eventLines(event: CalendarEvent, { uid, recurrence, replaced }: IcsPosition): readonly string[] {
  return [
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
}

/** Changed days belong to their repeat where it still is one; else they are events like any other. */
export function takesChildren({ pattern }: EventDraft): boolean {
  return styleOf(pattern) === 'repeat';
}

/** An event with its changed days, as `VEVENT`s. The children of what does not repeat are left out: they are events of their own. */
export function icsEvent(event: CalendarEvent, children: readonly CalendarEvent[] = []): string {
  const changed = takesChildren(event)
    ? children.flatMap((child) =>
        child.replaces === undefined || takesChildren(child) ? [] : [{ child, day: child.replaces }],
      )
    : [];
  const { uid } = event;
  const own = eventLines(event, { uid, replaced: changed.map(({ day }) => day) });
  const others = changed.flatMap(({ child, day }) =>
    eventLines(child, { uid, recurrence: dayLines('RECURRENCE-ID', [day], event).join('') }),
  );
  // What was changed from a day on repeats by itself, and is an event of its own to others.
  const later = takesChildren(event)
    ? children.filter(takesChildren).flatMap((child) => eventLines(child, { uid: child.uid }))
    : [];
  return [...own, ...others, ...later].map(folded).join('');
}

/** A whole calendar. Children of an event that is among them stand within it. */
export function icsOf(events: readonly CalendarEvent[], about: { readonly name?: string | undefined } = {}): string {
  const parents = new Set(events.filter(takesChildren).map(({ id }) => id));
  const isChild = ({ parent }: CalendarEvent): boolean => parent !== undefined && parents.has(parent);
  const children = Map.groupBy(events.filter(isChild), ({ parent }) => parent);
  return [
    icsHead(about),
    zonesText(events),
    ...events.filter((event) => !isChild(event)).map((event) => icsEvent(event, children.get(event.id))),
    ICS_TAIL,
  ].join('');
}
