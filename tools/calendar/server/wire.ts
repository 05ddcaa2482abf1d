import type { AnswerOf, RequestOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { durationUnits, fromTypes, type newevent, repeatUnits, styles, untilTypes } from '../contract.ts';
import { type Day, parseDay, toWire } from '../domain/day.ts';
import { untilOf } from '../domain/duration.ts';
import {
  type CalendarEvent,
  type Duration,
  type EventDraft,
  type Pattern,
  type Repeat,
  type RepeatFrom,
  type RepeatUntil,
  styleOf,
} from '../domain/event.ts';
import type { Bin } from '../domain/history.ts';
import { patternOfRule } from '../domain/rulePattern.ts';
import { shifted } from '../domain/shift.ts';
import { builtInTagsOf } from '../domain/tags.ts';

/** An event as a page sends it. */
export type SentEvent = RequestOf<typeof newevent>['data'];
/** An event as a page gets it. */
export type WireEvent = AnswerOf<typeof newevent>['data'];

// From the wire --------------------------------------------------------------------------------------

/** @throws Refusal naming the field. */
export const sentDay = (text: string, field: string): Day => {
  const day = parseDay(text.trim());
  if (day === undefined)
    throw new Refusal(
      `${field}: '${text.toWellFormed()}' is no day. Write it like 23-11-2026, with a year from 1 to 9999.`,
    );
  return day;
};

const oneOf = <Word extends string>(words: readonly Word[], sent: string, field: string): Word => {
  const found = words.find((word) => word === sent);
  if (found === undefined)
    throw new Refusal(`${field}: '${sent.slice(0, 40).toWellFormed()}' is none of ${words.join(', ')}`);
  return found;
};

interface Reading {
  /** Whose day 'today' is. */
  readonly today: Day;
  /** What stands there now: left-out fields that have no default of their own stay as they are. */
  readonly existing: CalendarEvent | undefined;
  /** Names of tags that no person gives: those of subscribed calendars. */
  readonly ignored?: ReadonlySet<string>;
}

const sentFrom = ({ repeatfromtype, repeatfrom }: SentEvent, { today, existing }: Reading): RepeatFrom => {
  const type = oneOf(fromTypes, repeatfromtype ?? (existing ? 'forever' : 'today'), 'repeatfromtype');
  if (type === 'forever') return { type };
  if (type === 'absoloute') return { type: 'date', day: sentDay(repeatfrom ?? '', 'repeatfrom') };
  // Saved again, it goes on from the day on which it was saved first: what has been stays.
  const before = existing?.pattern.kind === 'repeat' ? existing.pattern.repeat.from : undefined;
  return before?.type === 'today' ? before : { type, day: today };
};

const sentCount = (sent: string | number): number => {
  const times = typeof sent === 'number' ? sent : /^\d{1,9}$/.test(sent.trim()) ? Number(sent) : Number.NaN;
  if (!Number.isInteger(times)) throw new Refusal('repeatuntill: a whole number of further times');
  return times;
};

const sentUntil = ({ repeatuntilltype, repeatuntill }: SentEvent): RepeatUntil => {
  const type = oneOf(untilTypes, repeatuntilltype ?? 'forever', 'repeatuntilltype');
  if (type === 'forever') return { type };
  if (type === 'relative') return { type: 'times', times: sentCount(repeatuntill ?? 1) };
  return { type: 'date', day: sentDay(String(repeatuntill ?? ''), 'repeatuntill') };
};

const sentRepeat = (data: SentEvent, reading: Reading): Repeat => ({
  every: data.repeateveryamount ?? 1,
  unit: oneOf(repeatUnits, data.repeatevery ?? 'week', 'repeatevery'),
  from: sentFrom(data, reading),
  until: sentUntil(data),
});

const sentUnit = ({ durationtype, durationtypenumber }: SentEvent): Duration['unit'] => {
  if (durationtype !== undefined) return oneOf(durationUnits, durationtype, 'durationtype');
  if (durationtypenumber === undefined) return 'weeks';
  const unit = durationUnits[durationtypenumber];
  if (unit === undefined) throw new Refusal(`durationtypenumber: a whole number from 0 to ${durationUnits.length - 1}`);
  return unit;
};

const sentPattern = (data: SentEvent, reading: Reading): Pattern => {
  const before = reading.existing && styleOf(reading.existing.pattern);
  const style = oneOf(styles, data.style ?? before ?? 'calendar', 'style');
  if (before !== undefined && style !== before)
    throw new Refusal(
      `style: an event keeps its style once it is made (this one is ${before}). Make a new event instead.`,
    );
  if (style === 'calendar') return { kind: 'single' };
  if (style === 'duration') return { kind: 'duration', duration: { amount: data.duration ?? 1, unit: sentUnit(data) } };
  // A rule that the controls cannot say; an event that has one keeps it (`sentForeign`).
  if (data.rule !== undefined && !reading.existing)
    return patternOfRule(data.rule, sentDay(data.date, 'date'), reading.today);
  return { kind: 'repeat', repeat: sentRepeat(data, reading) };
};

/** '' is none. */
const sentTime = (sent: string | undefined, before: string | undefined): string | undefined =>
  (sent === undefined ? before : sent.trim()) || undefined;

const sentTimes = ({ time: sent, endtime }: SentEvent, { existing }: Reading) => {
  const time = sentTime(sent, existing?.time);
  // An end goes with its time.
  if (time === undefined && sent !== undefined) return { time, endTime: undefined };
  return { time, endTime: sentTime(endtime, existing?.endTime) };
};

const sentTags = ({ participants, pinned }: SentEvent, { existing, ignored }: Reading) => {
  const names = participants?.map((name) => name.trim()).filter((name) => ignored?.has(name) !== true);
  const tags = names ?? existing?.tags ?? [];
  if (pinned === undefined) {
    const before = existing?.pinned;
    return { tags, pinned: before !== undefined && tags.includes(before) ? before : undefined };
  }
  return { tags, pinned: pinned === false || pinned === null || pinned === '' ? undefined : pinned };
};

/** A rule of another calendar stays, and goes along, with what is left out, where the event is put on another day. */
const sentForeign = (data: SentEvent, { existing }: Reading): Partial<Pick<EventDraft, 'pattern' | 'exceptions'>> => {
  if (existing?.pattern.kind !== 'foreign') return {};
  const days = sentDay(data.date, 'date') - existing.day;
  return days === 0 ? { pattern: existing.pattern } : shifted(existing, days);
};

/** What a page says of an event. Texts and limits are looked at when it is kept (`checkedDraft`). @throws Refusal naming the field. */
export const draftOf = (data: SentEvent, reading: Reading): EventDraft => {
  const { existing } = reading;
  const pattern = sentPattern(data, reading);
  return {
    name: data.name,
    description: data.description ?? existing?.description ?? '',
    ...sentTimes(data, reading),
    day: sentDay(data.date, 'date'),
    pattern,
    exceptions: data.exceptions?.map((day) => sentDay(day, 'exceptions')) ?? existing?.exceptions ?? [],
    ...sentForeign(data, reading),
    ...sentTags(data, reading),
  };
};

// To the wire ----------------------------------------------------------------------------------------

type RepeatFields = Pick<
  WireEvent,
  'repeateveryamount' | 'repeatevery' | 'repeatfromtype' | 'repeatfrom' | 'repeatuntilltype' | 'repeatuntill'
>;

/** Of what repeats by no rule of ours. */
const NO_REPEAT: RepeatFields = {
  repeateveryamount: 1,
  repeatevery: 'week',
  repeatfromtype: 'forever',
  repeatfrom: '',
  repeatuntilltype: 'forever',
  repeatuntill: '',
};

const repeatFields = ({ every, unit, from, until }: Repeat): RepeatFields => ({
  repeateveryamount: every,
  repeatevery: unit,
  ...(from.type === 'forever'
    ? { repeatfromtype: 'forever', repeatfrom: '' }
    : { repeatfromtype: from.type === 'today' ? 'today' : 'absoloute', repeatfrom: toWire(from.day) }),
  ...(until.type === 'forever'
    ? { repeatuntilltype: 'forever', repeatuntill: '' }
    : until.type === 'times'
      ? { repeatuntilltype: 'relative', repeatuntill: until.times }
      : { repeatuntilltype: 'absoloute', repeatuntill: toWire(until.day) }),
});

const patternFields = (pattern: Pattern) => {
  const { amount, unit }: Duration = pattern.kind === 'duration' ? pattern.duration : { amount: 1, unit: 'weeks' };
  return {
    style: styleOf(pattern),
    ...(pattern.kind === 'repeat' ? repeatFields(pattern.repeat) : NO_REPEAT),
    duration: amount,
    durationtype: unit,
    durationtypenumber: durationUnits.indexOf(unit),
    ...(pattern.kind === 'foreign' ? { otherrule: pattern.words } : {}),
  };
};

/** What stands beside an event in an answer. */
export interface Beside {
  readonly bins: readonly Bin[];
  /** The day that was asked for. */
  readonly occurrence?: Day | undefined;
  /** The tag that its subscribed calendar is, and that calendar's name. */
  readonly subscription?: { readonly tag: string; readonly name: string } | undefined;
}

const iso = (ms: number): string => new Date(ms).toISOString();

export const wireEvent = (event: CalendarEvent, { bins, occurrence, subscription }: Beside): WireEvent => ({
  id: event.id,
  name: event.name,
  description: event.description,
  date: toWire(event.day),
  participants: [...event.tags, ...(subscription ? [subscription.tag] : []), ...builtInTagsOf(event)],
  pinned: event.pinned ?? false,
  ...patternFields(event.pattern),
  createdon: iso(event.created),
  editedon: iso(event.edited),
  edithistory: bins.map(({ binnumber, edits }) => ({
    binnumber,
    edits: edits.map(({ type, at, address }) => ({ type, date: iso(at), ip: address })),
  })),
  revision: event.revision,
  ...(occurrence === undefined || occurrence === event.day ? {} : { occurrence: toWire(occurrence) }),
  time: event.time ?? '',
  endtime: event.endTime ?? '',
  exceptions: event.exceptions.map(toWire),
  until: toWire(event.pattern.kind === 'duration' ? untilOf(event.day, event.pattern.duration) : event.day),
  ...(subscription ? { subscription: subscription.name } : {}),
});
