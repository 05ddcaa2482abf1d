import { reachability } from '#platform/web/app/reachability.ts';

/** A line that brings nothing for so long, such as one that a phone slept over, is opened anew. */
const STALLS_MS = 20_000;
/** The same where the server is known to be away: a browser may try in silence for minutes. */
const AWAY_MS = 2000;

/** Tells when what is waited for has not come for too long. */
export const watchStalls = (onStall: () => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWaiting = false;
  const anew = (): void => {
    clearTimeout(timer);
    timer = isWaiting ? setTimeout(onStall, reachability.isReachable() ? STALLS_MS : AWAY_MS) : undefined;
  };
  reachability.subscribe(anew);
  return {
    /** Something else is waited for from now on. */
    anew,
    follow: (next: boolean): void => {
      if (next === isWaiting) return;
      isWaiting = next;
      anew();
    },
  };
};
