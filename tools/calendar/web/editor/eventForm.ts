import type { Day } from '#platform/contract/day.ts';
import { parseDay, toWire, toWireOrText } from '../../events/domain/day.ts';
import {
  countEndDays,
  type DurationUnit,
  type Repeat,
  type RepeatUnit,
  type Style,
} from '../../events/domain/event.ts';
import { INVISIBLE_BLANK } from '../../events/domain/eventDraft.ts';
import { isReservedTag } from '../../events/domain/tags.ts';
import { occursOn } from '../../repeat/domain/repeat.ts';
import type { Proposal } from '../selection.ts';
import type { WireEvent, EventData } from './eventData.ts';

/** The editable fields of an event. Dates are as typed, and `DD-MM-YYYY` once they are valid. */
export interface Form {
  readonly name: string;
  readonly description: string;
  /** First day. The form of a repeat has the day that was opened. */
  readonly date: string;
  /** `HH:MM`; '' is all day. */
  readonly time: string;
  readonly endTime: string;
  /** Not used by durations. '' or the start date means the same day. */
  readonly endDate: string;
  readonly style: Style;
  /** Names of the tags, except built-in ones. */
  readonly tags: readonly string[];
  /** '' if no tag is pinned. */
  readonly pinned: string;
  readonly every: number;
  readonly unit: RepeatUnit;
  readonly from: 'today' | 'forever' | 'date';
  readonly fromDate: string;
  readonly until: 'forever' | 'times' | 'date';
  readonly times: number;
  readonly untilDate: string;
  readonly amount: number;
  readonly durationUnit: DurationUnit;
}
type Field = keyof Form;

/** Creates a form with the defaults of docs/specification/calendar.md section 6. */
export function createNewForm({ name = '', date }: Proposal): Form {
  return {
    name,
    description: '',
    date: toWireOrText(date),
    time: '',
    endTime: '',
    endDate: '',
    style: 'calendar',
    tags: [],
    pinned: '',
    every: 1,
    unit: 'week',
    from: 'today',
    fromDate: toWireOrText(date),
    until: 'forever',
    times: 1,
    untilDate: toWireOrText(date),
    amount: 1,
    durationUnit: 'weeks',
  };
}

const FROM_BY_WIRE = { today: 'today', forever: 'forever', absoloute: 'date' } as const;
const UNTIL_BY_WIRE = { forever: 'forever', relative: 'times', absoloute: 'date' } as const;
const WIRE_BY_FROM = { today: 'today', forever: 'forever', date: 'absoloute' } as const;
const WIRE_BY_UNTIL = { forever: 'forever', times: 'relative', date: 'absoloute' } as const;
const DURATION_UNITS: readonly DurationUnit[] = ['hours', 'days', 'weeks', 'months', 'years'];

/** Returns whether the opened day is one of the repeat. */
function hasDay(event: WireEvent, form: Form, openedDay: Day): boolean {
  if (event.otherrule !== undefined) return event.occurrence === toWire(openedDay);
  const firstDay = parseDay(event.date);
  const repeat = toRepeat(form, event, openedDay);
  const isException = event.exceptions.includes(toWire(openedDay));
  return firstDay !== undefined && repeat !== undefined && !isException && occursOn(firstDay, repeat, openedDay);
}

/** Creates the form of an event. `openedDay` (ISO) becomes the date if a repeat has that day. */
export function createForm(event: WireEvent, openedDay: string): Form {
  const form = toForm(event);
  const day = parseDay(openedDay);
  if (event.style !== 'repeat' || day === undefined || !hasDay(event, form, day)) return form;
  return { ...form, date: toWire(day), endDate: shiftDate(form.endDate, day - (parseDay(form.date) ?? day)) };
}

/** Returns a date some days later. An invalid date stays unchanged. */
function shiftDate(text: string, by: number): string {
  const day = parseDay(text);
  return day === undefined ? text : toWire(day + by);
}

/** Returns the next day of a date. */
export function getDayAfter(text: string): string {
  return shiftDate(text, 1);
}

/** Counts the days from the start to the end date; 0 if one is invalid. */
export function countFormEndDays({ date, endDate }: Form): number {
  const [first, last] = [parseDay(date), parseDay(endDate)];
  return first === undefined || last === undefined ? 0 : last - first;
}

