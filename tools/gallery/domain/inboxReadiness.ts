import { MINUTE_MS } from '#platform/contract/duration.ts';

/** Size and time of a file in the inbox at one moment. */
export interface FileSnapshot {
  readonly size: number;
  readonly mtimeMs: number;
}

/** A file of the inbox. `since` is when its last change was noticed, in milliseconds. */
export interface WatchedFile extends FileSnapshot {
  readonly since: number;
}

/** Recorders write more often than this. */
const MIN_UNCHANGED_MS = 10_000;
/** A file that is unchanged for this long was abandoned by its writer. */
const ABANDONED_AFTER_MS = 10 * MINUTE_MS;
/** Minimum time between two probes of a file, because a recorder may still be writing its end. */
const PROBE_INTERVAL_MS = 30_000;

/** Updates a watched file from its current size and time. */
export function updateWatchedFile(before: WatchedFile | undefined, current: FileSnapshot, now: number): WatchedFile {
  return before && before.size === current.size && before.mtimeMs === current.mtimeMs
    ? before
    : { ...current, since: now };
}

/**
 * Decides what to do: `wait`, `ask` a program whether the file is complete, or `save` the readable part. The size of an
 * mp4 can stay unchanged while it is written, so a complete file must also have a length and no writer.
 */
export function getStage({ size, since }: WatchedFile, now: number): 'wait' | 'ask' | 'save' {
  const unchangedMs = now - since;
  if (unchangedMs < MIN_UNCHANGED_MS) return 'wait';
  if (unchangedMs >= ABANDONED_AFTER_MS) return 'save';
  return size > 0 ? 'ask' : 'wait';
}

/**
 * State of a file: `writing`, being written; `still`, unchanged; `cut`, without a length; `locked`, unreadable for this
 * server; `taken` by a job, which will fetch it soon; `left` by its job.
 */
export type InboxState = 'still' | 'writing' | 'cut' | 'locked' | 'taken' | 'left';

export interface InboxFileState {
  readonly file: WatchedFile;
  readonly state: InboxState;
  /** Time of the last probe, in milliseconds. */
  readonly probedAt: number;
}

/** Result of a probe; `unknown` if it failed. */
export type ProbeResult = 'whole' | 'endless' | 'locked' | 'unknown';

/** Facts about a file. `InboxStep.action` requests missing ones. */
export interface FileFacts {
  readonly isOpen: boolean;
  readonly probeResult?: ProbeResult;
  /** Whether a job for the file is queued or running. */
  readonly hasOpenJob?: boolean;
}

export interface InboxStep {
  readonly fileState: InboxFileState;
  /**
   * The next action: nothing; probe the file; check whether it has a job; or give it to a job, which processes all of
   * it (`take`) or salvages a part (`save`).
   */
  readonly action: 'none' | 'probe' | 'checkJob' | 'take' | 'save';
}

/** Updates the state of a file; starts over if the file has changed. */
export function updateFileState(
  before: InboxFileState | undefined,
  current: FileSnapshot,
  now: number,
): InboxFileState {
  const file = updateWatchedFile(before?.file, current, now);
  return before?.file === file ? before : { file, state: 'still', probedAt: -Infinity };
}

const keepState = (fileState: InboxFileState, state = fileState.state): InboxStep => ({
  fileState: state === fileState.state ? fileState : { ...fileState, state },
  action: 'none',
});

/** Checks a file that was given to a job. If it is still in the inbox without a job, its job left it there. */
function checkTaken(fileState: InboxFileState, { hasOpenJob }: FileFacts, now: number): InboxStep {
  if (hasOpenJob === undefined)
    return now - fileState.probedAt < PROBE_INTERVAL_MS ? keepState(fileState) : { fileState, action: 'checkJob' };
  return keepState({ ...fileState, probedAt: now }, hasOpenJob ? 'taken' : 'left');
}

/** Returns the next step for a file. Call it again with the facts that the action requests. */
export function getNextStep(fileState: InboxFileState, facts: FileFacts, now: number): InboxStep {
  const { file, state, probedAt } = fileState;
  if (state === 'taken') return checkTaken(fileState, facts, now);
  const stage = getStage(file, now);
  const isEarly = now - probedAt < (state === 'left' ? ABANDONED_AFTER_MS : PROBE_INTERVAL_MS);
  if (stage === 'wait') return keepState(fileState);
  if (facts.isOpen) return keepState(fileState, 'writing');
  if (facts.probeResult === undefined) return isEarly ? keepState(fileState) : { fileState, action: 'probe' };
  const probedState: InboxFileState = { ...fileState, probedAt: now, state: 'still' };
  if (facts.probeResult === 'locked') return keepState(probedState, 'locked');
  if (facts.probeResult === 'whole') return { fileState: probedState, action: 'take' };
  // If it is unknown whether the file is cut, the job finds out.
  if (stage === 'save') return { fileState: probedState, action: facts.probeResult === 'endless' ? 'save' : 'take' };
  return keepState(probedState, facts.probeResult === 'endless' ? 'cut' : 'still');
}

/** Records the result of `take` or `save`. A file that no job has taken is probed again. */
export function markHandedOver(fileState: InboxFileState, isTaken: boolean, now: number): InboxFileState {
  return { ...fileState, probedAt: now, state: isTaken ? 'taken' : fileState.state };
}
