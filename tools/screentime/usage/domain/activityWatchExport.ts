import { groupBy } from '#platform/contract/groupBy.ts';
import { parseInstant } from './usageReport.ts';

// ActivityWatch's JSON export: `{ buckets: { <id>: { type, hostname, events: [{ timestamp, duration, data }] } } }`.

/** A time away from the computer. */
export interface AwayEvent {
  /** Text of the export. */
  readonly timestamp: string;
  /** The same in milliseconds since the epoch. */
  readonly at: number;
  /** Seconds. */
  readonly duration: number;
}
/** A focused window. */
export interface WindowEvent extends AwayEvent {
  readonly app: string;
}

/** Events of one computer. */
export interface ComputerExport {
  readonly hostname: string;
  /** Sorted by time. */
  readonly window: readonly WindowEvent[];
  readonly away: readonly AwayEvent[];
}

/** A part of an export that is small enough for one request. */
export type ExportChunk = ComputerExport;

const MAX_NAME_LENGTH = 1000;

type Fields = Readonly<Record<string, unknown>>;
const toFields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
function readText(fields: Fields | undefined, name: string): string {
  const value = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Returns the buckets of a full or single-bucket export; undefined for other files. */
function readBuckets(value: unknown): readonly Fields[] | undefined {
  const buckets = toFields(toFields(value)?.['buckets']);
  return buckets && Object.values(buckets).map((bucket) => toFields(bucket) ?? {});
}

/** Returns the events of a bucket with a valid time and duration. */
function readEvents(bucket: Fields): readonly { readonly event: AwayEvent; readonly data: Fields }[] {
  const { events } = bucket;
  if (!Array.isArray(events)) return [];
  return events.flatMap((event: unknown) => {
    const fields = toFields(event);
    const timestamp = readText(fields, 'timestamp');
    const at = parseInstant(timestamp);
    const duration = fields?.['duration'];
    if (at === undefined || typeof duration !== 'number' || !(duration >= 0)) return [];
    return [{ event: { timestamp, at, duration }, data: toFields(fields?.['data']) ?? {} }];
  });
}

const sortByStart = <Event extends AwayEvent>(events: readonly Event[]): readonly Event[] =>
  events.toSorted((a, b) => a.at - b.at);

/**
 * Reads the events of each computer; undefined if the file is not an ActivityWatch export. Tabs and editors count as
 * windows.
 */
export function parseExport(file: unknown): readonly ComputerExport[] | undefined {
  const buckets = readBuckets(file);
  if (!buckets) return undefined;
  const hosts = groupBy(buckets, (bucket) => readText(bucket, 'hostname') || 'unknown');
  return [...hosts]
    .map(([hostname, hostBuckets]): ComputerExport => {
      const listEvents = (type: string) =>
        hostBuckets.filter((bucket) => readText(bucket, 'type') === type).flatMap(readEvents);
      return {
        hostname: hostname.slice(0, 100),
        window: sortByStart(
          listEvents('currentwindow').flatMap(({ event, data }) => {
            const app = readText(data, 'app');
            return app === '' ? [] : [{ ...event, app: app.slice(0, MAX_NAME_LENGTH) }];
          }),
        ),
        away: sortByStart(
          listEvents('afkstatus').flatMap(({ event, data }) => (readText(data, 'status') === 'afk' ? [event] : [])),
        ),
      };
    })
    .filter(({ window }) => window.length > 0);
}

/** End of an event in milliseconds since the epoch. */
const getEnd = ({ at, duration }: AwayEvent): number => at + duration * 1000;

/**
 * Splits a computer's events into ordered chunks of at most `maxWindows` windows, each with the times away that overlap
 * it.
 */
export function splitIntoChunks(
  { hostname, window, away }: ComputerExport,
  maxWindows: number,
): readonly ExportChunk[] {
  const chunks: ExportChunk[] = [];
  // Windows are sorted, so times away before a chunk are never needed again.
  let first = 0;
  for (let index = 0; index < window.length; index += maxWindows) {
    const windowEvents = window.slice(index, index + maxWindows);
    const from = windowEvents[0]?.at ?? 0;
    const until = windowEvents.reduce((latest, event) => Math.max(latest, getEnd(event)), from);
    const isOver = (event: AwayEvent | undefined): boolean => event !== undefined && getEnd(event) <= from;
    while (isOver(away[first])) first += 1;
    const end = away.findIndex(({ at }, awayIndex) => awayIndex >= first && at >= until);
    const awayEvents = away.slice(first, end < 0 ? away.length : end).filter((event) => !isOver(event));
    chunks.push({ hostname, window: windowEvents, away: awayEvents });
  }
  return chunks;
}
