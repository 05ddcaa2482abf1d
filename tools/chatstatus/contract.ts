import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';

/** Maximum length of a code in a request. */
export const MAX_CODE_LENGTH = 100;

const status = z.enum(['online', 'idle', 'dnd', 'offline', 'unknown']);

/** `state`: 0 is both, 1 is pc, 2 is mobile. */
export const getstatusesdiscord = call({
  route: 'GET /api/getstatusesdiscord',
  summary: 'Returns the days of the person with this code.',
  access: 'anyone',
  rates: [{ times: 30, seconds: 60 }],
  request: z.object({
    code: z.string().check(z.maxLength(MAX_CODE_LENGTH)),
    state: z.enum(['0', '1', '2']),
    /** Addition to the specification: IANA zone in which days start; default UTC. */
    tz: z.optional(z.string().check(z.maxLength(64))),
  }),
  answer: z.object({
    /** Keyed by the start of the day, in seconds since the epoch. */
    statuses: z.record(
      z.string(),
      z.object({
        date: z.string(),
        endtime: z.number(),
        /** The first entry is carried over from the previous day. */
        statuses: z.array(z.object({ time: z.number(), status })),
        /** Addition to the specification: longest sleep that ends on this day, in seconds since the epoch. */
        slept: z.optional(z.object({ from: z.number(), until: z.number() })),
      }),
    ),
    colours: z.record(z.string(), z.string()),
  }),
});

/** Addition to the specification: whether a bot is connected, and what to do if it isn't. */
export const chatstate = call({
  route: 'GET /api/chatstate',
  summary: 'Returns whether presence is recorded on this server.',
  access: 'anyone',
  answer: z.object({ platforms: z.array(z.object({ name: z.string(), state: z.string(), isReady: z.boolean() })) }),
});
