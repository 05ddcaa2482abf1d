import ICAL from 'ical.js';
import { DAY_MS, type Day } from '../../domain/day.ts';
import { lineOf, rawOf, type Component } from './component.ts';
import { clockOf, dayOfWall, inZone, momentsIn, type Moment, type MomentReader } from './moments.ts';
import { toUtc, toWall, type Zone } from './zones.ts';

/** When an event is, by the account's clock. */
export interface When {
  /** As the file says it. */
  readonly start: Moment;
  readonly day: Day;
  readonly time: string | undefined;
  /** On its last day, where that is a later time of the day than `time`. */
  readonly endTime: string | undefined;
  /** Days that it lasts; at least one. */
  readonly length: number;
}

/** Seconds of `P1DT2H`; undefined where it is none. */
const durationIn = (text: string): number | undefined => {
  if (!/^[+-]?P[\dWDTHMS]{1,40}$/i.test(text)) return undefined;
  const seconds: number = ICAL.Duration.fromString(text.toUpperCase()).toSeconds();
  return Number.isFinite(seconds) && Math.abs(seconds) < 1e11 ? seconds : undefined;
};

/** The end as a moment; undefined where there is none, or one that cannot be read or lies before the start. */
const endOf = (component: Component, start: Moment, reader: MomentReader): Moment | undefined => {
  const line = lineOf(component, 'DTEND');
  if (line !== undefined) return momentsIn(line, reader)?.[0];
  const seconds = durationIn(rawOf(component, 'DURATION'));
  if (seconds === undefined) return undefined;
  if (start.isDay || start.zone === undefined || seconds % 86_400 === 0)
    return { ...start, wall: start.wall + seconds * 1000 };
  return { ...start, wall: toWall(start.zone, toUtc(start.zone, start.wall) + seconds * 1000) };
};

export const whenOf = (component: Component, home: Zone | undefined, reader: MomentReader): When | undefined => {
  const start = momentsIn(lineOf(component, 'DTSTART') ?? '', reader)?.[0];
  if (!start) return undefined;
  const end = endOf(component, start, reader);
  const from = inZone(start, home);
  const day = dayOfWall(from);
  if (start.isDay) {
    const length = end === undefined ? 1 : Math.ceil((end.wall - start.wall) / DAY_MS);
    return { start, day, time: undefined, endTime: undefined, length: Math.max(1, length) };
  }
  const time = clockOf(from);
  const until = end === undefined ? from : Math.max(from, inZone(end, home));
  // An end at midnight belongs to the day before.
  const lastDay = Math.max(day, dayOfWall(until - 1));
  const isTimed = dayOfWall(until) === lastDay && clockOf(until) > time;
  return { start, day, time, endTime: isTimed ? clockOf(until) : undefined, length: lastDay - day + 1 };
};
