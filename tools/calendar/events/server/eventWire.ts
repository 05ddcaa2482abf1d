import type { AnswerOf, RequestOf } from '#platform/contract/call.ts';
import type { Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { durationUnits, fromTypes, type newevent, repeatUnits, styles, untilTypes } from '../../contract/events.ts';
import { createForeignPattern } from '../../repeat/domain/repeat.ts';
import { parseDay, toWire } from '../domain/day.ts';
import type { HistoryBin } from '../domain/editHistory.ts';
import {
  countEndDays,
  type CalendarEvent,
  type Duration,
  type EventDraft,
  type DayPattern,
  type Repeat,
  type RepeatFrom,
  type RepeatUntil,
  getStyle,
} from '../domain/event.ts';
import { shiftEvent } from '../domain/shiftEvent.ts';
import { listBuiltInTags } from '../domain/tags.ts';
import { getIanaName, findNamedZone, type Zone } from '../domain/timeZone.ts';
import {
  getOwnDay,
  toViewerDay,
  getViewerTimes,
  toEventTiming,
  type EventTiming,
  type ViewerTimes,
} from './viewerDays.ts';

/** An event as a page sends it. */
export type SentEvent = RequestOf<typeof newevent>['data'];
/** An event as a page receives it. */
export type WireEvent = AnswerOf<typeof newevent>['data'];

// From the wire --------------------------------------------------------------------------------------

/** Parses a day. @throws Refusal naming the field */
export function parseSentDay(text: string, field: string): Day {
  const day = parseDay(text.trim());
  if (day === undefined)
    throw new Refusal(
      'calendar.invalid_date',
      `${field}: '${text.toWellFormed()}' is not a date. Write it like 23-11-2026, with a year from 1 to 9999`,
    );
  return day;
}

function parseWord<Word extends string>(words: readonly Word[], sent: string, field: string): Word {
  const match = words.find((word) => word === sent);
  if (match === undefined)
    throw new Refusal(
      'calendar.invalid_option',
      `${field}: '${sent.slice(0, 40).toWellFormed()}' is not one of ${words.join(', ')}`,
    );
  return match;
}

interface WireContext {
  /** The day that counts as today for the sender. */
  readonly today: Day;
  /** The zone of the sent dates and times. */
  readonly viewer?: Zone | undefined;
  /** The existing event's own day on which the occurrence starts whose times are sent. */
  readonly reference?: Day;
  /** The stored event. Omitted fields without a default keep its values. */
  readonly existing: CalendarEvent | undefined;
  /** Names of tags that users can't give: those of subscribed calendars. */
  readonly ignored?: ReadonlySet<string>;
}

function parseRepeatFrom({ repeatfromtype, repeatfrom }: SentEvent, { today, existing }: WireContext): RepeatFrom {
  const type = parseWord(fromTypes, repeatfromtype ?? (existing ? 'forever' : 'today'), 'repeatfromtype');
  if (type === 'forever') return { type };
  if (type === 'absoloute') return { type: 'date', day: parseSentDay(repeatfrom ?? '', 'repeatfrom') };
  // Saved again, the repeat still starts on the day of its first save, so that past days stay.
  const before = existing?.pattern.kind === 'repeat' ? existing.pattern.repeat.from : undefined;
  return before?.type === 'today' ? before : { type, day: today };
}

function parseCount(sent: string | number): number {
  const times = typeof sent === 'number' ? sent : /^\d{1,9}$/.test(sent.trim()) ? Number(sent) : Number.NaN;
  if (!Number.isInteger(times))
    throw new Refusal('calendar.invalid_number', 'repeatuntill: must be a whole number of further times');
  return times;
}

function parseRepeatUntil({ repeatuntilltype, repeatuntill }: SentEvent): RepeatUntil {
  const type = parseWord(untilTypes, repeatuntilltype ?? 'forever', 'repeatuntilltype');
  if (type === 'forever') return { type };
  if (type === 'relative') return { type: 'times', times: parseCount(repeatuntill ?? 1) };
  return { type: 'date', day: parseSentDay(String(repeatuntill ?? ''), 'repeatuntill') };
}

const parseRepeat = (data: SentEvent, context: WireContext): Repeat => ({
  every: data.repeateveryamount ?? 1,
  unit: parseWord(repeatUnits, data.repeatevery ?? 'week', 'repeatevery'),
  from: parseRepeatFrom(data, context),
  until: parseRepeatUntil(data),
});

function parseDurationUnit({ durationtype, durationtypenumber }: SentEvent): Duration['unit'] {
  if (durationtype !== undefined) return parseWord(durationUnits, durationtype, 'durationtype');
  if (durationtypenumber === undefined) return 'weeks';
  const unit = durationUnits[durationtypenumber];
  if (unit === undefined)
    throw new Refusal(
      'calendar.invalid_number',
      `durationtypenumber: must be a whole number from 0 to ${durationUnits.length - 1}`,
    );
  return unit;
}

function parsePattern(data: SentEvent, context: WireContext): DayPattern {
  const before = context.existing && getStyle(context.existing.pattern);
  const style = parseWord(styles, data.style ?? before ?? 'calendar', 'style');
  if (before !== undefined && style !== before)
    throw new Refusal(
      'calendar.style_fixed',
      `style: can't be changed after the event is created (this one is ${before}). Create a new event instead`,
    );
  if (style === 'calendar') return { kind: 'single' };
  if (style === 'duration')
    return { kind: 'duration', duration: { amount: data.duration ?? 1, unit: parseDurationUnit(data) } };
  // A rule that the controls can't express. An event that already has one keeps it (`shiftForeignRule`).
  if (data.rule !== undefined && !context.existing)
    return createForeignPattern(data.rule, parseSentDay(data.date, 'date'), context.today);
  return { kind: 'repeat', repeat: parseRepeat(data, context) };
}

/** Parses a time. '' is no time, and an omitted time is the stored one. */
const parseTime = (sent: string | undefined, before: string | undefined): string | undefined =>
  (sent === undefined ? before : sent.trim()) || undefined;

/** Returns the stored times of the event, in the sender's zone. */
function getStoredTimes({ existing, viewer, reference = existing?.day ?? 0 }: WireContext): Partial<ViewerTimes> {
  if (!existing) return {};
  const { day, time, endTime, endDays = 0, zone } = existing;
  return zone === undefined
    ? { day, time, endDay: day + endDays, endTime }
    : getViewerTimes(existing, reference, viewer);
}

function parseTimes(data: SentEvent, context: WireContext, day: Day): ViewerTimes {
  const before = getStoredTimes(context);
  const time = parseTime(data.time, before.time);
  const last =
    data.enddate === undefined || data.enddate.trim() === '' ? undefined : parseSentDay(data.enddate, 'enddate');
  // An event without a time has no end time.
  const isAllDay = time === undefined && data.time !== undefined;
  const endTime = isAllDay ? undefined : parseTime(data.endtime, before.endTime);
  const length = (before.endDay ?? 0) - (before.day ?? 0);
  const isNew = data.endtime !== undefined && endTime !== before.endTime;
  // An end that was sent back unchanged moves with its start.
  const isStale = last !== undefined && last < day && last === before.endDay;
  const endDay = isStale ? day + length : (last ?? day + computeEndDays({ time, endTime, length, isNew }));
  return { day, time, endTime, endDay };
}

const MIDNIGHT = '24:00';

/** Normalizes an end at midnight to 00:00 of the next day. A duration needs no time for it. */
function normalizeMidnight(times: ViewerTimes, isDuration: boolean): ViewerTimes {
  const { day, time, endTime, endDay } = times;
  if (isDuration) return endTime === MIDNIGHT ? { ...times, endTime: undefined } : times;
  const isDayEnd = endTime === MIDNIGHT || (endTime === '00:00' && time !== undefined && endDay === day);
  return isDayEnd ? { ...times, endTime: '00:00', endDay: endDay + 1 } : times;
}

/** Computes the end day for clients that send none: the next day if the end is before the start. */
function computeEndDays(times: Pick<ViewerTimes, 'time' | 'endTime'> & { length: number; isNew: boolean }) {
  const { time, endTime, length, isNew } = times;
  if (time === undefined) return length;
  if (endTime === undefined) return 0;
  return isNew && length < 2 ? Number(endTime < time) : length;
}

function parseTiming(data: SentEvent, context: WireContext): EventTiming {
  const isDuration = (data.style ?? context.existing?.pattern.kind) === 'duration';
  const sent = normalizeMidnight(parseTimes(data, context, parseSentDay(data.date, 'date')), isDuration);
  if (sent.endDay < sent.day) throw new Refusal('calendar.end_before_start', 'enddate: must be after the start');
  const { existing } = context;
  if (existing?.zone !== undefined)
    return toEventTiming(existing, sent, { viewer: context.viewer, reference: context.reference ?? existing.day });
  const { day, time, endTime } = sent;
  return {
    day,
    time,
    endTime,
    endDays: sent.endDay - day,
    zone: existing || time === undefined ? undefined : parseZone(data),
  };
}

function parseZone({ zone: name }: SentEvent): string | undefined {
  if (name === undefined || name.trim() === '') return undefined;
  const zone = findNamedZone(name.trim());
  if (zone === undefined)
    throw new Refusal('account.unknown_time_zone', `zone: '${name.slice(0, 60).toWellFormed()}' is not a time zone`);
  return getIanaName(zone);
}

function parseTags({ participants, pinned }: SentEvent, { existing, ignored }: WireContext) {
  const names = participants?.map((name) => name.trim()).filter((name) => ignored?.has(name) !== true);
  const tags = names ?? existing?.tags ?? [];
  if (pinned === undefined) {
    const before = existing?.pinned;
    return { tags, pinned: before !== undefined && tags.includes(before) ? before : undefined };
  }
  return { tags, pinned: pinned === false || pinned === null || pinned === '' ? undefined : pinned };
}

/** Returns the stored foreign rule, with days and exceptions that move with the event. */
function shiftForeignRule(day: Day, { existing }: WireContext): Partial<Pick<EventDraft, 'pattern' | 'exceptions'>> {
  if (existing?.pattern.kind !== 'foreign') return {};
  const days = day - existing.day;
  return days === 0 ? { pattern: existing.pattern } : shiftEvent(existing, days);
}

/** Creates a function that converts sent days of a repeat in a zone to the event's own days. */
const createOwnDayConverter = (timing: EventTiming, { existing, viewer }: WireContext): ((day: Day) => Day) =>
  existing === undefined || timing.zone === undefined
    ? (day) => day
    : (day) => getOwnDay({ ...existing, ...timing }, day, viewer);

function toOwnBounds(pattern: DayPattern, toOwnDay: (day: Day) => Day): DayPattern {
  if (pattern.kind !== 'repeat') return pattern;
  const { from, until } = pattern.repeat;
  return {
    kind: 'repeat',
    repeat: {
      ...pattern.repeat,
      from: from.type === 'date' ? { ...from, day: toOwnDay(from.day) } : from,
      until: until.type === 'date' ? { ...until, day: toOwnDay(until.day) } : until,
    },
  };
}

/**
 * Converts a sent event to a draft. Texts and limits are validated on save (`normalizeDraft`).
 * @throws Refusal naming the field
 */
export function toDraft(data: SentEvent, context: WireContext): EventDraft {
  const { existing } = context;
  const timing = parseTiming(data, context);
  const toOwnDay = createOwnDayConverter(timing, context);
  const pattern = toOwnBounds(parsePattern(data, context), toOwnDay);
  return {
    name: data.name,
    description: data.description ?? existing?.description ?? '',
    ...timing,
    pattern,
    exceptions: data.exceptions?.map((day) => toOwnDay(parseSentDay(day, 'exceptions'))) ?? existing?.exceptions ?? [],
    ...shiftForeignRule(timing.day, context),
    ...parseTags(data, context),
  };
}

// To the wire ----------------------------------------------------------------------------------------

type RepeatFields = Pick<
  WireEvent,
  'repeateveryamount' | 'repeatevery' | 'repeatfromtype' | 'repeatfrom' | 'repeatuntilltype' | 'repeatuntill'
>;

/** Repeat fields of events without a repeat of our own. */
const NO_REPEAT: RepeatFields = {
  repeateveryamount: 1,
  repeatevery: 'week',
  repeatfromtype: 'forever',
  repeatfrom: '',
  repeatuntilltype: 'forever',
  repeatuntill: '',
};

const toRepeatFields = ({ every, unit, from, until }: Repeat, toViewed: (day: Day) => Day): RepeatFields => ({
  repeateveryamount: every,
  repeatevery: unit,
  ...(from.type === 'forever'
    ? { repeatfromtype: 'forever', repeatfrom: '' }
    : { repeatfromtype: from.type === 'today' ? 'today' : 'absoloute', repeatfrom: toWire(toViewed(from.day)) }),
  ...(until.type === 'forever'
    ? { repeatuntilltype: 'forever', repeatuntill: '' }
    : until.type === 'times'
      ? { repeatuntilltype: 'relative', repeatuntill: until.times }
      : { repeatuntilltype: 'absoloute', repeatuntill: toWire(toViewed(until.day)) }),
});

function toPatternFields(pattern: DayPattern, toViewed: (day: Day) => Day) {
  const { amount, unit }: Duration = pattern.kind === 'duration' ? pattern.duration : { amount: 1, unit: 'weeks' };
  return {
    style: getStyle(pattern),
    ...(pattern.kind === 'repeat' ? toRepeatFields(pattern.repeat, toViewed) : NO_REPEAT),
    duration: amount,
    durationtype: unit,
    durationtypenumber: durationUnits.indexOf(unit),
    ...(pattern.kind === 'foreign' ? { otherrule: pattern.words } : {}),
  };
}

/** What an answer adds to an event. */
export interface WireEventContext {
  readonly bins: readonly HistoryBin[];
  /** The zone in which days and times are sent. */
  readonly viewer?: Zone | undefined;
  /** The requested day, as the event's own day. */
  readonly occurrence?: Day | undefined;
  /** The tag and the name of its subscribed calendar. */
  readonly subscription?: { readonly tag: string; readonly name: string } | undefined;
}

function toTimeFields(event: CalendarEvent, { viewer, occurrence = event.day }: WireEventContext) {
  const { day, time, endTime, endDays = 0, zone } = event;
  const first = toViewerDay(event, day, viewer);
  const toEndDate = (days: number) => (days === 0 ? {} : { enddate: toWire(first + days) });
  if (zone === undefined) return { time: time ?? '', endtime: endTime ?? '', ...toEndDate(endDays) };
  const times = getViewerTimes(event, occurrence, viewer);
  return {
    time: times.time ?? '',
    endtime: times.endTime ?? '',
    ...toEndDate(event.pattern.kind === 'duration' ? 0 : times.endDay - times.day),
    zone,
  };
}

const formatIso = (ms: number): string => new Date(ms).toISOString();

export function toWireEvent(event: CalendarEvent, context: WireEventContext): WireEvent {
  const { bins, occurrence, subscription, viewer } = context;
  const toViewed = (day: Day): Day => toViewerDay(event, day, viewer);
  return {
    id: event.id,
    name: event.name,
    description: event.description,
    date: toWire(toViewed(event.day)),
    participants: [...event.tags, ...(subscription ? [subscription.tag] : []), ...listBuiltInTags(event)],
    pinned: event.pinned ?? false,
    ...toPatternFields(event.pattern, toViewed),
    createdon: formatIso(event.created),
    editedon: formatIso(event.edited),
    edithistory: bins.map(({ binnumber, edits }) => ({
      binnumber,
      edits: edits.map(({ type, at, address }) => ({ type, date: formatIso(at), ip: address })),
    })),
    revision: event.revision,
    ...(occurrence === undefined || occurrence === event.day ? {} : { occurrence: toWire(toViewed(occurrence)) }),
    ...toTimeFields(event, context),
    exceptions: event.exceptions.map((day) => toWire(toViewed(day))),
    until: toWire(toViewed(event.day) + (event.pattern.kind === 'duration' ? countEndDays(event) : 0)),
    ...(subscription ? { subscription: subscription.name } : {}),
  };
}
