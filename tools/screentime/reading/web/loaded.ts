import type { AnswerOf } from '#platform/contract/call.ts';
import type { returnspecificapplication } from '../../contract.ts';
import { statuses, type Status } from '../../contract/limits.ts';
import { laneOf, type DaySegment, type Lane } from '../domain/lane.ts';
import type { ShownApplication } from './viewTypes.ts';

/** An application as it is answered. What is worked out of it is kept as long as the answer itself, of which a later one keeps what is alike. */
export type ApplicationData = AnswerOf<typeof returnspecificapplication>['data'][string];

/** 60 s of a day of 24 hours: nobody sees less. */
const GAP_PERCENT = 100 / 1440;

const lanes = new WeakMap<readonly DaySegment[], Lane>();
const laneOfSegments = (segments: readonly DaySegment[]): Lane => {
  const known = lanes.get(segments) ?? laneOf(segments, GAP_PERCENT);
  lanes.set(segments, known);
  return known;
};

const own = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** The segments of a day (ISO); undefined where they are not in this answer. */
export const laneIn = ({ datespecific }: ApplicationData, date: string): Lane | undefined => {
  const segments = own(datespecific, date);
  return Array.isArray(segments) ? laneOfSegments(segments) : undefined;
};

/** Seconds in focus by day. */
export const secondsIn = ({ datespecific }: ApplicationData, date: string): number => {
  const playtime = datespecific['playtime'];
  return playtime === undefined || Array.isArray(playtime) ? 0 : (own(playtime, date) ?? 0);
};

export const css = ([red, green, blue]: readonly [number, number, number]): string => `rgb(${red} ${green} ${blue})`;

/** A loaded application: what its parts are shown, and what the timeline draws. */
export interface LoadedApplication extends ShownApplication {
  readonly answered: ApplicationData;
  /** CSS by status. */
  readonly colours: Readonly<Record<Status, string>>;
}

const loaded = new WeakMap<ApplicationData, LoadedApplication>();
const NEUTRAL = 'rgb(119 128 143)';

export const loadedOf = (name: string, answered: ApplicationData): LoadedApplication => {
  const known = loaded.get(answered);
  if (known) return known;
  const given = answered.metadata.colours;
  const main = own(given, 'on');
  const colour = main ? css(main) : NEUTRAL;
  const colours = Object.fromEntries(
    statuses.map((status) => [status, own(given, status) ? css(own(given, status) ?? [0, 0, 0]) : colour]),
  ) as Record<Status, string>;
  const made: LoadedApplication = { name, colour, stats: answered.stats, answered, colours };
  loaded.set(answered, made);
  return made;
};
