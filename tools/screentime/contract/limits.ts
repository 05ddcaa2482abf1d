import { DAY_MS, MINUTE_MS } from '#platform/contract/duration.ts';

// Plain values without schemas, so that rules and pages can import them without the calls. Lengths are in Unicode code
// points.

/** Max length of an application's name; agents cut longer ones. */
export const MAX_NAME_LENGTH = 500;
/** Max length of a category's name. */
export const MAX_CATEGORY_LENGTH = 100;
export const MAX_CATEGORIES = 200;
/** Max applications per account. */
export const MAX_APPLICATIONS = 5000;
/** Max length of a hotkey, as written. */
export const MAX_HOTKEY_LENGTH = 40;
export const MAX_RULES = 500;
export const MAX_GOALS = 200;
/** How long a deleted goal can be restored. */
export const DELETED_GOAL_TTL_MS = DAY_MS;

/**
 * Name of all applications together (docs/specification/screentime.md section 3.1). A real program of this name is
 * `REAL_TOTAL`.
 */
export const TOTAL = 'total';
export const REAL_TOTAL = 'total (app)';
/** Category of applications that are not sorted. It always exists. */
export const UNASSIGNED = 'unassigned';
/** Stands for all devices (docs/specification/screentime.md section 1.2). */
export const ALL_DEVICES = -1;

/** Focused and not away; open in the background; sound; recording (docs/specification/screentime.md section 3.4). */
export const STATUSES = ['on', 'off', 's', 'r'] as const;
export type Status = (typeof STATUSES)[number];
/** Status on a timeline while an application is not open. */
export const NONE = 'none';

/** After this time without input, the person counts as away since the last input. */
export const AWAY_TIMEOUT_MS = 3 * MINUTE_MS;
/** Getting the focus counts as opening after this time without it. */
export const MIN_REOPEN_GAP_MS = 30_000;

/** Days that all pages show first. */
export const RECENT_DAYS = 14;
/** Max segments per report. */
export const MAX_SEGMENTS_PER_REPORT = 1000;
/** Max segments of a device per UTC day; more are refused. */
export const MAX_SEGMENTS_PER_DAY = 20_000;
/** How far a device's clock may be ahead of the server's. Usage beyond is cut at the server's time. */
export const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;
