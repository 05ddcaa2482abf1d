import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '../database/database.ts';

/** Maximum attempts of a job that fails for temporary reasons. */
export const MAX_ATTEMPTS = 3;
/** Starts of a job, including those that a crash of the server ended. Limits jobs that cause such a crash. */
export const MAX_STARTS = 5;

/** Returns the seconds until the next attempt, or undefined after the last one. */
export function getRetryDelaySeconds(attempt: number): number | undefined {
  return attempt < MAX_ATTEMPTS ? 4 ** attempt : undefined;
}

/** The oldest job of an account that could run now. */
export interface JobCandidate {
  readonly id: number;
  readonly account: number;
}

/**
 * Picks the candidate whose account has the fewest running jobs, and then the oldest.
 * So an account with a thousand queued jobs does not block others.
 */
export function pickFairestJob(
  candidates: readonly JobCandidate[],
  countRunning: (account: number) => number,
): JobCandidate | undefined {
  return candidates.reduce<JobCandidate | undefined>((best, candidate) => {
    if (best === undefined) return candidate;
    const difference = countRunning(candidate.account) - countRunning(best.account);
    return difference < 0 || (difference === 0 && candidate.id < best.id) ? candidate : best;
  }, undefined);
}

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** Work that outlives the request that queued it, and the server. */
export interface Job {
  readonly id: number;
  readonly account: number;
  /** Kind that runs it, such as `video`. */
  readonly kind: string;
  /** Parameters of the job, as JSON. */
  readonly input: unknown;
  /** Name for the user. */
  readonly title: string;
  /** Key by which its kind finds it, such as an address; empty if there is none. */
  readonly key: string;
  /** The job that queued it. */
  readonly parent: number | undefined;
  /** Position among the jobs of its parent. */
  readonly position: number;
  readonly state: JobState;
  /** Number of starts since it was queued or retried. */
  readonly attempt: number;
  /** Progress from 0 to 100, while it runs. */
  readonly percent: number | undefined;
  /** Current step, as its kind calls it; may be empty. */
  readonly stage: string;
  /** Why it failed or will be retried, as a sentence; may be empty. */
  readonly error: string;
  /** Outcome of a finished job, as JSON. */
  readonly result: unknown;
  /** Whether the user has hidden the finished job. */
  readonly isDismissed: boolean;
  readonly created: Temporal.Instant;
  readonly ended: Temporal.Instant | undefined;
  /** Time of the next attempt, while it is queued. */
  readonly notBefore: Temporal.Instant | undefined;
}

/** A job to queue. */
export interface NewJob {
  readonly account: number;
  readonly kind: string;
  readonly input: unknown;
  readonly title: string;
  readonly key?: string;
  readonly parent?: number;
  readonly position?: number;
}

/**
 * Why an attempt failed, as a sentence for the user.
 * `again`: temporary, so it is retried (3 attempts, after 4 and 16 s). `final`: needs someone to fix it.
 */
export class JobFailure extends Refusal {
  override readonly name = 'JobFailure';
  readonly retry: 'again' | 'final';
  constructor(retry: 'again' | 'final', message: string, options?: ErrorOptions) {
    super('job.failed', message, options);
    this.retry = retry;
  }
}

/** Progress of a running job. */
export interface JobProgress {
  readonly percent?: number;
  readonly stage?: string;
  readonly title?: string;
}

/** What a running job can use. */
export interface JobRun<Input> {
  readonly job: Job;
  readonly input: Input;
  /** Absolute path of the job's folder, which persists between attempts until the job ends (see `keepsFolder`). */
  readonly folder: string;
  /** Aborted on cancel, server stop, low disk space, or loss of the lease. Errors after that are ignored. */
  readonly signal: AbortSignal;
  /** Reports progress, in memory and throttled to the newest. A title is stored in the database too. */
  readonly reportProgress: (progress: JobProgress) => void;
}

/** Result of a run. It is saved in the transaction that marks the job as done, or not at all if the lease was lost. */
export interface JobOutcome {
  /** Writes the result, and returns `result`. Await only the database inside. */
  readonly save: (unit: UnitOfWork) => Promise<unknown>;
  /** Reverses what `run` has put in place, such as a file, if `save` failed or did not run. */
  readonly undo?: () => Promise<void>;
}

/** Runs jobs of one kind. Tools register them (`StartedServerTool.jobKinds`). */
export interface JobKind<Input = never> {
  readonly name: string;
  /** Parses the stored input, which an older server may have written. Can be a zod schema. */
  readonly input: { readonly parse: (input: unknown) => Input };
  /** Maximum number of concurrent jobs of this kind. Default: the server's limit. */
  readonly maxConcurrent?: number;
  /** Whether the folder of a failed job is useful for a retry. The last three per account are stored for a day. */
  readonly keepsFolder?: boolean;
  /** @throws JobFailure for expected failures. Any other error is a fault: it is logged and retried. */
  readonly run: (run: JobRun<Input>) => Promise<JobOutcome>;
  /** Called after each stored change of a job of this kind: state, title, percent, stage. */
  readonly onChange?: (job: Job) => void;
}

/** Declares a kind, so that kinds with different inputs fit in one list. */
export function defineJobKind<Input>(kind: JobKind<Input>): JobKind {
  return kind as unknown as JobKind;
}

/** The server's durable queue of jobs. Each call takes the account; jobs of others are treated as unknown. */
export interface JobQueue {
  /** Queues jobs in the caller's transaction. They start after its commit. */
  readonly add: (unit: UnitOfWork, jobs: readonly NewJob[]) => Promise<readonly Job[]>;
  readonly find: (account: number, id: number, tx?: Transaction<unknown>) => Promise<Job | undefined>;
  /** Lists all open jobs, and those that ended after the given moment; oldest first. */
  readonly list: (
    account: number,
    filter?: { readonly kinds?: readonly string[]; readonly endedAfter?: Temporal.Instant; readonly parent?: number },
    tx?: Transaction<unknown>,
  ) => Promise<readonly Job[]>;
  /** Lists open jobs with a key. */
  readonly listOpenByKey: (
    account: number,
    kind: string,
    key: string,
    tx?: Transaction<unknown>,
  ) => Promise<readonly Job[]>;
  /** Counts queued and running jobs. */
  readonly countOpen: (account: number, tx?: Transaction<unknown>) => Promise<number>;
  /** Cancels a queued job immediately, a running one within a second. Returns false if it has ended or is unknown. */
  readonly cancel: (account: number, id: number) => Promise<boolean>;
  /** Requeues a failed or cancelled job with all its attempts. Returns false for all others. */
  readonly retry: (account: number, id: number) => Promise<boolean>;
  /** Hides an ended job. Returns false for all others. */
  readonly dismiss: (account: number, id: number) => Promise<boolean>;
  /** Returns why queued jobs do not run, as a sentence; '' if they do. */
  readonly getPauseReason: () => string;
}
