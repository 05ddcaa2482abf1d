/** A file as it lies in the inbox now. */
export interface Look {
  readonly size: number;
  readonly mtimeMs: number;
}

/** A file of the inbox and since when it is as it is, in milliseconds. */
export interface WatchedFile extends Look {
  readonly since: number;
}

/** Whoever writes a recording writes more often than this. */
const STILL_MS = 10_000;
/** After this nobody comes back to finish it. */
const ABANDONED_AFTER_MS = 10 * 60_000;
/** A file of which something had to be asked is asked again after this: a recorder may still be at its end. */
const PROBE_INTERVAL_MS = 30_000;

/** Puts together what was known of a file and how it looks now. */
export function watched(before: WatchedFile | undefined, look: Look, now: number): WatchedFile {
  return before && before.size === look.size && before.mtimeMs === look.mtimeMs ? before : { ...look, since: now };
}

/**
 * What to do with it: `wait`; `ask` whether it is whole, which takes a program; or `save` what there is of it.
 * An mp4's size stands still for long while it is written, so stillness alone says nothing: nobody may have it open for writing, and it must have a length.
 */
export function stageOf({ size, since }: WatchedFile, now: number): 'wait' | 'ask' | 'save' {
  const still = now - since;
  if (still < STILL_MS) return 'wait';
  if (still >= ABANDONED_AFTER_MS) return 'save';
  return size > 0 ? 'ask' : 'wait';
}

/**
 * How it is with a file: being `writing`; `still`; `cut`, without a length; `locked`, which this server may not read; `taken` by a job, which fetches
 * it soon; or `left` lying by the job that had it.
 */
export type State = 'still' | 'writing' | 'cut' | 'locked' | 'taken' | 'left';

/** What is known of a file of the inbox. */
export interface InboxFileState {
  readonly file: WatchedFile;
  readonly state: State;
  /** When something was asked about it last, in milliseconds. */
  readonly askedAt: number;
}

/** What a program says of a file; `unknown` where it could not be asked. */
export type ProbeResult = 'whole' | 'endless' | 'locked' | 'unknown';

/** What was found out about a file. What is missing is asked for by `act`. */
export interface Facts {
  readonly isOpen: boolean;
  readonly probed?: ProbeResult;
  /** A job has it. */
  readonly isInHand?: boolean;
}

export interface Step {
  readonly lying: InboxFileState;
  /** What to do now: nothing; find out what a program says of it, or whether a job has it; or give it to a job, as a whole one or to be saved. */
  readonly act: 'none' | 'probe' | 'askHand' | 'take' | 'save';
}

/** Knows it anew where it is not as it was. */
export function seen(before: InboxFileState | undefined, look: Look, now: number): InboxFileState {
  const file = watched(before?.file, look, now);
  return before?.file === file ? before : { file, state: 'still', askedAt: -Infinity };
}

const stay = (lying: InboxFileState, state = lying.state): Step => ({
  lying: state === lying.state ? lying : { ...lying, state },
  act: 'none',
});

/** One that a job has been given: where it lies there still though no job has it any more, it was left. */
const handed = (lying: InboxFileState, { isInHand }: Facts, now: number): Step => {
  if (isInHand === undefined) return now - lying.askedAt < PROBE_INTERVAL_MS ? stay(lying) : { lying, act: 'askHand' };
  return stay({ ...lying, askedAt: now }, isInHand ? 'taken' : 'left');
};

/** One step with a file that lies there: made once more with the facts that its `act` wants. */
export function next(lying: InboxFileState, facts: Facts, now: number): Step {
  const { file, state, askedAt } = lying;
  if (state === 'taken') return handed(lying, facts, now);
  const stage = stageOf(file, now);
  const isEarly = now - askedAt < (state === 'left' ? ABANDONED_AFTER_MS : PROBE_INTERVAL_MS);
  if (stage === 'wait') return stay(lying);
  if (facts.isOpen) return stay(lying, 'writing');
  if (facts.probed === undefined) return isEarly ? stay(lying) : { lying, act: 'probe' };
  const asked: InboxFileState = { ...lying, askedAt: now, state: 'still' };
  if (facts.probed === 'locked') return stay(asked, 'locked');
  if (facts.probed === 'whole') return { lying: asked, act: 'take' };
  // Where nobody knows whether it is cut the job sees.
  if (stage === 'save') return { lying: asked, act: facts.probed === 'endless' ? 'save' : 'take' };
  return stay(asked, facts.probed === 'endless' ? 'cut' : 'still');
}

/** Behind `take` and `save`: whether a job was given it. Where not, it is asked again. */
export function given(lying: InboxFileState, isTaken: boolean, now: number): InboxFileState {
  return {
    ...lying,
    askedAt: now,
    state: isTaken ? 'taken' : lying.state,
  };
}
