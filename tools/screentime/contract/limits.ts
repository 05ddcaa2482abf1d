// Plain values, and no shapes: the rules and whatever a page loads may have them without the calls. Lengths are in Unicode code points.

/** Of an application's name; agents cut what is longer. */
export const NAME_LIMIT = 500;
/** Of a category's name. */
export const CATEGORY_LIMIT = 100;
export const CATEGORIES_LIMIT = 200;
/** Applications of one account. */
export const APPLICATIONS_LIMIT = 5000;
/** Of a hotkey, as it is written. */
export const KEY_LIMIT = 40;
export const RULES_LIMIT = 500;
export const GOALS_LIMIT = 200;
/** A deleted goal can be brought back for so long. */
export const DELETED_GOAL_TTL_MS = 86_400_000;

/** The name of all applications together (contract.md section 7); a program really called so is `REAL_TOTAL`. */
export const TOTAL = 'total';
export const REAL_TOTAL = 'total (app)';
/** The category of what nobody has sorted. It is always there and has no hotkeys. */
export const UNASSIGNED = 'unassigned';
/** Stands for all devices (specification 2, section 2.2). */
export const ALL_DEVICES = -1;

/** Focused with the person there; open in the background; heard; recording (contract.md section 7). */
export const statuses = ['on', 'off', 's', 'r'] as const;
export type Status = (typeof statuses)[number];
/** The status on a timeline of an application that is not open. */
export const NONE = 'none';

/** No input for so long, and the person is away, from the last input on. */
export const AWAY_TIMEOUT_MS = 180_000;
/** Coming into focus counts as opening after so long elsewhere. */
export const MIN_REOPEN_GAP_MS = 30_000;

/** The days that all pages look at first. */
export const RECENT_DAYS = 14;
/** Segments of one report. */
export const REPORT_SEGMENTS = 1000;
/** Segments of a device on one day of UTC; what comes beyond them is refused. */
export const MAX_SEGMENTS_PER_DAY = 20_000;
/** A device's clock may be so far ahead of the server's; use that is reported beyond is cut off at the server's now. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;
