import type { AgentContext } from '#platform/agent/tool.ts';
import { handleEvent } from '#platform/agent/tool.ts';
import { motionToDevice } from '../contract.ts';
import { beginTilt, followTilt, type Tilt } from '../domain/tilt.ts';
import { createHands, CONTROLLER_TIMEOUT_MS, type ControllerHand, type ControllerState } from './controllers.ts';

/** 120 times per second. */
const TICK_MS = 1000 / 120;
/** The movement of an event is spread until the next one is due, but not longer than this. */
const SPREAD_LIMIT_MS = 40;
const MIN_GAP_MS = 24;

interface PendingMotion {
  readonly dx: number;
  readonly dy: number;
  readonly wheel: number;
}
const NO_MOTION: PendingMotion = { dx: 0, dy: 0, wheel: 0 };

type Motion = Parameters<Parameters<typeof handleEvent<typeof motionToDevice>>[1]>[0];

interface PhoneOptions extends Pick<AgentContext, 'drivers'> {
  readonly controller: number;
  readonly grip: ControllerState;
}

/**
 * Returns the due share in whole pixels. If a whole pixel is pending, it is at least that, so that the pointer reacts
 * immediately.
 */
const getDuePixels = (pending: number, share: number): number => {
  const pixels = Math.trunc(pending * share);
  return pixels === 0 && Math.abs(pending) >= 1 ? Math.sign(pending) : pixels;
};

/** Moves the pointer for one phone: events arrive about every 30 ms, and the pointer moves 120 times per second. */
const createPhone = ({ drivers, controller, grip }: PhoneOptions): ControllerHand<Motion> => {
  const { mouse } = drivers;
  const name = `tilt ${controller}`;
  let tilt: Tilt | undefined;
  let recentered = 0;
  let lastAt = 0;
  let pending = NO_MOTION;
  let dueAt = 0;
  let lastMovedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const stopTimer = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  /** Moves by the share for the elapsed time, in whole pixels and steps; the rest stays pending. */
  const moveByShare = (): void => {
    const now = performance.now();
    const share = dueAt <= now ? 1 : Math.min(1, (now - lastMovedAt) / (dueAt - lastMovedAt));
    lastMovedAt = now;
    const pixels = { dx: getDuePixels(pending.dx, share), dy: getDuePixels(pending.dy, share) };
    const wheel = Math.trunc(pending.wheel);
    if (pixels.dx !== 0 || pixels.dy !== 0) mouse.move(pixels.dx, pixels.dy);
    if (wheel !== 0) mouse.wheel(0, wheel);
    pending = { dx: pending.dx - pixels.dx, dy: pending.dy - pixels.dy, wheel: pending.wheel - wheel };
    if (dueAt <= now) stopTimer();
  };
  const begin = (event: Motion, now: number): void => {
    tilt = beginTilt(event.orientation, event.reset.scroll);
    recentered = event.recentered ?? 0;
    lastAt = now;
    pending = NO_MOTION;
  };
  const follow = (from: Tilt, event: Motion, now: number): void => {
    const { orientation, reset, sensitivity = 1 } = event;
    if ((event.recentered ?? 0) !== recentered) {
      mouse.centre();
      return begin(event, now);
    }
    // Events that the network delivered together were not sent together, so they do not mean a faster movement.
    const gap = Math.min(Math.max(now - lastAt, MIN_GAP_MS), CONTROLLER_TIMEOUT_MS);
    lastAt = now;
    const step = followTilt(from, orientation, reset, gap / 1000);
    tilt = step.tilt;
    const { dx, dy, wheel } = step.travel;
    pending =
      reset.lift || reset.scroll !== from.scroll
        ? NO_MOTION
        : {
            dx: pending.dx + dx * sensitivity,
            dy: pending.dy + dy * sensitivity,
            wheel: pending.wheel + wheel * sensitivity,
          };
    lastMovedAt = now - TICK_MS;
    dueAt = now + Math.min(gap, SPREAD_LIMIT_MS) - TICK_MS;
    timer ??= setInterval(moveByShare, TICK_MS);
    moveByShare();
  };

  return {
    take: (event) => {
      const now = performance.now();
      grip.set(name, 'left', event.reset.lmb);
      if (tilt) follow(tilt, event, now);
      else begin(event, now);
    },
    release: () => {
      stopTimer();
      grip.release(name);
    },
  };
};

/** Handles the motion of all phones. */
export function motionHandler(context: AgentContext, grip: ControllerState) {
  const { drivers } = context;
  const hands = createHands<Motion>(context, (controller) => createPhone({ drivers, controller, grip }));
  return { ...handleEvent(motionToDevice, (event) => hands.take(event.controller, event)), release: hands.release };
}
