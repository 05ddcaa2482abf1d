import { ALARM_LENGTH } from '../domain/alarm.ts';
import { nextEnd, type Milliseconds } from '../domain/countdown.ts';
import { hasRunning } from '../domain/timers.ts';
import { sound, type Ring } from './sound.ts';
import { keeper, type EndedTimer } from './timerState.ts';

/**
 * How long before the end of a round its alarm is scheduled on the AudioContext's clock, which a busy page can't delay.
 */
const SCHEDULE_AHEAD_MS: Milliseconds = 1500;
/**
 * Maximum difference between two times that count as the same end. A larger one, as after sleep, needs another alarm.
 */
const SAME_END_TOLERANCE_MS: Milliseconds = 250;

interface PlannedAlarm {
  readonly end: Milliseconds;
  readonly stop: () => void;
}

const planned = new Map<number, PlannedAlarm>();

/** Number of alarms of this tab that use the lock for sounding, and how to release it. */
let lockUserCount = 0;
let releaseLock: () => void = () => undefined;

/** Returns whether a scheduled alarm still has to start or to end. */
const isAlarmPending = (): boolean =>
  [...planned.values()].some(({ end }) => end + ALARM_LENGTH > keeper.time() + SAME_END_TOLERANCE_MS);

const suspendIfIdle = (): void => {
  if (!hasRunning(keeper.current().all) && !isAlarmPending() && lockUserCount === 0) sound.rest();
};

const release = (): void => {
  lockUserCount -= 1;
  if (lockUserCount > 0) return;
  releaseLock();
  suspendIfIdle();
};

/**
 * Claims the right to sound, so that only one of several tabs does. Over plain HTTP there are no locks, and all sound.
 */
const claim = async (): Promise<boolean> => {
  if (lockUserCount > 0 || !('locks' in navigator)) {
    lockUserCount += 1;
    return true;
  }
  return new Promise((resolve) => {
    void navigator.locks.request('pegboard.timer.alarm', { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(false);
      lockUserCount += 1;
      resolve(true);
      return new Promise<void>((resolveLock) => {
        releaseLock = resolveLock;
      });
    });
  });
};

const scheduleAlarm = (end: Milliseconds): PlannedAlarm => {
  let isStopped = false;
  let playing: Ring | undefined;
  const ring = async (): Promise<void> => {
    if (!(await claim())) return;
    // A timer that stopped while the page was asleep has suspended the audio.
    if (!isStopped) await sound.wake();
    if (isStopped) release();
    else playing = sound.play(end - keeper.time(), release);
  };
  if (sound.state() === 'ready') void ring();
  return {
    end,
    stop: () => {
      isStopped = true;
      playing?.stop();
    },
  };
};

const isSameEnd = (one: Milliseconds | undefined, other: Milliseconds | undefined): boolean =>
  one !== undefined && other !== undefined && Math.abs(one - other) < SAME_END_TOLERANCE_MS;

const scheduleAlarms = (): void => {
  const { all, now } = keeper.current();
  for (const { id, countdown } of all.timers) {
    const end = nextEnd(countdown, now);
    if (
      end === undefined ||
      end - now > SCHEDULE_AHEAD_MS ||
      isSameEnd(planned.get(id)?.end, end) ||
      sound.state() !== 'ready'
    )
      continue;
    planned.set(id, scheduleAlarm(end));
  }
};

/** Removes alarms that have ended, and stops those whose end no longer comes. */
const removeOutdated = (): void => {
  const { all, now } = keeper.current();
  for (const [id, { end, stop }] of planned) {
    const countdown = all.timers.find((timer) => timer.id === id)?.countdown;
    const isComing = countdown !== undefined && isSameEnd(nextEnd(countdown, now), end);
    const isCancelled = end > now + SAME_END_TOLERANCE_MS && !isComing;
    if (isCancelled) stop();
    if (isCancelled || end <= now - ALARM_LENGTH) planned.delete(id);
  }
};

const update = (): void => {
  removeOutdated();
  scheduleAlarms();
  suspendIfIdle();
};

/** Plays alarms that could not be scheduled because the page was asleep, for the rest of their length. */
const playLate = (ended: readonly EndedTimer[]): void => {
  for (const { timer, at } of ended) {
    if (isSameEnd(planned.get(timer.id)?.end, at) || keeper.time() - at >= ALARM_LENGTH) continue;
    planned.get(timer.id)?.stop();
    planned.set(timer.id, scheduleAlarm(at));
  }
};

let testRing: Ring | undefined;

export const ringing = {
  /** Plays an alarm at each end of a round from now on. */
  begin: (): void => {
    keeper.subscribe(update);
    keeper.onEnds(playLate);
    update();
  },
  /** Silences the alarm of a timer, and lets it be scheduled again. */
  hush: (id: number): void => {
    planned.get(id)?.stop();
    planned.delete(id);
  },
  /** Plays the alarm from its start ('Test audio'). */
  test: async (): Promise<void> => {
    await sound.wake();
    testRing?.stop();
    lockUserCount += 1;
    testRing = sound.play(0, release);
  },
};
