import * as z from 'zod/mini';
import { call, fileAnswer } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { applicationName, date, deviceid, instant, place, status, title, wall } from './shared.ts';

// All of this is ours.

/** To every page of the account, at most every 10 s: there is new usage. */
export const usageChanged = serverEvent({ name: 'usagechanged', delivery: 'all', data: z.object({}) });

const period = { from: date, until: date, deviceid, wall, ...place };

export const usagedays = call({
  method: 'GET',
  path: '/api/usagedays',
  summary: 'Seconds of use of each day of a period, of all applications or one.',
  access: 'account',
  request: z.object({ ...period, applicationname: z.optional(z.string()) }),
  answer: z.object({ days: z.record(z.string(), z.number()) }),
});

export const usageperiod = call({
  method: 'GET',
  path: '/api/usageperiod',
  summary: 'What was used in a period, by application.',
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
const stretch = z.object({
  application: applicationName,
  status,
  from: instant,
  until: instant,
  /** What document or page, where its agent was told to keep titles. Only what is in focus has one. */
  title: z.optional(title),
});

export const usagestory = call({
  method: 'GET',
  path: '/api/usagestory',
  summary: 'Everything that was open, in focus and to be heard, stretch by stretch.',
  access: 'account',
  request: z.object({
    /** Milliseconds since the epoch; at most 8 days. */
    from: z.string().check(z.maxLength(20)),
    until: z.string().check(z.maxLength(20)),
    deviceid,
  }),
  answer: z.object({
    stretches: z.array(
      z.object({
        ...stretch.shape,
        device: id,
      }),
    ),
  }),
});

/** Both wholly or not at all; the way back is the same call with both exchanged. What is taken away loses its titles, what is put there brings its own. */
export const changeusage = call({
  method: 'POST',
  path: '/api/changeusage',
  summary: 'Corrects what a computer has recorded: takes stretches away, and puts others there.',
  access: 'account',
  bodyLimit: 1024 * 1024,
  request: z.object({
    device: id,
    remove: z.array(stretch).check(z.maxLength(1000)),
    add: z.array(stretch).check(z.maxLength(1000)),
  }),
  answer: z.object({}),
});

/** Of files that are JSON: refusals come as `application/json`. */
export const JSON_FILE = 'application/vnd.pegboard.usage+json';

export const exportusage = call({
  method: 'GET',
  path: '/api/exportusage',
  summary: 'The stretches of a period as CSV or JSON.',
  access: 'account',
  request: z.object({ ...period, format: z.enum(['csv', 'json']) }),
  answer: fileAnswer('text/csv', JSON_FILE),
});

/** Events of one of ActivityWatch's buckets, as its export has them. A page sends a large file in pieces, in order. */
export const importactivitywatch = call({
  method: 'POST',
  path: '/api/importactivitywatch',
  summary: 'Takes events of an ActivityWatch export in; what was taken in before stays as it is.',
  access: 'account',
  bodyLimit: 8 * 1024 * 1024,
  request: z.object({
    /** The computer it was recorded on, as ActivityWatch calls it; it becomes a device of the account, without a token. */
    hostname: z.string().check(z.maxLength(100)),
    window: z
      .array(z.object({ timestamp: z.string(), duration: z.number(), app: z.string() }))
      .check(z.maxLength(20_000)),
    away: z.array(z.object({ timestamp: z.string(), duration: z.number() })).check(z.maxLength(20_000)),
    /** As the answer to an earlier part of the same import said, so that all parts are undone together. */
    importid: z.optional(requestedId),
  }),
  answer: z.object({
    taken: z.int(),
    skipped: z.int(),
    /** Missing until a part has brought something new. */
    importid: z.optional(id),
  }),
});
