import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { command } from '#platform/contract/command.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { MAX_CATEGORIES, MAX_CATEGORY_LENGTH, MAX_HOTKEY_LENGTH, MAX_SEGMENTS_PER_REPORT } from './limits.ts';
import { applicationName, instant, status, title } from './shared.ts';

// All of this is an addition to the specification.

const usageComputer = z.object({
  id,
  name: z.string(),
  /** `imported`: never had an agent. `removed`: was paired once, and still has screen time. */
  origin: z.enum(['paired', 'imported', 'removed']),
  /** All focused time. */
  seconds: z.number(),
  /** Milliseconds since the epoch; missing if nothing was ever focused. */
  first: z.optional(instant),
  last: z.optional(instant),
});

const usageImport = z.object({
  id,
  /** The computer with this usage. */
  device: id,
  /** Import time in milliseconds since the epoch; 0 for imports by an earlier version. */
  created: instant,
  /** Focused time. */
  seconds: z.number(),
  /** ISO dates in UTC. */
  first: z.string(),
  last: z.string(),
});

export const usagecomputers = call({
  route: 'GET /api/usagecomputers',
  summary:
    'Returns all computers with screen time, including imported and removed ones, and the imports that can be undone.',
  access: 'account',
  answer: z.object({ computers: z.array(usageComputer), imports: z.array(usageImport) }),
});

export const deletecomputerusage = call({
  route: 'POST /api/deletecomputerusage',
  usesReserve: true,
  summary: 'Deletes all screen time of a computer. A paired computer stays paired.',
  access: 'account',
  request: z.object({ id: requestedId }),
});

/**
 * Merges computers. If both have focus at the same time, `into` wins. Goals and later imports of `from` move to `into`.
 */
export const mergecomputers = call({
  route: 'POST /api/mergecomputers',
  summary: 'Merges the screen time of an imported or removed computer into another one.',
  access: 'account',
  request: z.object({ from: requestedId, into: requestedId }),
  answer: z.object({
    /** Focused seconds that `into` received, and seconds dropped because it had something else in focus. */
    moved: z.number(),
    overlapping: z.number(),
  }),
});

export const undoimport = call({
  route: 'POST /api/undoimport',
  usesReserve: true,
  summary: 'Undoes an import. A computer without other screen time is removed too.',
  access: 'account',
  request: z.object({ id: requestedId }),
});

/** `from` and `until` are in milliseconds since the epoch, by the device's clock corrected by the server's. */
const segment = z.object({ app: applicationName, status, from: instant, until: instant, title: z.optional(title) });

/**
 * Uploads segments, numbered in order within a boot of the agent. Repeated segments count once; a gap is answered with
 * `awaited` and nothing is accepted, unless `dropped` says that it is final.
 */
export const reportusage = call({
  route: 'POST /api/reportusage',
  summary: 'Stores the usage that a computer reports.',
  access: 'device',
  bodyLimit: 1024 * 1024,
  request: z.object({
    boot: z.string().check(z.regex(/^[\w-]{8,64}$/)),
    /** Number of the first segment. */
    seq: z.int().check(z.minimum(1)),
    /** Whether the numbers from the awaited one up to `seq` are lost. */
    dropped: z.optional(z.boolean()),
    /** The last accepted segment can be sent again with a later end, which extends it. */
    segments: z.array(segment).check(z.maxLength(MAX_SEGMENTS_PER_REPORT)),
  }),
  answer: z.object({
    /** Last accepted number of this boot. */
    taken: z.int(),
    /** Only if the batch was rejected because of a gap: the number that must come first. */
    awaited: z.optional(z.int()),
    /** Invalid segments (in the future, longer than a day, or reversed); they count as accepted. */
    refused: z.optional(z.int()),
  }),
});

/** Open applications of a computer; sent on every connection and when they change. */
export const runningReport = clientEvent({
  name: 'screentime/running',
  access: 'device',
  data: z.object({ applications: z.array(applicationName).check(z.maxLength(500)) }),
});

const category = z.object({
  name: z.string().check(z.maxLength(2 * MAX_CATEGORY_LENGTH)),
  up: z.string().check(z.maxLength(2 * MAX_HOTKEY_LENGTH)),
  down: z.string().check(z.maxLength(2 * MAX_HOTKEY_LENGTH)),
  mute: z.string().check(z.maxLength(2 * MAX_HOTKEY_LENGTH)),
  applications: z.array(applicationName),
});
/** Categories with a hotkey, which can include `unassigned`. */
const hotkeys = z.object({ categories: z.array(category) });

/** A computer requests its hotkeys on every connection. */
export const hotkeysRequest = clientEvent({
  name: 'screentime/askhotkeys',
  access: 'device',
  data: z.object({}),
  answer: hotkeys,
});

/** The hotkeys have changed. Delivered however late, because they are valid until they are replaced. */
export const hotkeysChanged = serverEvent({
  name: 'screentime/hotkeys',
  delivery: 'newest',
  data: hotkeys,
  merge: (_older, newer) => newer,
});

/** All hotkeys that a computer could not register. */
export const hotkeyRefusals = clientEvent({
  name: 'screentime/hotkeyrefusals',
  access: 'device',
  data: z.object({
    refused: z
      .array(
        z.object({
          category: z.string().check(z.maxLength(2 * MAX_CATEGORY_LENGTH)),
          action: z.enum(['up', 'down', 'mute']),
          reason: z.string().check(z.maxLength(300)),
        }),
      )
      .check(z.maxLength(3 * (MAX_CATEGORIES + 1))),
  }),
});

/** Shows on the computer's desktop that a limit is near or exceeded. */
export const limitNotice = command({
  name: 'screentime/limit',
  request: z.object({ title: z.string().check(z.maxLength(200)), text: z.string().check(z.maxLength(1000)) }),
});
