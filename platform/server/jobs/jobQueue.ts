import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import type { UnitOfWork } from '../database/database.ts';

/** Tries of a job that may go better in a while. */
export const MAX_ATTEMPTS = 3;
/** Starts of a job, those among them that a killed server broke off: who ends the server each time is not begun for ever. */
export const MAX_STARTS = 5;

/** Seconds until the next try, after so many; undefined after the last. */
export function getRetryDelaySeconds(attempt: number): number | undefined {
  return attempt < MAX_ATTEMPTS ? 4 ** attempt : undefined;
}

/** The oldest job of an account that could run now. */
export interface JobCandidate {
  readonly id: number;
  readonly account: number;
}

/** The candidate whose account has the fewest running; of equals the oldest. So who queues a thousand holds up nobody else. */
export function pickFairestJob(
  candidates: readonly JobCandidate[],
  runningOf: (account: number) => number,
): JobCandidate | undefined {
  return candidates.reduce<JobCandidate | undefined>((best, one) => {
    if (best === undefined) return one;
    const more = runningOf(one.account) - runningOf(best.account);
    return more < 0 || (more === 0 && one.id < best.id) ? one : best;
  }, undefined);
}

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** A piece of work that outlives the request that asked for it, and the server. */
export interface Job {
  readonly id: number;
  readonly account: number;
  /** Such as `song`: who does it. */
  readonly kind: string;
  /** What the kind was told. JSON. */
  readonly input: unknown;
  /** What a person calls it. */
  readonly title: string;
  /** By which its kind finds it again, such as an address; empty where it has none. */
  readonly key: string;
  /** The job that made it. */
  readonly parent: number | undefined;
  /** Among those of its parent. */
  readonly position: number;
  readonly state: JobState;
  /** How often it was begun since it was asked for. */
  readonly attempt: number;
  /** 0 to 100, while it runs. */
  readonly percent: number | undefined;
  /** What it is at, in a word of its kind; empty where it says none. */
  readonly stage: string;
  /** Why it failed, or will be tried again: a sentence, or empty. */
  readonly error: string;
  /** What came of it, where it is done. JSON. */
  readonly result: unknown;
  /** The person has seen how it ended. */
  readonly isDismissed: boolean;
  readonly created: Temporal.Instant;
  readonly ended: Temporal.Instant | undefined;
  /** Queued, and not before this. */
  readonly notBefore: Temporal.Instant | undefined;
}

export interface NewJob {
  readonly account: number;
  readonly kind: string;
  readonly input: unknown;
  readonly title: string;
  readonly key?: string;
  readonly parent?: number;
  readonly position?: number;
}

/** Why a try failed, in one sentence for the person. `again`: it may go better in a while (three tries in all, after 4 and 16 s); `final`: not without somebody. */
export class JobFailure extends Refusal {
  override readonly name = 'JobFailure';
  readonly retry: 'again' | 'final';
  constructor(means: 'again' | 'final', sentence: string, options?: ErrorOptions) {
    super(sentence);
    this.retry = means;
    if (options?.cause !== undefined) this.cause = options.cause;
  }
}

/** What a running job has in hand. */
export interface JobRun<Input> {
  readonly job: Job;
  readonly input: Input;
  /** Its own, absolute, there. It stays between tries, and goes with the end of the job (but see `keepsFolder`). */
  readonly folder: string;
  /** Aborted when it is cancelled, when the server stops, when the disk is nearly full, and when another worker has it. Whatever the run throws then is not looked at. */
  readonly signal: AbortSignal;
  /** Kept in memory and told at once; of many in a moment the newest. A title is kept in the database too. */
  readonly reportProgress: (now: {
    readonly percent?: number;
    readonly stage?: string;
    readonly title?: string;
  }) => void;
}

/** What a run leaves: written in the one transaction in which the job becomes `done`, and not at all where the job is no longer this worker's. */
export interface JobOutcome {
  /** Writes what came of it, and gives `result`. Nothing but the database inside. */
  readonly save: (work: UnitOfWork) => Promise<unknown>;
  /** Takes back what `run` has put in place (a file), where `keep` was not, or could not be, done. */
  readonly undo?: () => Promise<void>;
}

/** Who does jobs of one kind. Registered by tools (`ServerParts.jobKinds`). */
export interface JobKind<Input = never> {
  readonly name: string;
  /** Reads what was queued, maybe by an older server. A schema of zod is one. */
  readonly input: { readonly parse: (input: unknown) => Input };
  /** How many of this kind run at once, within those of the server; as many as those where left out. */
  readonly atMost?: number;
  /** What lies in the folder of one that failed, but might go better, helps another try: it stays for a day, of an account's last three. */
  readonly keepsFolder?: boolean;
  /** @throws JobFailure; anything else is a fault, is logged, and tried again. */
  readonly run: (run: JobRun<Input>) => Promise<JobOutcome>;
  /** Told of every change of a job of this kind, after it is kept: state, title, percent, stage. */
  readonly changed?: (job: Job) => void;
}

/** Lets a kind stand in a list of kinds with other inputs. */
export function defineJobKind<Input>(kind: JobKind<Input>): JobKind {
  return kind as unknown as JobKind;
}

/** The server's queue of long work, in the database. Every question and order carries the account: a foreign job is an unknown one. */
export interface JobQueue {
  /** Queues, in order, in the caller's transaction; begun after its commit. */
  readonly add: (work: UnitOfWork, jobs: readonly NewJob[]) => Promise<readonly Job[]>;
  readonly find: (account: number, id: number, tx?: Transaction<unknown>) => Promise<Job | undefined>;
  /** Oldest first: all that are open, and those that ended after the moment given. */
  readonly list: (
    account: number,
    filter?: { readonly kinds?: readonly string[]; readonly endedAfter?: Temporal.Instant; readonly parent?: number },
    tx?: Transaction<unknown>,
  ) => Promise<readonly Job[]>;
  /** Those of a key that are open. */
  readonly listOpenByKey: (
    account: number,
    kind: string,
    key: string,
    tx?: Transaction<unknown>,
  ) => Promise<readonly Job[]>;
  /** How many are queued or run. */
  readonly countOpen: (account: number, tx?: Transaction<unknown>) => Promise<number>;
  /** A queued one ends at once, a running one within a second. Its folder goes. False for one that has ended, or is unknown. */
  readonly cancel: (account: number, id: number) => Promise<boolean>;
  /** One that failed or was cancelled is queued anew, with all its tries. False for all others. */
  readonly retry: (account: number, id: number) => Promise<boolean>;
  /** One that has ended needs not be shown any more. False for all others. */
  readonly dismiss: (account: number, id: number) => Promise<boolean>;
  /** Why queued ones wait though nothing else is running: a sentence, or empty. */
  readonly getPauseReason: () => string;
}
