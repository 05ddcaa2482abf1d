import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';

const status = z.enum(['online', 'idle', 'dnd', 'offline', 'unknown']);

/** `state`: 0 both, 1 pc, 2 mobile. */
export const getstatusesdiscord = call({
  method: 'GET',
  path: '/api/getstatusesdiscord',
  summary: 'The days of whoever was given this code.',
  access: 'anyone',
  rates: [{ times: 30, seconds: 60 }],
  request: z.object({
    code: z.string().check(z.maxLength(100)),
    state: z.enum(['0', '1', '2']),
    /** Ours, IANA: where days begin; UTC without it. */
    tz: z.optional(z.string().check(z.maxLength(64))),
  }),
  answer: z.object({
    /** By the day's start, in seconds since the epoch. */
    statuses: z.record(
      z.string(),
      z.object({
        date: z.string(),
        endtime: z.number(),
        /** The first is carried over from the day before. */
        statuses: z.array(z.object({ time: z.number(), status })),
        /** Ours: the longest gap that looks like sleep, ending on this day, in seconds since the epoch. */
        slept: z.optional(z.object({ from: z.number(), until: z.number() })),
      }),
    ),
    colours: z.record(z.string(), z.string()),
  }),
});

/** Ours: whether a bot listens here, and if not what to do about it. */
export const chatstate = call({
  method: 'GET',
  path: '/api/chatstate',
  summary: 'Whether presence is recorded here.',
  access: 'anyone',
  request: z.object({}),
  answer: z.object({ platforms: z.array(z.object({ name: z.string(), state: z.string(), isReady: z.boolean() })) }),
});
