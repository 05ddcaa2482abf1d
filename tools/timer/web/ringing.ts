import { ALARM_LENGTH } from '../domain/alarm.ts';
import { nextEnd, type Milliseconds } from '../domain/countdown.ts';
import { hasRunning } from '../domain/timers.ts';
import { sound, type Ring } from './sound.ts';
import { keeper, type EndedTimer } from './timerState.ts';

/** So long before a round's end its alarm is set by the loudspeaker's own clock, which no busy page holds up. */
const AHEAD: Milliseconds = 1500;
/** A round that ends this much beside the plan, as after sleep, has another alarm. */
const SAME: Milliseconds = 250;

interface PlannedAlarm {
  readonly end: Milliseconds;
  readonly stop: () => void;
}

const planned = new Map<number, PlannedAlarm>();

/** How many alarms of this tab hold the one right to sound, and how to give it up. */
let holders = 0;
let giveUp: () => void = () => undefined;

/** Whether an alarm that was planned still has to begin or to end. */
const isAwaited = (): boolean => [...planned.values()].some(({ end }) => end + ALARM_LENGTH > keeper.time() + SAME);

const rest = (): void => {
  if (!hasRunning(keeper.current().all) && !isAwaited() && holders === 0) sound.rest();
};

const release = (): void => {
  holders -= 1;
  if (holders > 0) return;
  giveUp();
  rest();
};

/** Of several tabs one sounds. Over plain http tabs cannot agree, and all do. */
const claim = async (): Promise<boolean> => {
  if (holders > 0 || !('locks' in navigator)) {
    holders += 1;
    return true;
  }
  return new Promise((answer) => {
    void navigator.locks.request('pegboard.timer.alarm', { ifAvailable: true }, (lock) => {
      if (lock === null) return answer(false);
      holders += 1;
      answer(true);
      return new Promise<void>((over) => {
        giveUp = over;
      });
    });
  });
};

const plan = (end: Milliseconds): PlannedAlarm => {
  let over = false;
  let ring: Ring | undefined;
  const begin = async (): Promise<void> => {
    if (!(await claim())) return;
    // A timer that stopped by itself while the page was asleep has let the loudspeaker go.
    if (!over) await sound.wake();
    if (over) release();
    else ring = sound.play(end - keeper.time(), release);
  };
  if (sound.state() === 'ready') void begin();
  return {
    end,
    stop: () => {
      over = true;
      ring?.stop();
    },
  };
};

const isSame = (one: Milliseconds | undefined, other: Milliseconds | undefined): boolean =>
  one !== undefined && other !== undefined && Math.abs(one - other) < SAME;

const planAhead = (): void => {
  const { all, now } = keeper.current();
  for (const { id, countdown } of all.timers) {
    const end = nextEnd(countdown, now);
    if (end === undefined || end - now > AHEAD || isSame(planned.get(id)?.end, end) || sound.state() !== 'ready')
      continue;
    planned.set(id, plan(end));
  }
};

/** What has begun sounds to its end; what was planned for an end that does not come is taken back. */
const forget = (): void => {
  const { all, now } = keeper.current();
  for (const [id, { end, stop }] of planned) {
    const countdown = all.timers.find((timer) => timer.id === id)?.countdown;
    const isComing = countdown !== undefined && isSame(nextEnd(countdown, now), end);
    const isTakenBack = end > now + SAME && !isComing;
    if (isTakenBack) stop();
    if (isTakenBack || end <= now - ALARM_LENGTH) planned.delete(id);
  }
};

const follow = (): void => {
  forget();
  planAhead();
  rest();
};

/** What was not planned, as the page was asleep, sounds for as long as it still would. */
const soundLate = (ended: readonly EndedTimer[]): void => {
  for (const { timer, at } of ended) {
    if (isSame(planned.get(timer.id)?.end, at) || keeper.time() - at >= ALARM_LENGTH) continue;
    planned.get(timer.id)?.stop();
    planned.set(timer.id, plan(at));
  }
};

let test: Ring | undefined;

export const ringing = {
  /** From now on rounds that end are heard. */
  begin: (): void => {
    keeper.subscribe(follow);
    keeper.onEnds(soundLate);
    follow();
  },
  /** This timer's alarm falls silent, and what is planned for it is planned anew. */
  hush: (id: number): void => {
    planned.get(id)?.stop();
    planned.delete(id);
  },
  /** 'Test audio': the alarm, from its beginning. */
  test: async (): Promise<void> => {
    await sound.wake();
    test?.stop();
    holders += 1;
    test = sound.play(0, release);
  },
};
