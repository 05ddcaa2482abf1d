import * as z from 'zod/mini';
import { call, fileAnswer } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { applicationName, date, deviceid, instant, zoneFields, status, title, wall } from './shared.ts';

// All of this is an addition to the specification.

/** There is new usage; sent to all pages of the account at most every 10 s. */
export const usageChanged = serverEvent({ name: 'usagechanged', delivery: 'all', data: z.object({}) });

const period = { from: date, until: date, deviceid, wall, ...zoneFields };

export const usagedays = call({
  route: 'GET /api/usagedays',
  summary: 'Returns seconds of use per day of a period, for all applications or one.',
  access: 'account',
  request: z.object({ ...period, applicationname: z.optional(z.string()) }),
  answer: z.object({ days: z.record(z.string(), z.number()) }),
});

export const usageperiod = call({
  route: 'GET /api/usageperiod',
  summary: 'Returns the use in a period by application.',
  access: 'account',
  request: z.object(period),
  answer: z.object({
    /** Seconds, as in the rows. */
    total: z.number(),
    applications: z.array(
      z.object({ name: z.string(), category: z.string(), seconds: z.number(), opened: z.int(), longest: z.number() }),
    ),
  }),
});

/** `from` and `until` in milliseconds since the epoch. */
const interval = z.object({
  application: applicationName,
  status,
  from: instant,
  until: instant,
  /** Title of the document or page, if the agent records titles. Only focused intervals have one. */
  title: z.optional(title),
});

export const usagestory = call({
  route: 'GET /api/usagestory',
  summary: 'Returns all intervals in which applications were open, in focus or audible.',
  access: 'account',
  request: z.object({
    /** Milliseconds since the epoch; the range is at most 8 days. */
    from: z.string().check(z.maxLength(20)),
    until: z.string().check(z.maxLength(20)),
    deviceid,
  }),
  answer: z.object({
    stretches: z.array(z.object({ ...interval.shape, device: id })),
  }),
});

/** Removes and adds intervals atomically; swapping both lists undoes it. Removed intervals lose their titles. */
export const changeusage = call({
  route: 'POST /api/changeusage',
  summary: 'Corrects the recorded intervals of a computer by removing and adding some.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({
    device: id,
    remove: z.array(interval).check(z.maxLength(1000)),
    add: z.array(interval).check(z.maxLength(1000)),
  }),
});

/** Media type of JSON exports, because refusals are sent as `application/json`. */
export const JSON_FILE = 'application/vnd.pegboard.usage+json';

export const exportusage = call({
  route: 'GET /api/exportusage',
  usesReserve: true,
  summary: 'Exports the intervals of a period as CSV or JSON.',
  access: 'account',
  request: z.object({ ...period, format: z.enum(['csv', 'json']) }),
  answer: fileAnswer('text/csv', JSON_FILE),
});

/** Imports events of an ActivityWatch bucket, as exported. A page sends a large file in chunks, in order. */
export const importactivitywatch = call({
  route: 'POST /api/importactivitywatch',
  summary: 'Imports events of an ActivityWatch export. Events that were imported before are skipped.',
  access: 'account',
  bodyLimit: 8 * 1024 * 1024,
  request: z.object({
    /** ActivityWatch's name of the computer. It becomes a device of the account, without a token. */
    hostname: z.string().check(z.maxLength(100)),
    window: z
      .array(z.object({ timestamp: z.string(), duration: z.number(), app: z.string() }))
      .check(z.maxLength(20_000)),
    away: z.array(z.object({ timestamp: z.string(), duration: z.number() })).check(z.maxLength(20_000)),
    /** Id from the answer to an earlier chunk of the same import, so that all chunks are undone together. */
    importid: z.optional(requestedId),
  }),
  answer: z.object({
    taken: z.int(),
    skipped: z.int(),
    /** Missing until a chunk has added usage. */
    importid: z.optional(id),
  }),
});
