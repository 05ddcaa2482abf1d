import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { date, deviceid, zoneFields, rgb, wall } from './shared.ts';

/** Days, newest first: the last 14, and earlier ones with data. `weekdaycolours` are CSS colours. */
const dayOrder = z.object({
  order: z.array(z.string()),
  weekdays: z.record(z.string(), z.string()),
  weekdaycolours: z.record(z.string(), z.string()),
});

/** Data of the old page: all usage in seconds by day and application, and the applications of each type (category). */
export const getsoundinfo = call({
  route: 'GET /api/getsoundinfo',
  summary: 'Returns seconds of use by day and application, for all years.',
  access: 'account',
  request: z.object({ ...zoneFields }),
  answer: z.object({
    data: z.object({
      soundata: z.record(z.string(), z.record(z.string(), z.number())),
      types: z.record(z.string(), z.array(z.string())),
    }),
  }),
});

export const returnapplications = call({
  route: 'GET /api/returnapplications',
  summary: 'Returns the used applications by category, and those that are open now.',
  access: 'account',
  request: z.object({ ...zoneFields, deviceid }),
  answer: z.object({
    /** Open on a connected computer now. */
    runningapps: z.array(z.string()),
    /** `2w`: focused or audible in the last 14 days. */
    data: z.record(z.string(), z.array(z.object({ name: z.string(), '2w': z.boolean() }))),
    order: dayOrder,
    flat: z.array(z.object({ name: z.string(), colouron: rgb, colouroff: rgb })),
  }),
});

/** Part of a timeline that starts at `timestamp`, in percent of the day's real length. */
const segment = z.object({ status: z.enum(['on', 'off', 's', 'r', 'none']), timestamp: z.number() });

const application = z.object({
  /** Keyed by `colouron`, `colouroff`, and each status. */
  metadata: z.object({ colours: z.record(z.string(), rgb) }),
  stats: z.object({
    enabled: z.boolean(),
    lasttwoweekshours: z.number(),
    prettylasttwoweeks: z.string(),
    avgtwoweeks: z.string(),
    /** Last 14 days compared with the 14 days before, in percent; negative if less. */
    percentchange: z.number(),
    /** Text after the number, such as 'less than before'; the whole text if the number is 0. */
    percentchangetext: z.string(),
    /** 'Today, 14:12', 'Yesterday, 09:58', 'Thursday, 22:41', '3 November, 08:05', 'Never'. */
    lastused: z.string(),
    prettytotaltime: z.string(),
    percenttimeusedtotal: z.number(),
    percenttimeusedlasttwoweeks: z.number(),
    densityinfo: z.object({
      enabled: z.boolean(),
      /** For each hour, the percentage of the last 14 days in which the application was focused. */
      density: z.array(z.number()),
      divisionnames: z.array(z.string()),
    }),
    /** Addition to the specification; last 14 days. */
    timesopened: z.int(),
    /** Addition to the specification: longest interval of the last 14 days, in seconds. */
    longeststretch: z.number(),
  }),
  /**
   * `playtime` has the focused seconds by day; each day has its segments, for the last 14 days or the requested ones.
   */
  datespecific: z.record(z.string(), z.union([z.array(segment), z.record(z.string(), z.number())])),
});

export const returnspecificapplication = call({
  route: 'GET /api/returnspecificapplication',
  summary: 'Returns statistics and timelines of an application. `total` means all together.',
  access: 'account',
  request: z.object({
    applicationname: z.string(),
    ...zoneFields,
    deviceid,
    order: z.optional(z.string().check(z.maxLength(5))),
    wall,
    /** Addition to the specification: returns segments of these days, at most 62, instead of the last 14. */
    from: z.optional(date),
    until: z.optional(date),
  }),
  answer: z.object({ data: z.record(z.string(), application), order: z.optional(dayOrder) }),
});
