/** Longer steps are jumps. Timers of a background page run about once a second. */
const STEP_SECONDS = 5;
const MAX_HEARD_SECONDS = 240;

/** Returns the seconds that were actually heard after the position changed. */
export function heardAfter(heard: number, from: number, to: number): number {
  return to > from && to - from < STEP_SECONDS ? heard + to - from : heard;
}

/** Returns whether the song counts as played: after half of it or four minutes. */
export function countsAsPlayed(heard: number, duration: number): boolean {
  return duration > 0 && heard >= Math.min(duration / 2, MAX_HEARD_SECONDS);
}
