import type { Timers } from '#platform/server/schedule/timers.ts';

/** Runs `act` at once when it is asked for, and then at most once in `ms`: what is asked for in between is done at the end of that time. */
export const throttle = (timers: Timers, ms: number, act: () => void) => {
  let isAsked = false;
  let callOff: (() => void) | undefined;
  const run = (): void => {
    isAsked = false;
    callOff = timers.schedule(ms, () => {
      callOff = undefined;
      if (isAsked) run();
    });
    act();
  };
  return {
    ask: (): void => {
      if (callOff === undefined) run();
      else isAsked = true;
    },
    /** Nothing more is done. */
    end: (): void => callOff?.(),
  };
};
