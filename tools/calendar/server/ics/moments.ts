import { DAY_MS, dayOfLocalMs, type Day } from '../../domain/day.ts';
import { timeOf } from '../../domain/time.ts';
import { toUtc, toWall, UTC, type WallMs, type Zone } from '../../domain/zone.ts';
import { propertyIn } from './lines.ts';
import { wallIn, type Zones } from './zones.ts';

const MINUTE_MS = 60_000;

/** A day or a time as a file says it. */
export interface Moment {
  /** Of the clock that it was written by. */
  readonly wall: WallMs;
  readonly isDay: boolean;
  /** Undefined is no zone: the same reading everywhere. */
  readonly zone: Zone | undefined;
}

export const dayOfWall = (wall: WallMs): Day => dayOfLocalMs(wall);

/** `09:30` of a wall clock's reading. */
export const clockOf = (wall: WallMs): string => timeOf(Math.floor((wall - dayOfWall(wall) * DAY_MS) / MINUTE_MS));

/** The same moment on another zone's clock. Days and times in no zone stay what they are. */
export const inZone = ({ wall, isDay, zone }: Moment, other: Zone | undefined): WallMs =>
  isDay || zone === undefined || other === undefined || zone === other ? wall : toWall(other, toUtc(zone, wall));

/** How moments of a file are read: zones it may name, and what to do with one that nobody knows. */
export interface MomentReader {
  readonly zones: Zones;
  readonly onUnknownZone: (name: string) => void;
}

const momentIn = (written: string, zone: Zone | undefined): Moment | undefined => {
  // A day where a time was promised: `DTSTART:20261123`.
  const iso = written.replace(/T::$/, '');
  const wall = wallIn(iso);
  return wall === undefined ? undefined : { wall, isDay: !iso.includes('T'), zone: iso.endsWith('Z') ? UTC : zone };
};

/** Zone names with colons and commas have to be in quotes, and often are not: `TZID=(UTC+01:00) Bern, Rome:20261201T090000`. */
const withQuotedZone = (line: string): string =>
  line.replace(/;TZID=([^";]*[:,][^";]*?)(?=(?:;[^:]*)?:\d{8})/i, (_whole, name: string) => `;TZID="${name}"`);

/** The moments of a line such as `DTSTART` or `EXDATE`, of periods their beginning; undefined where one of them is none. */
export const momentsIn = (line: string, { zones, onUnknownZone }: MomentReader): readonly Moment[] | undefined => {
  const property = propertyIn(withQuotedZone(line));
  if (!property) return undefined;
  const name = property.parameters['tzid'];
  const zone = typeof name === 'string' ? zones.find(name) : undefined;
  if (typeof name === 'string' && zone === undefined) onUnknownZone(name);
  const read = property.values.map((value) => momentIn(String(Array.isArray(value) ? value[0] : value), zone));
  return read.every((moment) => moment !== undefined) ? read : undefined;
};
