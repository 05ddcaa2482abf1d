import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { target } from '#platform/contract/fields.ts';

/** At most so many sessions, and so many outputs, of one computer. */
export const MAX_LEVELS = 200;
/** One report names at most so many of each group, so that it stays far below a packet's 64 KiB. */
export const MAX_REPORTED_LEVELS = 40;

/** Whole, 0 to 100. */
const level = z.int().check(z.minimum(0), z.maximum(100));
const levels = { level, muted: z.boolean() };
const colour = z.string().check(z.maxLength(40));
const name = z.string().check(z.minLength(1), z.maxLength(200));
const shown = z.object({
  ...levels,
  colour,
  /** Ours: the output that the master volume controls. */
  device: z.optional(name),
});

const atMost = (most: number) =>
  z.refine<Record<string, unknown>>((given) => Object.keys(given).length <= most, `more than ${most}`);

/** Audio sessions, or outputs, by name. */
export const audioLevels = z.record(name, shown);

/** Asked every 5 s (specification 1, section 7). */
export const mixerargs = call({
  method: 'POST',
  path: '/api/mixerargs',
  summary: 'The audio sessions and outputs of a computer.',
  access: 'account',
  request: z.object({ type: z.literal('client'), target: z.optional(target) }),
  answer: z.object({
    data: audioLevels,
    /** Output devices, ours: they are no sessions. */
    outputs: audioLevels,
    /** The computer that was chosen. */
    target: z.string(),
  }),
});

const setting = z.record(name, z.object(levels)).check(atMost(MAX_LEVELS));

/** Sets levels; sent while a slider is moved, at most once a frame. `outputs` is ours. */
export const audioset = clientEvent({
  name: '/api/audioset',
  access: 'account',
  data: z.object({ audio: setting, outputs: z.optional(setting), target: z.optional(target) }),
  answer: z.object({}),
});

const changed = z.record(
  z.string(),
  z.object({ ...levels, colour: z.optional(z.string()), device: z.optional(z.string()) }),
);
type LevelChanges = z.output<typeof changed>;

/** The newer level of each; a colour, said once, stays. */
const later = (older: LevelChanges, newer: LevelChanges, gone: readonly string[]): LevelChanges => {
  const both = new Map(Object.entries(older).filter(([one]) => !gone.includes(one)));
  for (const [one, to] of Object.entries(newer)) both.set(one, { ...both.get(one), ...to });
  return Object.fromEntries(both);
};
const stillGone = (older: readonly string[], newer: readonly string[], there: LevelChanges): string[] => [
  ...new Set([...older.filter((one) => !Object.hasOwn(there, one)), ...newer]),
];

/**
 * To all pages of the account: levels of a computer changed, whoever changed them. Only what changed is in it; what is new carries its
 * colour. Behind it, ours, stands which computer, the outputs that changed, and the names of what is gone.
 */
export const setvolumefront = serverEvent({
  name: 'setvolumefront',
  delivery: 'newest',
  data: changed,
  about: z.object({
    target,
    outputs: changed,
    gone: z.object({ sessions: z.array(z.string()), outputs: z.array(z.string()) }),
  }),
  key: ({ metadata }) => metadata?.target ?? '',
  merge: (older, newer) => {
    if (!older.metadata || !newer.metadata) return newer;
    const gone = newer.metadata.gone;
    return {
      data: later(older.data, newer.data, gone.sessions),
      metadata: {
        target: newer.metadata.target,
        outputs: later(older.metadata.outputs, newer.metadata.outputs, gone.outputs),
        gone: {
          sessions: stillGone(older.metadata.gone.sessions, gone.sessions, newer.data),
          outputs: stillGone(older.metadata.gone.outputs, gone.outputs, newer.metadata.outputs),
        },
      },
    };
  },
});

// Device --------------------------------------------------------------------------------------------

const names = z.array(name).check(z.maxLength(MAX_REPORTED_LEVELS));
const reported = audioLevels.check(atMost(MAX_REPORTED_LEVELS));

/** A computer says what there is to hear: with `isWhole` this and nothing else, otherwise what changed since. */
export const audioReport = clientEvent({
  name: 'mixer/report',
  access: 'device',
  data: z.object({
    isWhole: z.boolean(),
    sessions: reported,
    outputs: reported,
    gone: z.object({ sessions: names, outputs: names }),
  }),
  answer: z.object({}),
});

/** Sets levels on the computer. */
export const setLevels = serverEvent({
  name: 'mixer/set',
  delivery: 'newest',
  data: z.object({ sessions: setting, outputs: setting }),
  merge: (older, newer) => ({
    data: {
      sessions: { ...older.data.sessions, ...newer.data.sessions },
      outputs: { ...older.data.outputs, ...newer.data.outputs },
    },
    metadata: undefined,
  }),
});
