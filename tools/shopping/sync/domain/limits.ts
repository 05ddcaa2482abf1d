// Plain values, and no shapes: the rules and whatever a page loads may have them without the calls.

/** Marks what is taken away, where a value would stand. */
export const REMOVED = '_REMOVE';
