const EVENTS_PER_SECOND = 100;
const MAX_BURST = 200;
const OVERLOAD_TIMEOUT_MS = 5000;
/** Over the rate with pauses shorter than this is over it on end. */
const MAX_GAP_MS = 1000;

/** What becomes of an event: it is taken, dropped, or the last drop that the socket had. */
export type RateVerdict = 'taken' | 'dropped' | 'enough';

/**
 * Lets 100 events a second through, 200 at once; `enough` once events were dropped for 5 s on end (reliability.md section 4).
 * `now` is milliseconds of a clock that only goes forward.
 */
export const createTokenBucket = (start: number): ((now: number) => RateVerdict) => {
  let left = MAX_BURST;
  let filled = start;
  let firstDrop = 0;
  let lastDrop = -Infinity;
  return (now) => {
    left = Math.min(MAX_BURST, left + ((now - filled) * EVENTS_PER_SECOND) / 1000);
    filled = now;
    if (left >= 1) {
      left -= 1;
      return 'taken';
    }
    if (now - lastDrop > MAX_GAP_MS) firstDrop = now;
    lastDrop = now;
    return now - firstDrop >= OVERLOAD_TIMEOUT_MS ? 'enough' : 'dropped';
  };
};
