/** Longer steps than this are jumps: timers of a page in the background come about once a second. */
const STEP_SECONDS = 5;
const MAX_HEARD_SECONDS = 240;

/** Seconds that were really heard, after the place went from one second to another. */
export function heardAfter(heard: number, from: number, to: number): number {
  return to > from && to - from < STEP_SECONDS ? heard + to - from : heard;
}

/** Whether so much of a song counts as having played it: half of it, or four minutes. */
export function countsAsPlayed(heard: number, duration: number): boolean {
  return duration > 0 && heard >= Math.min(duration / 2, MAX_HEARD_SECONDS);
}
