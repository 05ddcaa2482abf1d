// No schemas here, so that the rules and every page can import these values without the contract.
// Lengths are in code points.

export const MAX_NAME_LENGTH = 200;
export const MAX_DESCRIPTION_LENGTH = 5000;
export const MAX_SLOTS_PER_DAY = 200;
/** Slots per account, including those deleted within the last day. */
export const MAX_SLOTS_PER_ACCOUNT = 100_000;
export const MAX_SAVED_WEEKS = 100;
/** Last week, this week and the next four. */
export const SHOWN_WEEKS = { before: 1, after: 4 } as const;

/** Statuses in the order of the status button. */
export const statuses = ['Not Started', 'In Progress', 'Done', 'Skipped'] as const;

/** Name that marks a slot as deleted in `savespecific`. No slot can have it. */
export const DELETED = 'byebyeSLOT';
