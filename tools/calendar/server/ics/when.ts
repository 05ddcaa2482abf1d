import ICAL from 'ical.js';
import { DAY_MS, type Day } from '../../domain/day.ts';
import { nameOfZone, toUtc, toWall, type Zone } from '../../domain/zone.ts';
import { lineOf, rawOf, type Component } from './component.ts';
import { clockOf, dayOfWall, inZone, momentsIn, type Moment, type MomentReader } from './moments.ts';

/** When an event is, by its own clock. */
export interface When {
  readonly start: Moment;
  readonly day: Day;
  readonly time: string | undefined;
  /** On its last day. */
  readonly endTime: string | undefined;
  /** Days from the first to the last one. */
  readonly endDays: number;
  /** IANA name; undefined of days and of times in no zone. */
  readonly zone: string | undefined;
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

/** A start by a clock that has a name: one that only the file describes is told by the account's. */
const namedStart = (start: Moment, home: Zone | undefined, onUnnamed: () => void): Moment => {
  if (start.zone === undefined || start.isDay || home === undefined || nameOfZone(start.zone) !== undefined)
    return start;
  onUnnamed();
  return { ...start, wall: inZone(start, home), zone: home };
};

/** `onUnnamed` is told where the times are those of a zone that is none of ours. */
export const whenOf = (
  component: Component,
  { home, onUnnamed }: { readonly home: Zone | undefined; readonly onUnnamed: () => void },
  reader: MomentReader,
): When | undefined => {
  const written = momentsIn(lineOf(component, 'DTSTART') ?? '', reader)?.[0];
  if (!written) return undefined;
  const start = namedStart(written, home, onUnnamed);
  const end = endOf(component, written, reader);
  const day = dayOfWall(start.wall);
  if (start.isDay) {
    const length = end === undefined ? 1 : Math.ceil((end.wall - start.wall) / DAY_MS);
    return { start, day, time: undefined, endTime: undefined, endDays: Math.max(0, length - 1), zone: undefined };
  }
  const until = end === undefined ? start.wall : inZone(end, start.zone);
  const hasEnd = until > start.wall;
  return {
    start,
    day,
    time: clockOf(start.wall),
    endTime: hasEnd ? clockOf(until) : undefined,
    endDays: hasEnd ? dayOfWall(until) - day : 0,
    zone: start.zone && nameOfZone(start.zone),
  };
};
