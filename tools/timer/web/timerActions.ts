import { notices } from '#platform/web/app/notices.ts';
import {
  changeLeft,
  changeLoop,
  changeOnce,
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
  timerStore.change((all, now) => {
    const timer = getSelectedTimer(all);
    if (!timer) return all;
    const after = update(timer.countdown, now);
    if (after === timer.countdown) return all;
    announce(describeChange(timer.countdown, after, now, all.timers.length === 1 ? undefined : timer.name));
    alarms.silence(timer.id);
    return withCountdown(all, timer.id, after);
  });
}

function changeStopwatch(update: (stopwatch: Stopwatch, now: Milliseconds) => Stopwatch): void {
  timerStore.change((all, now) => {
    const stopwatch = update(all.stopwatch, now);
    announce(describeStopwatchChange(all.stopwatch, stopwatch, now));
    return stopwatch === all.stopwatch ? all : { ...all, stopwatch };
  });
}

function restoreTimer({ name, countdown }: NamedTimer): void {
  timerStore.change((all) => {
    const extended = addTimer(all, name);
    return extended === all ? all : withCountdown(extended, extended.chosen, countdown);
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
  setLeft: (left: Milliseconds): void => {
    recentLengths.add(left);
    changeSelected((countdown, now) => changeLeft(countdown, left, now));
  },
  /** Starts a full round of this length. */
  setRound: (loop: Milliseconds): void => {
    recentLengths.add(loop);
    changeSelected((countdown, now) => changeRound(countdown, loop, now));
  },
  setOnce: (once: boolean): void => changeSelected((countdown, now) => changeOnce(countdown, once, now)),
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
  select: (id: number): void => timerStore.change((all) => selectTimer(all, id)),
  add: (): void => timerStore.change((all) => addTimer(all)),
  rename: (id: number, input: string): void => {
    const parsed = parseName(input);
    if ('problem' in parsed) notices.add('bad', parsed.problem);
    else timerStore.change((all) => renameTimer(all, id, parsed.name));
  },
  remove: (timer: NamedTimer): void => {
    alarms.silence(timer.id);
    timerStore.change((all) => removeTimer(all, timer.id));
    notices.addWithAction(`Deleted ${timer.name}`, 'Undo', () => restoreTimer(timer));
  },
};
