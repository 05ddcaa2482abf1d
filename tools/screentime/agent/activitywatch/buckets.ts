import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';

export const MAX_BUCKETS = 100;
/** Newest events per bucket that can be read back. The agent counts usage itself. */
export const MAX_STORED_EVENTS = 20;
/** Events with more characters of JSON are not stored. */
const MAX_DATA_LENGTH = 4000;

export interface EventData {
  readonly [field: string]: unknown;
}
/** Times are in milliseconds since the epoch. */
export interface Event {
  readonly timestamp: number;
  readonly duration: number;
  readonly data: EventData;
}
export interface StoredEvent extends Event {
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
  readonly create: (id: string, description: BucketDescription) => boolean;
  readonly remove: (id: string) => boolean;
  /** Newest first. */
  readonly listEvents: (id: string) => readonly StoredEvent[];
  /** Adds events. An event with an id replaces the one with that id. */
  readonly saveEvents: (id: string, events: readonly (Event & { readonly id?: number | undefined })[]) => void;
  /** Extends the last event if this one has the same data and follows within `pulseMs`, or else adds it. */
  readonly mergeHeartbeat: (id: string, event: Event, pulseMs: number) => StoredEvent;
  readonly removeEvent: (id: string, eventId: number) => void;
}

interface StoredBucket {
  readonly bucket: Bucket;
  /** Sorted by time. */
  readonly events: readonly StoredEvent[];
}

const UNKNOWN_BUCKET: BucketDescription = { type: 'unknown', client: 'unknown', hostname: 'unknown' };

const limitSize = (data: EventData): EventData => (JSON.stringify(data).length <= MAX_DATA_LENGTH ? data : {});

export function createBuckets(now: () => number): Buckets {
  const buckets = new Map<string, StoredBucket>();
  let lastId = 0;

  function addBucket(id: string, description: BucketDescription): StoredBucket {
    if (buckets.size >= MAX_BUCKETS)
      throw new Refusal(
        'screentime.aw_too_many_buckets',
        `The maximum of ${MAX_BUCKETS} buckets is reached. Delete one first`,
      );
    const storedBucket = { bucket: { ...description, created: now(), lastUpdated: undefined }, events: [] };
    buckets.set(id, storedBucket);
    return storedBucket;
  }
  /** A watcher that started before this agent does not create its bucket again. */
  const getOrCreate = (id: string): StoredBucket => buckets.get(id) ?? addBucket(id, UNKNOWN_BUCKET);
  function replaceEvents(id: string, { bucket }: StoredBucket, events: readonly StoredEvent[]): void {
    const sorted = events.toSorted((a, b) => a.timestamp - b.timestamp).slice(-MAX_STORED_EVENTS);
    buckets.set(id, { bucket: { ...bucket, lastUpdated: now() }, events: sorted });
  }

  return {
    getAll: () => new Map([...buckets].map(([id, { bucket }]) => [id, bucket])),
    create: (id, description) => {
      if (buckets.has(id)) return false;
      addBucket(id, description);
      return true;
    },
    remove: (id) => buckets.delete(id),
    listEvents: (id) => buckets.get(id)?.events.toReversed() ?? [],
    saveEvents: (id, events) => {
      const storedBucket = getOrCreate(id);
      const eventById = new Map(storedBucket.events.map((event) => [event.id, event]));
      for (const event of events) {
        const eventId = event.id ?? ++lastId;
        eventById.set(eventId, { ...event, id: eventId, data: limitSize(event.data) });
      }
      replaceEvents(id, storedBucket, [...eventById.values()]);
    },
    mergeHeartbeat: (id, { timestamp, duration, data: fullData }, pulseMs) => {
      const storedBucket = getOrCreate(id);
      const data = limitSize(fullData);
      const last = storedBucket.events.at(-1);
      const end = last ? last.timestamp + last.duration : 0;
      const isOngoing =
        last && timestamp >= last.timestamp && timestamp <= end + pulseMs && isDeepStrictEqual(last.data, data);
      const event = isOngoing
        ? { ...last, duration: Math.max(end, timestamp + duration) - last.timestamp }
        : { id: ++lastId, timestamp, duration, data };
      replaceEvents(id, storedBucket, [
        ...storedBucket.events.filter(({ id: storedId }) => storedId !== event.id),
        event,
      ]);
      return event;
    },
    removeEvent: (id, eventId) => {
      const storedBucket = buckets.get(id);
      if (storedBucket)
        replaceEvents(
          id,
          storedBucket,
          storedBucket.events.filter((event) => event.id !== eventId),
        );
    },
  };
}
