import { MINUTE_MS } from '#platform/contract/duration.ts';

/** Size and time of a file in the inbox at one moment. */
export interface Look {
  readonly size: number;
  readonly mtimeMs: number;
}

/** A file of the inbox, and since when it is unchanged, in milliseconds. */
export interface WatchedFile extends Look {
  readonly since: number;
}

/** A recorder writes more often than this. */
const STILL_MS = 10_000;
/** A file that is unchanged for this long will not be finished any more. */
const ABANDONED_AFTER_MS = 10 * MINUTE_MS;
/** Minimum time between two probes of a file; a recorder may still be writing its end. */
const PROBE_INTERVAL_MS = 30_000;

/** Updates a watched file from its current size and time. */
export function updateWatchedFile(before: WatchedFile | undefined, current: Look, now: number): WatchedFile {
  return before && before.size === current.size && before.mtimeMs === current.mtimeMs
    ? before
    : { ...current, since: now };
}

/**
 * Decides what to do: `wait`, `ask` whether it is complete (which takes a program), or `save` what there is. The size
 * of an mp4 can be unchanged for long while it is written, so it must also have no writer, and a length.
 */
export function getStage({ size, since }: WatchedFile, now: number): 'wait' | 'ask' | 'save' {
  const still = now - since;
  if (still < STILL_MS) return 'wait';
  if (still >= ABANDONED_AFTER_MS) return 'save';
  return size > 0 ? 'ask' : 'wait';
}

/**
 * State of a file: being `writing`; `still`; `cut`, without a length; `locked`, unreadable for this server; `taken` by
 * a job, which will fetch it soon; or `left` by the job that had it.
 */
export type State = 'still' | 'writing' | 'cut' | 'locked' | 'taken' | 'left';

/** What is known about a file of the inbox. */
export interface InboxFileState {
  readonly file: WatchedFile;
  readonly state: State;
  /** Time of the last probe, in milliseconds. */
  readonly askedAt: number;
}

/** Result of a probe; `unknown` if it failed. */
export type ProbeResult = 'whole' | 'endless' | 'locked' | 'unknown';

/** Facts about a file. Missing ones are requested by `act`. */
export interface FileFacts {
  readonly isOpen: boolean;
  readonly probed?: ProbeResult;
  /** Whether a job has the file. */
  readonly isInHand?: boolean;
}

export interface Step {
  readonly lying: InboxFileState;
  /**
   * The next action: nothing; probe the file, or find out whether a job has it; or give it to a job, complete or to be
   * salvaged.
   */
  readonly act: 'none' | 'probe' | 'askHand' | 'take' | 'save';
}

/** Starts over if the file has changed. */
export function updateFileState(before: InboxFileState | undefined, current: Look, now: number): InboxFileState {
  const file = updateWatchedFile(before?.file, current, now);
  return before?.file === file ? before : { file, state: 'still', askedAt: -Infinity };
}

const keepState = (lying: InboxFileState, state = lying.state): Step => ({
  lying: state === lying.state ? lying : { ...lying, state },
  act: 'none',
});

/** Checks a file that was given to a job: if it is still here although no job has it, the job left it. */
const checkTaken = (lying: InboxFileState, { isInHand }: FileFacts, now: number): Step => {
  if (isInHand === undefined)
    return now - lying.askedAt < PROBE_INTERVAL_MS ? keepState(lying) : { lying, act: 'askHand' };
  return keepState({ ...lying, askedAt: now }, isInHand ? 'taken' : 'left');
};

/** Makes one step with a file. Call it again with the facts that its `act` requests. */
export function getNextStep(lying: InboxFileState, facts: FileFacts, now: number): Step {
  const { file, state, askedAt } = lying;
  if (state === 'taken') return checkTaken(lying, facts, now);
  const stage = getStage(file, now);
  const isEarly = now - askedAt < (state === 'left' ? ABANDONED_AFTER_MS : PROBE_INTERVAL_MS);
  if (stage === 'wait') return keepState(lying);
  if (facts.isOpen) return keepState(lying, 'writing');
  if (facts.probed === undefined) return isEarly ? keepState(lying) : { lying, act: 'probe' };
  const probed: InboxFileState = { ...lying, askedAt: now, state: 'still' };
  if (facts.probed === 'locked') return keepState(probed, 'locked');
  if (facts.probed === 'whole') return { lying: probed, act: 'take' };
  // If it is unknown whether the file is cut, the job finds out.
  if (stage === 'save') return { lying: probed, act: facts.probed === 'endless' ? 'save' : 'take' };
  return keepState(probed, facts.probed === 'endless' ? 'cut' : 'still');
}

/** Call this after `take` and `save`, with whether a job got the file. If not, it is probed again. */
export function markGiven(lying: InboxFileState, isTaken: boolean, now: number): InboxFileState {
  return {
    ...lying,
    askedAt: now,
    state: isTaken ? 'taken' : lying.state,
  };
}