/** Returns the edits with an end date that moves with the date. An end before the start is moved to the next day. */
export function withEndDate(form: Form, edits: Partial<Form>): Partial<Form> {
  const next = { ...form, ...edits };
  if (edits.endDate !== undefined || form.style === 'duration') return edits;
  if (edits.date !== undefined && parseDay(edits.date) !== undefined && countFormEndDays(form) !== 0)
    return { ...edits, endDate: shiftDate(edits.date, countFormEndDays(form)) };
  if (edits.time === undefined && edits.endTime === undefined) return edits;
  if (next.time === '' || next.endTime === '') return { ...edits, endDate: '' };
  if (countFormEndDays(form) > 1) return edits;
  return { ...edits, endDate: next.endTime < next.time ? shiftDate(next.date, 1) : '' };
}

function toForm(event: WireEvent): Form {
  const until = UNTIL_BY_WIRE[event.repeatuntilltype];
  return {
    name: event.name,
    description: event.description,
    date: event.date,
    time: event.time,
    endTime: event.endtime,
    endDate: event.enddate === undefined || event.enddate === event.date ? '' : event.enddate,
    style: event.style,
    tags: event.participants.filter((tag) => !isReservedTag(tag)),
    pinned: event.pinned === false ? '' : event.pinned,
    every: event.repeateveryamount,
    unit: event.repeatevery,
    from: FROM_BY_WIRE[event.repeatfromtype],
    fromDate: event.repeatfrom === '' ? event.date : event.repeatfrom,
    until,
    times: until === 'times' ? Number(event.repeatuntill) : 1,
    untilDate: until === 'date' ? String(event.repeatuntill) : event.date,
    amount: event.duration,
    durationUnit: event.durationtype,
  };
}

/** Counts the days by which the date was moved from the opened day; 0 if it is invalid. */
export function countMovedDays(form: Form, start: Form): number {
  return (parseDay(form.date) ?? 0) - (parseDay(start.date) ?? 0);
}

/** Returns the event's first day, according to the form. */
export function getFirstDay(form: Form, base: WireEvent | undefined, start: Form): Day | undefined {
  const day = parseDay(form.date);
  const firstDay = parseDay(base?.date ?? '');
  return base?.style !== 'repeat' || day === undefined || firstDay === undefined
    ? day
    : firstDay + countMovedDays(form, start);
}

const toRepeatData = (form: Form): Partial<EventData> => ({
  repeateveryamount: form.every,
  repeatevery: form.unit,
  repeatfromtype: WIRE_BY_FROM[form.from],
  ...(form.from === 'date' ? { repeatfrom: form.fromDate } : {}),
  repeatuntilltype: WIRE_BY_UNTIL[form.until],
  ...(form.until === 'forever' ? {} : { repeatuntill: form.until === 'times' ? form.times : form.untilDate }),
});

const toDurationData = ({ amount, durationUnit }: Form): Partial<EventData> => ({
  duration: amount,
  durationtype: durationUnit,
  durationtypenumber: DURATION_UNITS.indexOf(durationUnit),
});

/** Keeps the start of a repeat that counts from the day on which it was saved. */
const getOriginalFrom = (form: Form, base: WireEvent | undefined): Partial<EventData> =>
  form.from === 'today' && base?.repeatfromtype === 'today' && base.repeatfrom !== ''
    ? { repeatfrom: base.repeatfrom }
    : {};

/** Moves the exceptions together with the repeat. */
const moveExceptions = (base: WireEvent, dayCount: number): string[] =>
  base.exceptions.map((exception) => {
    const day = parseDay(exception);
    return day === undefined ? exception : toWire(day + dayCount);
  });

function toPatternData(form: Form, base: WireEvent | undefined): Partial<EventData> {
  if (form.style === 'duration') return toDurationData(form);
  // A foreign rule stays as it is.
  if (form.style === 'calendar' || base?.otherrule !== undefined) return {};
  return { ...toRepeatData(form), ...getOriginalFrom(form, base) };
}

/** Moves the bounds of a repeat together with it, unless they were edited. */
function moveBounds(form: Form, start: Form, by: number): Form {
  function moveAlong(text: string, before: string): string {
    const day = parseDay(text);
    return day === undefined || text !== before ? text : toWire(day + by);
  }
  return {
    ...form,
    fromDate: moveAlong(form.fromDate, start.fromDate),
    untilDate: moveAlong(form.untilDate, start.untilDate),
  };
}

const toWireOr = (day: Day | undefined, by: number, text: string): string =>
  day === undefined ? text : toWire(day + by);

