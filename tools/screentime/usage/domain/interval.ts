import type { Status } from '../../contract/limits.ts';
import type { SecondRange } from './track.ts';

// The forms of an interval: time in which an application had one status on one computer.

/** As a computer measures and reports it, in milliseconds since the epoch. */
export interface ReportedInterval {
  readonly app: string;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
  /** Title of the window, if titles are recorded. */
  readonly title?: string | undefined;
}

/** As it is recorded, in seconds since the epoch. Its computer is known from the context. */
export interface UsageInterval extends SecondRange {
  readonly application: number;
  readonly status: Status;
}

/** As people see and correct it, in milliseconds since the epoch. */
export interface StoryInterval {
  readonly device: number;
  /** Wire name. */
  readonly application: string;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
  /** Title of the document or page. */
  readonly title?: string | undefined;
}

/** Statuses by precedence: the first of several at the same time is shown. */
const PRECEDENCE: readonly Status[] = ['on', 'r', 's', 'off'];

/** Returns the rank of a status; of several at the same time, the one with the lowest rank is shown. */
export function getRank(status: Status): number {
  return PRECEDENCE.indexOf(status);
}
export function getStatusByRank(rank: number): Status | undefined {
  return PRECEDENCE[rank];
}

/** Whether a computer has this status for one application at a time only. */
export function isExclusive(status: Status): boolean {
  return status === 'on';
}

interface ConflictFields<Application> {
  readonly application: Application;
  readonly status: Status;
  readonly from: number;
  readonly until: number;
}

/**
 * Whether two intervals of one computer can't both be recorded: they overlap, and have the same status of one
 * application or an exclusive one. The recorded one stays, whether the other is measured, imported or added by hand.
 */
export function isConflict<Application>(a: ConflictFields<Application>, b: ConflictFields<Application>): boolean {
  return (
    a.status === b.status &&
    (isExclusive(a.status) || a.application === b.application) &&
    a.from < b.until &&
    b.from < a.until
  );
}
