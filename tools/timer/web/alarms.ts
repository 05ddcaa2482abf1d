import { ALARM_LENGTH_MS } from '../domain/alarm.ts';
import { getNextEnd, type Milliseconds } from '../domain/countdown.ts';
import { hasRunningTimer } from '../domain/timers.ts';
import { sound, type PlayingAlarm } from './sound.ts';
import { timerStore, type EndedTimer } from './timerStore.ts';

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

const plannedAlarms = new Map<number, PlannedAlarm>();

/** Number of alarms of this tab that use the lock. */
let lockUserCount = 0;
let releaseLock: () => void = () => undefined;

/** Returns whether a scheduled alarm has not ended yet. */
const isAlarmPending = (): boolean =>
  [...plannedAlarms.values()].some(({ end }) => end + ALARM_LENGTH_MS > timerStore.getNow() + SAME_END_TOLERANCE_MS);

function suspendIfIdle(): void {
  if (!hasRunningTimer(timerStore.getSnapshot().state) && !isAlarmPending() && lockUserCount === 0) sound.suspend();
}

function releaseSound(): void {
  lockUserCount -= 1;
  if (lockUserCount > 0) return;
  releaseLock();
  suspendIfIdle();
}

/**
 * Claims the right to sound, so that only one of several tabs does. Over plain HTTP there are no locks, and all sound.
 */
async function claimSound(): Promise<boolean> {
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
}

function scheduleAlarm(end: Milliseconds): PlannedAlarm {
  let isStopped = false;
  let ringingAlarm: PlayingAlarm | undefined;
  async function ring(): Promise<void> {
    if (!(await claimSound())) return;
    // A timer that stopped while the page was asleep has suspended the audio.
    if (!isStopped) await sound.resume();
    if (isStopped) releaseSound();
    else ringingAlarm = sound.play(end - timerStore.getNow(), releaseSound);
  }
  if (sound.getState() === 'ready') void ring();
  return {
    end,
    stop: () => {
      isStopped = true;
      ringingAlarm?.stop();
    },
  };
}

const isSameEnd = (a: Milliseconds | undefined, b: Milliseconds | undefined): boolean =>
  a !== undefined && b !== undefined && Math.abs(a - b) < SAME_END_TOLERANCE_MS;

function scheduleAlarms(): void {
  const { state, now } = timerStore.getSnapshot();
  for (const { id, countdown } of state.timers) {
    const end = getNextEnd(countdown, now);
    if (
      end === undefined ||
      end - now > SCHEDULE_AHEAD_MS ||
      isSameEnd(plannedAlarms.get(id)?.end, end) ||
      sound.getState() !== 'ready'
    )
      continue;
    plannedAlarms.set(id, scheduleAlarm(end));
  }
}

/** Removes alarms that have ended, and stops those whose timer was paused or changed. */
function removeOutdatedAlarms(): void {
  const { state, now } = timerStore.getSnapshot();
  for (const [id, { end, stop }] of plannedAlarms) {
    const countdown = state.timers.find((timer) => timer.id === id)?.countdown;
    const isExpected = countdown !== undefined && isSameEnd(getNextEnd(countdown, now), end);
    const isCancelled = end > now + SAME_END_TOLERANCE_MS && !isExpected;
    if (isCancelled) stop();
    if (isCancelled || end <= now - ALARM_LENGTH_MS) plannedAlarms.delete(id);
  }
}

function updateAlarms(): void {
  removeOutdatedAlarms();
  scheduleAlarms();
  suspendIfIdle();
}

/** Plays the rest of alarms that could not be scheduled in time because the page was asleep. */
function playLateAlarms(endedTimers: readonly EndedTimer[]): void {
  for (const { timer, at } of endedTimers) {
    if (isSameEnd(plannedAlarms.get(timer.id)?.end, at) || timerStore.getNow() - at >= ALARM_LENGTH_MS) continue;
    plannedAlarms.get(timer.id)?.stop();
    plannedAlarms.set(timer.id, scheduleAlarm(at));
  }
}

let testAlarm: PlayingAlarm | undefined;

export const alarms = {
  /** Plays an alarm at each end of a round from now on. */
  start: (): void => {
    timerStore.subscribe(updateAlarms);
    timerStore.onEnd(playLateAlarms);
    updateAlarms();
  },
  /** Silences the alarm of a timer, and lets it be scheduled again. */
  silence: (id: number): void => {
    plannedAlarms.get(id)?.stop();
    plannedAlarms.delete(id);
  },
  /** Plays the alarm from its start ('Test audio'). */
  test: async (): Promise<void> => {
    await sound.resume();
    testAlarm?.stop();
    lockUserCount += 1;
    testAlarm = sound.play(0, releaseSound);
  },
};
