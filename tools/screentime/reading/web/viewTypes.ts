import type { AnswerOf } from '#platform/contract/call.ts';
import type { returnspecificapplication } from '../../contract.ts';

// What /graphyv2 hands to its parts, which stand in files of their own. Each part is a module's named export of the same name as its file.

export type ApplicationStats = AnswerOf<typeof returnspecificapplication>['data'][string]['stats'];

/** What all parts look at alike. Every query of theirs has it in its key, behind `screentime`. */
export interface Scope {
  /** As the calls take it; '-1' is all devices. */
  readonly deviceid: string;
  /** '1': time that several devices were used at once counts once. */
  readonly wall: '0' | '1';
}

/** An application that is switched on, and loaded. `TOTAL` may be among them. */
export interface ShownApplication {
  readonly name: string;
  /** CSS. */
  readonly colour: string;
  readonly stats: ApplicationStats;
}

/** `breakdown/Breakdown.tsx`: bars with the detail card. */
export interface BreakdownProps {
  /** Most used first. */
  readonly applications: readonly ShownApplication[];
  /** Whose card is shown: `TOTAL` before any was tapped, and then it need not be among the bars. */
  readonly selected: ShownApplication | undefined;
  readonly onSelect: (name: string) => void;
}

/** `breakdown/Density.tsx`: 'App usage through day (past 14 days)'. */
export interface DensityProps {
  readonly applications: readonly ShownApplication[];
}

/** `days/HeatMap.tsx`: the days of a year by hours, of the selected application. */
export interface HeatMapProps {
  readonly scope: Scope;
  /** `TOTAL` for all of them. */
  readonly application: string;
  readonly onDay: (date: string) => void;
}

/** `days/DayStory.tsx`: everything of a day, stretch by stretch, with correcting; a dialog, drawn only while it is open. */
export interface DayStoryProps {
  readonly scope: Scope;
  /** ISO. */
  readonly date: string;
  readonly computers: Computers;
  readonly onDay: (date: string) => void;
  readonly onClose: () => void;
}

/** `days/Periods.tsx`: any period, two of them side by side, and the export; a dialog, drawn only while it is open. */
export interface PeriodsProps {
  readonly scope: Scope;
  readonly onClose: () => void;
}

/** Names by id. */
export type Computers = Readonly<Record<string, string>>;
