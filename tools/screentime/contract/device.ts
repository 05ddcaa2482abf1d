import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { command } from '#platform/contract/command.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { CATEGORIES_LIMIT, CATEGORY_LIMIT, KEY_LIMIT, REPORT_SEGMENTS } from './limits.ts';
import { applicationName, instant, status, title } from './shared.ts';

// All of this is ours.

const usageComputer = z.object({
  id,
  name: z.string(),
  /** `imported`: no agent ever ran on it. `removed`: it was paired once, and its screen time is still here. */
  origin: z.enum(['paired', 'imported', 'removed']),
  /** Of all time, in focus. */
  seconds: z.number(),
  /** Milliseconds since the epoch; missing where nothing was ever in focus. */
  first: z.optional(instant),
  last: z.optional(instant),
});

const usageImport = z.object({
  id,
  /** The computer that has it. */
  device: id,
  /** When it was imported, in milliseconds since the epoch; 0 where an earlier version did it. */
  created: instant,
  /** In focus. */
  seconds: z.number(),
  /** ISO days of UTC. */
  first: z.string(),
  last: z.string(),
});

export const usagecomputers = call({
  method: 'GET',
  path: '/api/usagecomputers',
  summary: 'Every computer with screen time, also imported and removed ones, and the imports that can be undone.',
  access: 'account',
  request: z.object({}),
  answer: z.object({ computers: z.array(usageComputer), imports: z.array(usageImport) }),
});

export const deletecomputerusage = call({
  method: 'POST',
  path: '/api/deletecomputerusage',
  summary: 'Deletes all screen time of a computer; one that is paired stays paired.',
  access: 'account',
  request: z.object({ id: requestedId }),
  answer: z.object({}),
});

/** Where both have something in focus at the same time, the time of `into` stays. Goals and later imports of `from` go to `into`. */
export const mergecomputers = call({
  method: 'POST',
  path: '/api/mergecomputers',
  summary: 'Gives all screen time of an imported or removed computer to another one.',
  access: 'account',
  request: z.object({ from: requestedId, into: requestedId }),
  answer: z.object({
    /** In focus: seconds that `into` got, and seconds left out because it had something else in focus. */
    moved: z.number(),
    overlapping: z.number(),
  }),
});

export const undoimport = call({
  method: 'POST',
  path: '/api/undoimport',
  summary: 'Takes away what an import added; a computer that has nothing else goes with it.',
  access: 'account',
  request: z.object({ id: requestedId }),
  answer: z.object({}),
});

/** `from` and `until` in milliseconds since the epoch, by the device's clock put right by the server's. */
const segment = z.object({
  app: applicationName,
  status,
  from: instant,
  until: instant,
  title: z.optional(title),
});

/**
 * Segments are numbered one by one within a boot of the agent; `seq` is the first one's number. What was taken counts once, however often
 * it is sent; the last one taken, sent again with a later end, is lengthened. Numbers from the awaited one up to `seq` are missing for good
 * where `dropped` says so; otherwise a gap is answered with `awaited`, and nothing is taken.
 */
export const reportusage = call({
  method: 'POST',
  path: '/api/reportusage',
  summary: 'A computer hands in what was used on it.',
  access: 'device',
  bodyLimit: 1024 * 1024,
  request: z.object({
    boot: z.string().check(z.regex(/^[\w-]{8,64}$/)),
    seq: z.int().check(z.minimum(1)),
    dropped: z.optional(z.boolean()),
    segments: z.array(segment).check(z.maxLength(REPORT_SEGMENTS)),
  }),
  answer: z.object({
    /** The last number taken, of this boot. */
    taken: z.int(),
    /** There only where the batch was not taken: it begins behind this number. */
    awaited: z.optional(z.int()),
    /** How many were no good (from the future, longer than a day, backwards); they count as taken. */
    refused: z.optional(z.int()),
  }),
});

/** The applications that are open on a computer now; said on every connection and when they change. */
export const runningReport = clientEvent({
  name: 'screentime/running',
  access: 'device',
  data: z.object({ applications: z.array(applicationName).check(z.maxLength(500)) }),
  answer: z.object({}),
});

const category = z.object({
  name: z.string().check(z.maxLength(2 * CATEGORY_LIMIT)),
  up: z.string().check(z.maxLength(2 * KEY_LIMIT)),
  down: z.string().check(z.maxLength(2 * KEY_LIMIT)),
  mute: z.string().check(z.maxLength(2 * KEY_LIMIT)),
  applications: z.array(applicationName),
});
/** Categories that have a hotkey, `unassigned` among them. */
const hotkeys = z.object({ categories: z.array(category) });

/** A computer asks for the hotkeys that it shall listen for, on every connection. */
export const askHotkeys = clientEvent({
  name: 'screentime/askhotkeys',
  access: 'device',
  data: z.object({}),
  answer: hotkeys,
});

/** They have changed. They hold until they are replaced, so that a computer takes them however late they come. */
export const hotkeysChanged = serverEvent({
  name: 'screentime/hotkeys',
  delivery: 'newest',
  data: hotkeys,
  merge: (_older, newer) => newer,
});

/** The hotkeys that a computer could not take: all of them, each time. */
export const hotkeyRefusals = clientEvent({
  name: 'screentime/hotkeyrefusals',
  access: 'device',
  data: z.object({
    refused: z
      .array(
        z.object({
          category: z.string().check(z.maxLength(2 * CATEGORY_LIMIT)),
          action: z.enum(['up', 'down', 'mute']),
          reason: z.string().check(z.maxLength(300)),
        }),
      )
      .check(z.maxLength(3 * (CATEGORIES_LIMIT + 1))),
  }),
  answer: z.object({}),
});

/** A limit is nearly reached, or passed: shown on the computer's desktop. */
export const limitNotice = command({
  name: 'screentime/limit',
  request: z.object({ title: z.string().check(z.maxLength(200)), text: z.string().check(z.maxLength(1000)) }),
  answer: z.object({}),
});
