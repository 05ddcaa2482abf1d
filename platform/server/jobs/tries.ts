/** Tries of a job that may go better in a while. */
export const MAX_ATTEMPTS = 3;
/** Starts of a job, those among them that a killed server broke off: who ends the server each time is not begun for ever. */
export const MAX_STARTS = 5;

/** Seconds until the next try, after so many; undefined after the last. */
export const getRetryDelaySeconds = (attempt: number): number | undefined =>
  attempt < MAX_ATTEMPTS ? 4 ** attempt : undefined;
