import * as z from 'zod/mini';
import { SECOND_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { parseInstant } from '../../usage/domain/usageReport.ts';
import type { Bucket, Buckets, Event, StoredEvent } from './buckets.ts';
import type { ApiResponse, ApiRequest } from './localApi.ts';

/** Max characters of a bucket name. */
const MAX_NAME_LENGTH = 200;
/** Max events of one request. */
const MAX_EVENTS_PER_REQUEST = 1000;
/** The ActivityWatch version whose API this implements. */
const API_VERSION = 'v0.13.2 (Pegboard)';

/** Longer events are faults of a clock. */
const MAX_DURATION_SECONDS = 1e9;

const nameSchema = z.pipe(
  z.nullish(z.string().check(z.maxLength(MAX_NAME_LENGTH))),
  z.transform((name) => name ?? 'unknown'),
);
const bucketSchema = z.object({ type: nameSchema, client: nameSchema, hostname: nameSchema });
const eventSchema = z.object({
  id: z.optional(z.nullable(z.int())),
  timestamp: z.string().check(z.maxLength(64)),
  duration: z.nullish(z.number().check(z.minimum(0), z.maximum(MAX_DURATION_SECONDS))),
  data: z.nullish(z.record(z.string(), z.unknown())),
});
const eventsSchema = z.union([eventSchema, z.array(eventSchema).check(z.maxLength(MAX_EVENTS_PER_REQUEST))]);

type SentEvent = Event & { readonly id: number | undefined };

export interface ApiHandlerDeps {
  readonly buckets: Buckets;
  readonly hostname: string;
  /** Called for each event, with the time for which it stays valid without another. */
  readonly onEvent: (bucket: string, event: Event, pulseMs: number) => void;
}

const formatInstant = (instant: number): string => new Date(instant).toISOString();

function parseBody<T>(schema: z.ZodMiniType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Refusal('screentime.aw_invalid_request', 'This is not a valid ActivityWatch request');
  return parsed.data;
}

/**
 * Parses a time to milliseconds since the epoch. Like ActivityWatch, it takes a time without a zone as UTC.
 * @throws Refusal
 */
function parseTime(text: string): number {
  // In an address, an unescaped plus is read as a space.
  const time = text.trim().replace(/ (\d\d:?\d\d)$/, '+$1');
  const instant = parseInstant(time) ?? parseInstant(`${time}Z`) ?? parseInstant(`${time}T00:00Z`);
  if (instant === undefined) throw new Refusal('screentime.aw_invalid_time', `'${text}' is not a valid time`);
  return instant;
}

const toSentEvent = ({ id, timestamp, duration, data }: z.output<typeof eventSchema>): SentEvent => ({
  id: id ?? undefined,
  timestamp: parseTime(timestamp),
  duration: (duration ?? 0) * SECOND_MS,
  data: data ?? {},
});

const toWireEvent = ({ id, timestamp, duration, data }: StoredEvent) => ({
  id,
  timestamp: formatInstant(timestamp),
  duration: duration / SECOND_MS,
  data,
});
const toWireBucket = (id: string, { created, lastUpdated, ...rest }: Bucket) => ({
  id,
  name: null,
  ...rest,
  created: formatInstant(created),
  last_updated: lastUpdated === undefined ? null : formatInstant(lastUpdated),
  data: {},
});

const toOk = (body: unknown): ApiResponse => ({ status: 200, body });
const NOT_FOUND: ApiResponse = { status: 404, body: { message: 'Not found' } };

/** Returns the events of a query: at most `limit`, between `start` and `end`. */
function selectEvents(events: readonly StoredEvent[], query: URLSearchParams): readonly StoredEvent[] {
  function getTime(name: string, fallback: number): number {
    const text = query.get(name) ?? '';
    return text === '' ? fallback : parseTime(text);
  }
  const start = getTime('start', Number.NEGATIVE_INFINITY);
  const end = getTime('end', Number.POSITIVE_INFINITY);
  const limit = Number(query.get('limit') || -1);
  const overlapping = events.filter(({ timestamp, duration }) => timestamp + duration >= start && timestamp <= end);
  return limit >= 0 ? overlapping.slice(0, limit) : overlapping;
}

/**
 * Creates a handler for the part of ActivityWatch's API that watchers and client libraries use. Pegboard itself answers
 * queries about usage.
 */
export function createApiHandler({ buckets, hostname, onEvent }: ApiHandlerDeps): (request: ApiRequest) => ApiResponse {
  function handleBucket(id: string, { method, body }: ApiRequest): ApiResponse {
    const existing = buckets.getAll().get(id);
    if (method === 'POST') return buckets.create(id, parseBody(bucketSchema, body ?? {})) ? toOk({}) : { status: 304 };
    if (method === 'PUT') return toOk({});
    if (!existing) return NOT_FOUND;
    if (method === 'DELETE') return toOk(buckets.remove(id) ? {} : undefined);
    return toOk(toWireBucket(id, existing));
  }
  function handleEvents(id: string, { method, query, body }: ApiRequest): ApiResponse {
    if (method !== 'POST')
      return buckets.getAll().has(id) ? toOk(selectEvents(buckets.listEvents(id), query).map(toWireEvent)) : NOT_FOUND;
    const events = [parseBody(eventsSchema, body)].flat().map(toSentEvent);
    buckets.saveEvents(id, events);
    for (const event of events) onEvent(id, event, 0);
    return toOk(null);
  }
  function handleEvent(id: string, eventId: string, { method, query }: ApiRequest): ApiResponse {
    if (eventId === 'count') return toOk(selectEvents(buckets.listEvents(id), query).length);
    const event = buckets.listEvents(id).find((storedEvent) => String(storedEvent.id) === eventId);
    if (!event) return NOT_FOUND;
    if (method !== 'DELETE') return toOk(toWireEvent(event));
    buckets.removeEvent(id, event.id);
    return toOk({ success: true });
  }
  function handleHeartbeat(id: string, { method, query, body }: ApiRequest): ApiResponse {
    if (method !== 'POST') return NOT_FOUND;
    const pulseMs = Number(query.get('pulsetime') ?? 0) * SECOND_MS;
    if (!(pulseMs >= 0)) throw new Refusal('screentime.aw_invalid_pulsetime', 'pulsetime must be a number of seconds');
    const event = toSentEvent(parseBody(eventSchema, body));
    onEvent(id, event, pulseMs);
    return toOk(toWireEvent(buckets.mergeHeartbeat(id, event, pulseMs)));
  }

  function handleBucketRequest(id: string, [part, eventId]: readonly string[], request: ApiRequest): ApiResponse {
    if (part === undefined) return handleBucket(id, request);
    if (part === 'heartbeat' && eventId === undefined) return handleHeartbeat(id, request);
    if (part !== 'events') return NOT_FOUND;
    return eventId === undefined ? handleEvents(id, request) : handleEvent(id, eventId, request);
  }
  const listBuckets = () =>
    Object.fromEntries([...buckets.getAll()].map(([id, bucket]) => [id, toWireBucket(id, bucket)]));

  return (request) => {
    const [resource, id, ...rest] = request.path;
    if (resource === 'info' && id === undefined)
      return toOk({ hostname, version: API_VERSION, testing: false, device_id: hostname });
    if (resource !== 'buckets' || rest.length > 2) return NOT_FOUND;
    if (id === undefined) return toOk(listBuckets());
    return id.length > MAX_NAME_LENGTH ? NOT_FOUND : handleBucketRequest(id, rest, request);
  };
}
