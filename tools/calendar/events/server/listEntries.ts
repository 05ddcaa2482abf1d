import type * as z from 'zod/mini';
import type { durationEntry } from '../../contract/events.ts';
import { repeatUnits, styles } from '../../contract/events.ts';
import { fieldsOf, lastDayOf, partOn, type DayPart, type Occurrence } from '../../repeat/domain/occurrence.ts';
import { TRANSPARENT } from '../domain/colours.ts';
import { dayOfLocalMs, toIso, toWire, type Day } from '../domain/day.ts';
import type { Style } from '../domain/event.ts';
import type { Entry } from '../domain/eventPage.ts';
import { mainColour, type ListedEvent } from './store/readingStore.ts';

export const styleOfRow = ({ style }: Pick<ListedEvent, 'style'>): Style =>
  styles.find((each) => each === style) ?? 'calendar';

/** The main tag fills an entry and stands at its left, the second one at its right. */
const coloursOf = (event: ListedEvent): Entry['colours'] => {
  const main = mainColour(event);
  return { background: main, left: main, right: event.tags[1]?.colour ?? TRANSPARENT };
};

/** Whether its days and times are those that stand in its row. */
export const isPlainRow = ({ zone, end_days: endDays }: ListedEvent): boolean => zone === null && endDays === 0;

const partFields = ({ time, endTime, part }: DayPart) => ({
  ...(time === undefined ? {} : { time }),
  ...(endTime === undefined ? {} : { endtime: endTime }),
  ...(part === 'whole' ? {} : { part }),
});

/** An event on one of the days of one of its times. */
export const partEntryOf = (event: ListedEvent, one: Occurrence, day: Day): Entry => {
  const { time: _time, ...entry } = entryOf(event);
  const first = dayOfLocalMs(one.start);
  const part = partOn(one, day);
  const shown = event.time === null ? { ...part, time: undefined, endTime: undefined } : part;
  return { ...entry, ...partFields(shown), ...(first === day ? {} : { began: toIso(first) }) };
};

export const entryOf = (event: ListedEvent): Entry => {
  const { id, name, time, repeat_every: every, repeat_unit: word, subscription } = event;
  const unit = repeatUnits.find((each) => each === word);
  return {
    name,
    eventid: id,
    type: styleOfRow(event),
    colours: coloursOf(event),
    pinned: event.isPinned,
    ...(time === null ? {} : { time }),
    ...(every === null || unit === undefined ? {} : { every, unit }),
    ...(subscription === null ? {} : { fixed: true }),
  };
};

/** `one` is when a duration in a zone is, by the clock of whoever looks. */
export const durationEntryOf = (event: ListedEvent, one?: Occurrence): z.output<typeof durationEntry> => ({
  ...entryOf(event),
  ...(one ? { time: fieldsOf(one).time } : {}),
  date: toWire(one ? dayOfLocalMs(one.start) : event.day),
  until: toWire(one ? lastDayOf(one) : event.until_day),
});
