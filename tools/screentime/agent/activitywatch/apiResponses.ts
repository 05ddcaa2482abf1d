import * as z from 'zod/mini';
import { SECOND_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Bucket, Buckets, Event, KnownEvent } from './buckets.ts';
import type { ApiResponse, ApiRequest } from './localApi.ts';

/** Max characters of a bucket name. */
const NAME_LIMIT = 200;
/** Max events of one request. */
const EVENTS_LIMIT = 1000;
/** The ActivityWatch version whose API this implements. */
const VERSION = 'v0.13.2 (Pegboard)';

const word = z._default(z.string().check(z.maxLength(NAME_LIMIT)), 'unknown');
const about = z.object({ type: word, client: word, hostname: word });
const event = z.object({
  id: z.optional(z.nullable(z.int())),
  timestamp: z.string().check(z.maxLength(64)),
  duration: z.optional(z.number().check(z.minimum(0))),
  data: z.record(z.string(), z.unknown()),
});
const oneOrMore = z.union([event, z.array(event).check(z.maxLength(EVENTS_LIMIT))]);

type SentEvent = Event & { readonly id: number | undefined };

export interface AnswerOptions {
  readonly buckets: Buckets;
  readonly hostname: string;
  /** Called for each event, with the time for which it stays valid without another. */
  readonly onEvent: (bucket: string, event: Event, pulseMs: number) => void;
}

const iso = (instant: number): string => new Date(instant).toISOString();

const parse = <T>(shape: z.ZodMiniType<T>, body: unknown): T => {
  const parsed = shape.safeParse(body);
  if (!parsed.success) throw new Refusal('screentime.aw_invalid_request', 'This is not a valid ActivityWatch request');
  return parsed.data;
};
const readEvent = ({ id, timestamp, duration = 0, data }: z.output<typeof event>): SentEvent => {
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) throw new Refusal('screentime.aw_invalid_time', `'${timestamp}' is not a valid time`);
  return { id: id ?? undefined, timestamp: at, duration: duration * SECOND_MS, data };
};

const wireEvent = ({ id, timestamp, duration, data }: KnownEvent) => ({
  id,
  timestamp: iso(timestamp),
  duration: duration / SECOND_MS,
  data,
});
const wireBucket = (id: string, { created, lastUpdated, ...rest }: Bucket) => ({
  id,
  name: null,
  ...rest,
  created: iso(created),
  last_updated: lastUpdated === undefined ? null : iso(lastUpdated),
  data: {},
});

const toOk = (body: unknown): ApiResponse => ({ status: 200, body });
const MISSING: ApiResponse = { status: 404, body: { message: 'Not found' } };

/** Returns the events of a query: at most `limit`, between `start` and `end`. */
const selectEvents = (events: readonly KnownEvent[], query: URLSearchParams): readonly KnownEvent[] => {
  const instant = (name: string, otherwise: number): number => Date.parse(query.get(name) ?? '') || otherwise;
  const start = instant('start', Number.NEGATIVE_INFINITY);
  const end = instant('end', Number.POSITIVE_INFINITY);
  const limit = Number(query.get('limit') ?? -1);
  const inside = events.filter(({ timestamp, duration }) => timestamp + duration >= start && timestamp <= end);
  return limit >= 0 ? inside.slice(0, limit) : inside;
};

/**
 * Creates a handler for the part of ActivityWatch's API that watchers and client libraries use. Pegboard itself answers
 * queries about usage.
 */
export function createAnswers({ buckets, hostname, onEvent }: AnswerOptions): (request: ApiRequest) => ApiResponse {
  const bucket = (id: string, { method, body }: ApiRequest): ApiResponse => {
    const existing = buckets.getAll().get(id);
    if (method === 'POST') return buckets.create(id, parse(about, body ?? {})) ? toOk({}) : { status: 304 };
    if (method === 'PUT') return toOk({});
    if (!existing) return MISSING;
    if (method === 'DELETE') return toOk(buckets.remove(id) ? {} : undefined);
    return toOk(wireBucket(id, existing));
  };
  const events = (id: string, { method, query, body }: ApiRequest): ApiResponse => {
    if (method !== 'POST')
      return buckets.getAll().has(id) ? toOk(selectEvents(buckets.listEvents(id), query).map(wireEvent)) : MISSING;
    const sent = [parse(oneOrMore, body)].flat().map(readEvent);
    buckets.put(id, sent);
    for (const one of sent) onEvent(id, one, 0);
    return toOk(null);
  };
  const oneEvent = (id: string, which: string, { method, query }: ApiRequest): ApiResponse => {
    if (which === 'count') return toOk(selectEvents(buckets.listEvents(id), query).length);
    const match = buckets.listEvents(id).find((one) => String(one.id) === which);
    if (!match) return MISSING;
    if (method !== 'DELETE') return toOk(wireEvent(match));
    buckets.removeEvent(id, match.id);
    return toOk({ success: true });
  };
  const heartbeat = (id: string, { method, query, body }: ApiRequest): ApiResponse => {
    if (method !== 'POST') return MISSING;
    const pulseMs = Number(query.get('pulsetime') ?? 0) * SECOND_MS;
    if (!(pulseMs >= 0)) throw new Refusal('screentime.aw_invalid_pulsetime', 'pulsetime must be a number of seconds');
    const sent = readEvent(parse(event, body));
    onEvent(id, sent, pulseMs);
    return toOk(wireEvent(buckets.mergeHeartbeat(id, sent, pulseMs)));
  };

  const handleBucketRequest = (id: string, [part, which]: readonly string[], request: ApiRequest): ApiResponse => {
    if (part === undefined) return bucket(id, request);
    if (part === 'heartbeat' && which === undefined) return heartbeat(id, request);
    if (part !== 'events') return MISSING;
    return which === undefined ? events(id, request) : oneEvent(id, which, request);
  };
  const listBuckets = () => Object.fromEntries([...buckets.getAll()].map(([id, one]) => [id, wireBucket(id, one)]));

  return (request) => {
    const [resource, id, ...rest] = request.path;
    if (resource === 'info' && id === undefined)
      return toOk({ hostname, version: VERSION, testing: false, device_id: hostname });
    if (resource !== 'buckets' || rest.length > 2) return MISSING;
    if (id === undefined) return toOk(listBuckets());
    return id.length > NAME_LIMIT ? MISSING : handleBucketRequest(id, rest, request);
  };
}
