import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { target } from '#platform/contract/fields.ts';

/** Maximum number of sessions, and of outputs, per computer. */
export const MAX_LEVELS = 200;
/** Maximum number of changes per group in one report, so that it stays far below the packet limit of 64 KiB. */
export const MAX_REPORTED_LEVELS = 40;

/** A whole number from 0 to 100. */
const level = z.int().check(z.minimum(0), z.maximum(100));
const levels = { level, muted: z.boolean() };
const colour = z.string().check(z.maxLength(40));
const name = z.string().check(z.minLength(1), z.maxLength(200));
const sliderLevel = z.object({
  ...levels,
  colour,
  /** Added by Pegboard: the output that the master volume controls. */
  device: z.optional(name),
});

const createKeyLimit = (max: number) =>
  z.refine<Record<string, unknown>>((record) => Object.keys(record).length <= max, `more than ${max}`);

/** Audio sessions or outputs, by name. */
export const audioLevels = z.record(name, sliderLevel);

/** Requested every 5 s (docs/specification/mixer.md section 6). */
export const mixerargs = call({
  route: 'POST /api/mixerargs',
  summary: 'Returns the audio sessions and outputs of a computer.',
  access: 'account',
  request: z.object({ type: z.literal('client'), target: z.optional(target) }),
  answer: z.object({
    data: audioLevels,
    /** Output devices, added by Pegboard; they are not sessions. */
    outputs: audioLevels,
    /** The selected computer. */
    target: z.string(),
  }),
});

const levelSettings = z.record(name, z.object(levels)).check(createKeyLimit(MAX_LEVELS));

/** Sets levels. Sent at most once per frame while a slider is moved. `outputs` is added by Pegboard. */
export const audioset = clientEvent({
  name: '/api/audioset',
  access: 'account',
  data: z.object({ audio: levelSettings, outputs: z.optional(levelSettings), target: z.optional(target) }),
});

const levelChanges = z.record(
  z.string(),
  z.object({ ...levels, colour: z.optional(z.string()), device: z.optional(z.string()) }),
);
type LevelChanges = z.output<typeof levelChanges>;

/** Merges levels: newer ones replace older ones, but a colour that was sent once stays. */
function mergeLevels(older: LevelChanges, newer: LevelChanges, gone: readonly string[]): LevelChanges {
  const merged = new Map(Object.entries(older).filter(([key]) => !gone.includes(key)));
  for (const [key, change] of Object.entries(newer)) merged.set(key, { ...merged.get(key), ...change });
  return Object.fromEntries(merged);
}
const mergeGone = (older: readonly string[], newer: readonly string[], presentLevels: LevelChanges): string[] => [
  ...new Set([...older.filter((key) => !Object.hasOwn(presentLevels, key)), ...newer]),
];

/**
 * Sent to all pages of the account when levels of a computer change, with the changed ones only; new ones have their
 * colour. The second argument, added by Pegboard, has the computer, changed outputs and removed names.
 */
export const setvolumefront = serverEvent({
  name: 'setvolumefront',
  delivery: 'newest',
  data: levelChanges,
  about: z.object({
    target,
    outputs: levelChanges,
    gone: z.object({ sessions: z.array(z.string()), outputs: z.array(z.string()) }),
  }),
  key: ({ metadata }) => metadata?.target ?? '',
  merge: (older, newer) => {
    if (!older.metadata || !newer.metadata) return newer;
    const gone = newer.metadata.gone;
    return {
      data: mergeLevels(older.data, newer.data, gone.sessions),
      metadata: {
        target: newer.metadata.target,
        outputs: mergeLevels(older.metadata.outputs, newer.metadata.outputs, gone.outputs),
        gone: {
          sessions: mergeGone(older.metadata.gone.sessions, gone.sessions, newer.data),
          outputs: mergeGone(older.metadata.gone.outputs, gone.outputs, newer.metadata.outputs),
        },
      },
    };
  },
});

// Device --------------------------------------------------------------------------------------------

const names = z.array(name).check(z.maxLength(MAX_REPORTED_LEVELS));
const reportedLevels = audioLevels.check(createKeyLimit(MAX_REPORTED_LEVELS));

/** A computer reports its levels: all of them with `isWhole`, otherwise the changes. */
export const audioReport = clientEvent({
  name: 'mixer/report',
  access: 'device',
  data: z.object({
    isWhole: z.boolean(),
    sessions: reportedLevels,
    outputs: reportedLevels,
    gone: z.object({ sessions: names, outputs: names }),
  }),
});

/** Sets levels on the computer. */
export const setLevels = serverEvent({
  name: 'mixer/set',
  delivery: 'newest',
  data: z.object({ sessions: levelSettings, outputs: levelSettings }),
  merge: (older, newer) => ({
    data: {
      sessions: { ...older.data.sessions, ...newer.data.sessions },
      outputs: { ...older.data.outputs, ...newer.data.outputs },
    },
    metadata: undefined,
  }),
});