/** Converts the form to the data that saves it. `start` is the unedited form of `base`. */
export function toSaveRequest(editedForm: Form, base: WireEvent | undefined, start: Form): EventData {
  const day = getFirstDay(editedForm, base, start);
  const movedDayCount = base?.style === 'repeat' ? countMovedDays(editedForm, start) : 0;
  const length = editedForm.style === 'duration' ? 0 : countFormEndDays(editedForm);
  const form = moveBounds(editedForm, start, movedDayCount);
  return {
    id: base?.id ?? 0,
    name: form.name,
    description: form.description,
    date: day === undefined ? form.date : toWire(day),
    participants: [...form.tags],
    pinned: form.pinned === '' ? false : form.pinned,
    style: form.style,
    time: form.time,
    endtime: form.endTime,
    enddate: toWireOr(day, length, form.date),
    ...(base?.occurrence === undefined ? {} : { occurrence: base.occurrence }),
    ...toPatternData(form, base),
    ...(base ? { revision: base.revision, exceptions: moveExceptions(base, movedDayCount) } : {}),
  };
}

/** Converts the form to a repeat, to compute its days. Undefined while a date is invalid. */
export function toRepeat(form: Form, base: WireEvent | undefined, today: Day): Repeat | undefined {
  const { every, unit, times } = form;
  const originalFrom = getOriginalFrom(form, base).repeatfrom;
  const fromDay = form.from === 'date' ? parseDay(form.fromDate) : (parseDay(originalFrom ?? '') ?? today);
  const untilDay = parseDay(form.untilDate);
  if (fromDay === undefined || (form.until === 'date' && untilDay === undefined)) return undefined;
  return {
    every,
    unit,
    from: form.from === 'forever' ? { type: 'forever' } : { type: form.from, day: fromDay },
    until:
      form.until === 'times'
        ? { type: 'times', times }
        : form.until === 'date' && untilDay !== undefined
          ? { type: 'date', day: untilDay }
          : { type: 'forever' },
  };
}

const isSameValue = (one: Form[Field], other: Form[Field]): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Lists the fields in which two forms differ, in order. */
export function listDifferences(one: Form, other: Form): readonly Field[] {
  return (Object.keys(one) as Field[]).filter((field) => !isSameValue(one[field], other[field]));
}

/** Returns the fields that turn `start` into `form`. */
export function getEdits(form: Form, start: Form): Partial<Form> {
  return Object.fromEntries(listDifferences(form, start).map((field) => [field, form[field]]));
}

/** Replaces the fields that are unchanged since `from` by those of `to`. Edits stay. */
export function rebase(form: Form, from: Form, to: Form): Form {
  return { ...form, ...pickFields(to, listUnchanged(form, from)) };
}
const listUnchanged = (form: Form, from: Form): readonly Field[] =>
  (Object.keys(form) as Field[]).filter((field) => isSameValue(form[field], from[field]));
const pickFields = (form: Form, fields: readonly Field[]): Partial<Form> =>
  Object.fromEntries(fields.map((field) => [field, form[field]]));

/** Counts the days from the first to the last one. */
function countDaysToEnd(form: Form): number {
  const { style, amount, durationUnit: unit, time, endTime } = form;
  const day = parseDay(form.date) ?? 0;
  // While the end date is invalid, the end time may be correct.
  if (style !== 'duration')
    return form.endDate !== '' && parseDay(form.endDate) === undefined ? 1 : countFormEndDays(form);
  return countEndDays({ day, time, endTime, pattern: { kind: 'duration', duration: { amount, unit } } });
}

/** Returns the fields that can't be saved. */
export function listProblems(form: Form): readonly Field[] {
  const isRepeat = form.style === 'repeat';
  const checks: readonly (readonly [Field, boolean])[] = [
    ['name', form.name.includes(INVISIBLE_BLANK)],
    ['date', parseDay(form.date) === undefined],
    ['endDate', form.endDate !== '' && (parseDay(form.endDate) === undefined || countFormEndDays(form) < 0)],
    ['endTime', form.endTime !== '' && form.endTime <= form.time && countDaysToEnd(form) === 0],
    ['fromDate', isRepeat && form.from === 'date' && parseDay(form.fromDate) === undefined],
    ['untilDate', isRepeat && form.until === 'date' && parseDay(form.untilDate) === undefined],
  ];
  return checks.filter(([, hasProblem]) => hasProblem).map(([field]) => field);
}

/** Returns whether the end is before the start. An invalid end date is reported beside its own field. */
export function isEndEarly(form: Form, problems: readonly Field[]): boolean {
  return problems.includes('endTime') || (problems.includes('endDate') && parseDay(form.endDate) !== undefined);
}
