import type { Generated } from 'kysely';

export type TimetableTables = {
  /** `day` ISO; minutes of the wall clock; `colour` 0xRRGGBB; `changed` and `gone` (when it was deleted) in milliseconds since the epoch. */
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
  /** `days` JSON: seven lists of slots, Monday first. `slots` is their count. */
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
