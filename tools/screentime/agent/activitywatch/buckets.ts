import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';

/** More than any user runs. */
export const BUCKETS_LIMIT = 100;
/** Newest events per bucket that can be read back. The agent counts usage itself. */
export const MAX_STORED_EVENTS = 20;
/** Events with more characters of JSON are not stored. */
const DATA_LIMIT = 4000;

export interface Data {
  readonly [field: string]: unknown;
}
/** Times are in milliseconds since the epoch. */
export interface Event {
  readonly timestamp: number;
  readonly duration: number;
  readonly data: Data;
}
export interface KnownEvent extends Event {
  readonly id: number;
}
export interface BucketDescription {
  readonly type: string;
  readonly client: string;
  readonly hostname: string;
}
export interface Bucket extends BucketDescription {
  readonly created: number;
  readonly lastUpdated: number | undefined;
}

/** Events of watchers, in memory only, so that watchers can read them back. */
export interface Buckets {
  readonly getAll: () => ReadonlyMap<string, Bucket>;
  /**
   * Creates a bucket. Returns false if it exists.
   * @throws Refusal if there are too many.
   */
  readonly create: (id: string, about: BucketDescription) => boolean;
  readonly remove: (id: string) => boolean;
  /** Newest first. */
  readonly listEvents: (id: string) => readonly KnownEvent[];
  /** Adds events. An event with an id replaces the one with that id. */
  readonly put: (id: string, events: readonly (Event & { readonly id?: number | undefined })[]) => void;
  /** Extends the last event if this one has the same data and follows within `pulseMs`, or else adds it. */
  readonly mergeHeartbeat: (id: string, event: Event, pulseMs: number) => KnownEvent;
  readonly removeEvent: (id: string, event: number) => void;
}

interface StoredBucket {
  readonly bucket: Bucket;
  /** Sorted by time. */
  readonly events: readonly KnownEvent[];
}

const UNKNOWN: BucketDescription = { type: 'unknown', client: 'unknown', hostname: 'unknown' };

const limitSize = (data: Data): Data => (JSON.stringify(data).length <= DATA_LIMIT ? data : {});
const getLast = (events: readonly KnownEvent[]): KnownEvent | undefined => events.at(-1);

export function createBuckets(now: () => number): Buckets {
  const buckets = new Map<string, StoredBucket>();
  let lastId = 0;

  const create = (id: string, about: BucketDescription): StoredBucket => {
    if (buckets.size >= BUCKETS_LIMIT)
      throw new Refusal(
        'screentime.aw_too_many_buckets',
        `The maximum of ${BUCKETS_LIMIT} buckets is reached. Delete one first`,
      );
    const stored = { bucket: { ...about, created: now(), lastUpdated: undefined }, events: [] };
    buckets.set(id, stored);
    return stored;
  };
  /** A watcher that started before this agent does not create its bucket again. */
  const getOrCreate = (id: string): StoredBucket => buckets.get(id) ?? create(id, UNKNOWN);
  const replaceEvents = (id: string, { bucket }: StoredBucket, events: readonly KnownEvent[]): void => {
    const sorted = events.toSorted((one, other) => one.timestamp - other.timestamp).slice(-MAX_STORED_EVENTS);
    buckets.set(id, { bucket: { ...bucket, lastUpdated: now() }, events: sorted });
  };

  return {
    getAll: () => new Map([...buckets].map(([id, { bucket }]) => [id, bucket])),
    create: (id, about) => {
      if (buckets.has(id)) return false;
      create(id, about);
      return true;
    },
    remove: (id) => buckets.delete(id),
    listEvents: (id) => buckets.get(id)?.events.toReversed() ?? [],
    put: (id, events) => {
      const stored = getOrCreate(id);
      const numbered = events.map((event) => ({ ...event, id: event.id ?? ++lastId, data: limitSize(event.data) }));
      const replaced = new Set(numbered.map((event) => event.id));
      replaceEvents(id, stored, [...stored.events.filter((event) => !replaced.has(event.id)), ...numbered]);
    },
    mergeHeartbeat: (id, { timestamp, duration, data: fullData }, pulseMs) => {
      const stored = getOrCreate(id);
      const data = limitSize(fullData);
      const last = getLast(stored.events);
      const end = last ? last.timestamp + last.duration : 0;
      const isOngoing =
        last && timestamp >= last.timestamp && timestamp <= end + pulseMs && isDeepStrictEqual(last.data, data);
      const event = isOngoing
        ? { ...last, duration: Math.max(end, timestamp + duration) - last.timestamp }
        : { id: ++lastId, timestamp, duration, data };
      replaceEvents(id, stored, [...stored.events.filter((one) => one.id !== event.id), event]);
      return event;
    },
    removeEvent: (id, event) => {
      const stored = buckets.get(id);
      if (stored)
        replaceEvents(
          id,
          stored,
          stored.events.filter((one) => one.id !== event),
        );
    },
  };
}
