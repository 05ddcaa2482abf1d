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
import { lap, pauseStopwatch, resetStopwatch, startStopwatch, type Stopwatch } from '../domain/stopwatch.ts';
import { announceChange, announceStopwatch } from '../domain/timeDisplay.ts';
import {
  addTimer,
  chooseTimer,
  getSelectedTimer,
  readName,
  removeTimer,
  renameTimer,
  withCountdown,
  type NamedTimer,
} from '../domain/timers.ts';
import { say } from './announcements.ts';
import { recentLengths } from './Presets.tsx';
import { ringing } from './ringing.ts';
import { sound } from './sound.ts';
import { keeper } from './timerState.ts';

const changeChosen = (update: (countdown: Countdown, now: Milliseconds) => Countdown): void => {
  keeper.change((all, now) => {
    const timer = getSelectedTimer(all);
    if (!timer) return all;
    const after = update(timer.countdown, now);
    if (after === timer.countdown) return all;
    say(announceChange(timer.countdown, after, now, all.timers.length === 1 ? undefined : timer.name));
    ringing.hush(timer.id);
    return withCountdown(all, timer.id, after);
  });
};

const changeStopwatch = (update: (stopwatch: Stopwatch, now: Milliseconds) => Stopwatch): void => {
  keeper.change((all, now) => {
    const stopwatch = update(all.stopwatch, now);
    say(announceStopwatch(all.stopwatch, stopwatch, now));
    return stopwatch === all.stopwatch ? all : { ...all, stopwatch };
  });
};

const restoreTimer = ({ name, countdown }: NamedTimer): void => {
  keeper.change((all) => {
    const extended = addTimer(all, name);
    return extended === all ? all : withCountdown(extended, extended.chosen, countdown);
  });
};

/** Actions on the selected timer. */
export const countdownActs = {
  toggle: (): void => {
    void sound.wake();
    changeChosen((countdown, now) => (countdown.since === undefined ? start(countdown, now) : pause(countdown, now)));
  },
  reset: (): void => changeChosen(reset),
  setLoop: (loop: Milliseconds): void => {
    recentLengths.add(loop);
    changeChosen((countdown, now) => changeLoop(countdown, loop, now));
  },
  setLeft: (left: Milliseconds): void => {
    recentLengths.add(left);
    changeChosen((countdown, now) => changeLeft(countdown, left, now));
  },
  /** Starts a full round of this length. */
  setRound: (loop: Milliseconds): void => {
    recentLengths.add(loop);
    changeChosen((countdown, now) => changeRound(countdown, loop, now));
  },
  setOnce: (once: boolean): void => changeChosen((countdown, now) => changeOnce(countdown, once, now)),
};

export const stopwatchActs = {
  toggle: (): void =>
    changeStopwatch((stopwatch, now) =>
      stopwatch.since === undefined ? startStopwatch(stopwatch, now) : pauseStopwatch(stopwatch, now),
    ),
  reset: (): void => changeStopwatch(resetStopwatch),
  lap: (): void => changeStopwatch(lap),
};

export const timerActs = {
  choose: (id: number): void => keeper.change((all) => chooseTimer(all, id)),
  add: (): void => keeper.change((all) => addTimer(all)),
  rename: (id: number, input: string): void => {
    const read = readName(input);
    if ('problem' in read) notices.add('bad', read.problem);
    else keeper.change((all) => renameTimer(all, id, read.name));
  },
  remove: (timer: NamedTimer): void => {
    ringing.hush(timer.id);
    keeper.change((all) => removeTimer(all, timer.id));
    notices.addWithAction(`Deleted ${timer.name}`, 'Undo', () => restoreTimer(timer));
  },
};
