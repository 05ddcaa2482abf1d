import type { AnswerOf } from '#platform/contract/call.ts';
import type { returnspecificapplication } from '../../contract.ts';

// Types that the parts of /graphyv2 share.

export type ApplicationStats = AnswerOf<typeof returnspecificapplication>['data'][string]['stats'];

/** Scope of all parts. Every query has it in its key, after `screentime`. */
export interface Scope {
  /** Wire field; '-1' is all devices. */
  readonly deviceid: string;
  /** Wire field; '1' if time on several devices at the same time counts once. */
  readonly wall: '0' | '1';
}

/** A selected application that is loaded. May be `TOTAL`. */
export interface ShownApplication {
  readonly name: string;
  /** CSS colour. */
  readonly colour: string;
  readonly stats: ApplicationStats;
}

/** Props of the bars with the detail card. */
export interface BreakdownProps {
  /** Most used first. */
  readonly applications: readonly ShownApplication[];
  /** Application of the card. `TOTAL` before the first selection, and then not always among the bars. */
  readonly selected: ShownApplication | undefined;
  readonly onSelect: (name: string) => void;
}

/** Props of 'App usage through day (past 14 days)'. */
export interface DensityProps {
  readonly applications: readonly ShownApplication[];
}

/** Props of the calendar of a year, for the selected application. */
export interface HeatMapProps {
  readonly scope: Scope;
  /** `TOTAL` for all of them. */
  readonly application: string;
  readonly onDay: (date: string) => void;
}

/** Props of the dialog with all intervals of a day, which renders while it is open. */
export interface DayStoryProps {
  readonly scope: Scope;
  /** ISO date. */
  readonly date: string;
  readonly computers: Computers;
  readonly onDay: (date: string) => void;
  readonly onClose: () => void;
}

/** Props of the dialog with any period or two, which renders while it is open. */
export interface PeriodsProps {
  readonly scope: Scope;
  readonly onClose: () => void;
}

/** Names by id. */
export type Computers = Readonly<Record<string, string>>;
