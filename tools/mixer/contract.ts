import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { clientEvent, serverEvent } from '#platform/contract/event.ts';
import { target } from '#platform/contract/fields.ts';

/** Whole, 0 to 100. */
const level = z.int().check(z.minimum(0), z.maximum(100));
const levels = { level, muted: z.boolean() };
const shown = z.object({ ...levels, colour: z.string().check(z.maxLength(40)) });
const name = z.string().check(z.minLength(1), z.maxLength(200));

/** Audio sessions, or outputs, by name. */
export const audioLevels = z.record(name, shown);
export type AudioLevels = z.output<typeof audioLevels>;

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

const setting = z.record(name, z.object(levels));

/** Sets levels; sent while a slider is moved, at most once a frame. `outputs` is ours. */
export const audioset = clientEvent({
  name: '/api/audioset',
  access: 'account',
  data: z.object({ audio: setting, outputs: z.optional(setting), target: z.optional(target) }),
  answer: z.object({}),
});

/**
 * To all pages of the account: levels of a computer changed, whoever changed them. Only what changed is in it; what is new carries its
 * colour. Behind it, ours, stands which computer, the outputs that changed, and the names of what is gone.
 */
export const setvolumefront = serverEvent({
  name: 'setvolumefront',
  keep: 'newest',
  data: z.record(z.string(), z.object({ ...levels, colour: z.optional(z.string()) })),
  about: z.object({
    target,
    outputs: z.record(z.string(), z.object({ ...levels, colour: z.optional(z.string()) })),
    gone: z.object({ sessions: z.array(z.string()), outputs: z.array(z.string()) }),
  }),
});
