import { notices } from '#platform/web/app/notices.ts';
import {
  changeRemaining,
  changeLoop,
  changeStopsAtEnd,
  changeRound,
  pause,
  reset,
  start,
  type Countdown,
  type Milliseconds,
} from '../domain/countdown.ts';
import { addLap, pauseStopwatch, resetStopwatch, startStopwatch, type Stopwatch } from '../domain/stopwatch.ts';
import { describeChange, describeStopwatchChange } from '../domain/timeDisplay.ts';
import {
  addTimer,
  selectTimer,
  getSelectedTimer,
  parseName,
  removeTimer,
  renameTimer,
  withCountdown,
  type NamedTimer,
} from '../domain/timers.ts';
import { alarms } from './alarms.ts';
import { announce } from './announcements.ts';
import { recentLengths } from './Presets.tsx';
import { sound } from './sound.ts';
import { timerStore } from './timerStore.ts';

function changeSelected(update: (countdown: Countdown, now: Milliseconds) => Countdown): void {
  timerStore.change((state, now) => {
    const timer = getSelectedTimer(state);
    if (!timer) return state;
    const after = update(timer.countdown, now);
    if (after === timer.countdown) return state;
    announce(describeChange(timer.countdown, after, now, state.timers.length === 1 ? undefined : timer.name));
    alarms.silence(timer.id);
    return withCountdown(state, timer.id, after);
  });
}

function changeStopwatch(update: (stopwatch: Stopwatch, now: Milliseconds) => Stopwatch): void {
  timerStore.change((state, now) => {
    const stopwatch = update(state.stopwatch, now);
    announce(describeStopwatchChange(state.stopwatch, stopwatch, now));
    return stopwatch === state.stopwatch ? state : { ...state, stopwatch };
  });
}

function restoreTimer({ name, countdown }: NamedTimer): void {
  timerStore.change((state) => {
    const extended = addTimer(state, name);
    return extended === state ? state : withCountdown(extended, extended.chosen, countdown);
  });
}

/** Actions on the selected timer. */
export const countdownActions = {
  toggle: (): void => {
    void sound.resume();
    changeSelected((countdown, now) => (countdown.since === undefined ? start(countdown, now) : pause(countdown, now)));
  },
  reset: (): void => changeSelected(reset),
  setLoop: (loop: Milliseconds): void => {
    recentLengths.add(loop);
    changeSelected((countdown, now) => changeLoop(countdown, loop, now));
  },
  setRemaining: (remaining: Milliseconds): void => {
    recentLengths.add(remaining);
    changeSelected((countdown, now) => changeRemaining(countdown, remaining, now));
  },
  /** Starts a full round of this length. */
  setRound: (loop: Milliseconds): void => {
    recentLengths.add(loop);
    changeSelected((countdown, now) => changeRound(countdown, loop, now));
  },
  setStopsAtEnd: (stopsAtEnd: boolean): void =>
    changeSelected((countdown, now) => changeStopsAtEnd(countdown, stopsAtEnd, now)),
};

export const stopwatchActions = {
  toggle: (): void =>
    changeStopwatch((stopwatch, now) =>
      stopwatch.since === undefined ? startStopwatch(stopwatch, now) : pauseStopwatch(stopwatch, now),
    ),
  reset: (): void => changeStopwatch(resetStopwatch),
  lap: (): void => changeStopwatch(addLap),
};

export const timerActions = {
  select: (id: number): void => timerStore.change((state) => selectTimer(state, id)),
  add: (): void => timerStore.change((state) => addTimer(state)),
  rename: (id: number, input: string): void => {
    const parsed = parseName(input);
    if ('problem' in parsed) notices.add('bad', parsed.problem);
    else timerStore.change((state) => renameTimer(state, id, parsed.name));
  },
  remove: (timer: NamedTimer): void => {
    alarms.silence(timer.id);
    timerStore.change((state) => removeTimer(state, timer.id));
    notices.addWithAction(`Deleted ${timer.name}`, 'Undo', () => restoreTimer(timer));
  },
};
