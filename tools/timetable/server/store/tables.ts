import type { Generated, Kysely } from 'kysely';

export type TimetableTables = {
  /**
   * `day`: ISO date. Minutes: wall clock. `colour`: 0xRRGGBB.
   * `changed`, `gone` (when it was deleted): epoch milliseconds.
   */
  timetable_slot: {
    id: Generated<number>;
    account: number;
    day: string;
    start_minute: number;
    end_minute: number;
    name: string;
    description: string;
    colour: number;
    status: string;
    changed: number;
    gone: number | null;
  };
  /** `days`: JSON of seven lists of slots, Monday first. `slots`: their number. */
  timetable_week: {
    id: Generated<number>;
    account: number;
    name: string;
    slots: number;
    days: string;
    saved: number;
  };
  timetable_book: { account: number; revision: number; in_feed: number };
};

/** Returns a connection or a transaction with the types of these tables. */
export function withTimetableTables(source: Kysely<unknown>) {
  return source.$extendTables<TimetableTables>();
}
