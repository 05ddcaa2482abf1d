// Plain values, and no shapes: the rules and whatever a page loads may have them without the calls. Lengths are in Unicode code points.

export const NAME_LIMIT = 200;
export const DESCRIPTION_LIMIT = 5000;
export const MAX_SLOTS_PER_DAY = 200;
/** On all days together, those deleted lately among them. */
export const SLOTS_LIMIT = 100_000;
export const SAVED_WEEKS = 100;
/** Last week, this one and the next four. */
export const WEEKS = { before: 1, after: 4 } as const;

/** In the order in which the status button cycles. */
export const statuses = ['Not Started', 'In Progress', 'Done', 'Skipped'] as const;

/** The name that marks a slot as deleted, in `savespecific`. No slot can have it. */
export const DELETED = 'byebyeSLOT';
