/** A file as it lies in the inbox now. */
export interface Look {
  readonly size: number;
  readonly mtimeMs: number;
}

/** A file of the inbox and since when it is as it is, in milliseconds. */
export interface Watched extends Look {
  readonly since: number;
}

/** Whoever writes a recording writes more often than this. */
const STILL_MS = 10_000;
/** After this nobody comes back to finish it. */
const GIVEN_UP_MS = 10 * 60_000;

/** Puts together what was known of a file and how it looks now. */
export const watched = (before: Watched | undefined, look: Look, now: number): Watched =>
  before && before.size === look.size && before.mtimeMs === look.mtimeMs ? before : { ...look, since: now };

/**
 * What to do with it: `wait`; `ask` whether it is whole, which takes a program; or `save` what there is of it.
 * An mp4's size stands still for long while it is written, so stillness alone says nothing: nobody may have it open for writing, and it must have a length.
 */
export const stageOf = ({ size, since }: Watched, now: number): 'wait' | 'ask' | 'save' => {
  const still = now - since;
  if (still < STILL_MS) return 'wait';
  if (still >= GIVEN_UP_MS) return 'save';
  return size > 0 ? 'ask' : 'wait';
};
