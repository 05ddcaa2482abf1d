import { dayOfLocalMs, type Day } from '#tools/calendar/events/domain/day.ts';
import { linesOf, type Component } from './component.ts';
import { clockOf, inZone, listedTimes, type DateTime, type ListedTime } from './dateTime.ts';
import { minutesOfWhen, type EventTime, type WhenReader } from './when.ts';

const MINUTE_MS = 60_000;

/** Who is told of what is not taken; `note` stands with the event. */
export interface ReadContext {
  readonly reader: WhenReader;
  readonly note: (words: string) => void;
}

/** The day, by the clock that the event was written by, on which a moment lies. */
const dayBy = (one: DateTime, start: DateTime): Day =>
  dayOfLocalMs(start.isDate || one.isDate ? one.wall : inZone(one, start.zone));

const isAtAnotherTime = (one: DateTime, { start, time }: EventTime): boolean =>
  !start.isDate && !one.isDate && clockOf(inZone(one, start.zone)) !== time;

/** Times of a line that lists them, those left out and told that are none. */
const timesIn = (component: Component, name: string, reader: WhenReader): readonly ListedTime[] =>
  linesOf(component, name)
    .flatMap((line) => listedTimes(line, reader))
    .filter((one) => {
      if (one === undefined) reader.tell(`A day of its ${name} is none, and left out`);
      return one !== undefined;
    });

/** Days on which it takes place besides, and what of them is not kept. */
export const extraDays = (component: Component, when: EventTime, { reader, note }: ReadContext): readonly Day[] => {
  const times = timesIn(component, 'RDATE', reader);
  if (times.some((one) => isAtAnotherTime(one, when))) {
    reader.tell(`Some of its days are at another time of the day; they are taken at ${when.time}`);
    note(`some of its days are at another time of the day than ${when.time}`);
  }
  const length = when.time !== undefined && when.endTime === undefined ? 0 : minutesOfWhen(when) * MINUTE_MS;
  if (times.some((one) => one.length !== undefined && Math.abs(one.length - length) >= MINUTE_MS)) {
    reader.tell('Some of its days last longer or shorter than the first; they are taken to be as long');
    note('some of its days last longer or shorter');
  }
  return times.map((one) => dayBy(one, when.start));
};

/** Days that are left out: also by another time of the day, as some programs write them. */
export const leftDays = (component: Component, when: EventTime, { reader }: ReadContext): readonly Day[] => {
  const times = timesIn(component, 'EXDATE', reader);
  if (times.some((one) => isAtAnotherTime(one, when)))
    reader.tell('Days that are left out of it are written at another time of the day; they are left out all the same');
  return times.map((one) => dayBy(one, when.start));
};
