const A_SECOND = 100;
const BURST = 200;
const PATIENCE_MS = 5000;
/** Over the rate with pauses shorter than this is over it on end. */
const PAUSE_MS = 1000;

/** What becomes of an event: it is taken, dropped, or the last drop that the socket had. */
export type Verdict = 'taken' | 'dropped' | 'enough';

/**
 * Lets 100 events a second through, 200 at once; `enough` once events were dropped for 5 s on end (reliability.md section 4).
 * `now` is milliseconds of a clock that only goes forward.
 */
export const makeBucket = (start: number): ((now: number) => Verdict) => {
  let left = BURST;
  let filled = start;
  let firstDrop = 0;
  let lastDrop = -Infinity;
  return (now) => {
    left = Math.min(BURST, left + ((now - filled) * A_SECOND) / 1000);
    filled = now;
    if (left >= 1) {
      left -= 1;
      return 'taken';
    }
    if (now - lastDrop > PAUSE_MS) firstDrop = now;
    lastDrop = now;
    return now - firstDrop >= PATIENCE_MS ? 'enough' : 'dropped';
  };
};
