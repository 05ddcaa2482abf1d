import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { requestedId, id } from '#platform/contract/fields.ts';
import { instant } from './shared.ts';

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
