import { handleEvent, type AgentContext } from '#platform/agent/tool.ts';
import type { EventDataOf } from '#platform/contract/event.ts';
import { motionToDevice } from '../contract.ts';
import { startTilt, updateTilt, type Tilt } from '../domain/tilt.ts';
import { createControllers, CONTROLLER_TIMEOUT_MS, type ControllerHandler, type ButtonHolds } from './controllers.ts';

/** The pointer moves 120 times per second. */
const TICK_MS = 1000 / 120;
/** The movement of an event is spread until the next one is due, but not longer than this. */
const MAX_SPREAD_MS = 40;
const MIN_GAP_MS = 24;

interface PendingMotion {
  readonly dx: number;
  readonly dy: number;
  readonly wheel: number;
}
const NO_MOTION: PendingMotion = { dx: 0, dy: 0, wheel: 0 };

type Motion = EventDataOf<typeof motionToDevice>;

interface PhoneDeps extends Pick<AgentContext, 'drivers'> {
  readonly controller: number;
  readonly buttonHolds: ButtonHolds;
}

/** Returns the due share in whole pixels, but at least one if a whole pixel is pending, so that the pointer reacts. */
function getDuePixels(pending: number, share: number): number {
  const pixels = Math.trunc(pending * share);
  return pixels === 0 && Math.abs(pending) >= 1 ? Math.sign(pending) : pixels;
}

/** Moves the pointer for one phone, which sends an event about every 30 ms. */
function createPhoneHandler({ drivers, controller, buttonHolds }: PhoneDeps): ControllerHandler<Motion> {
  const { mouse } = drivers;
  const name = `tilt ${controller}`;
  let tilt: Tilt | undefined;
  let recentered = 0;
  let lastEventAt = 0;
  let pending = NO_MOTION;
  let dueAt = 0;
  let lastMovedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function stopTimer(): void {
    clearInterval(timer);
    timer = undefined;
  }
  /** Moves by the share for the elapsed time, in whole pixels and steps; the rest stays pending. */
  function moveByShare(): void {
    const now = performance.now();
    const share = dueAt <= now ? 1 : Math.min(1, (now - lastMovedAt) / (dueAt - lastMovedAt));
    lastMovedAt = now;
    const pixels = { dx: getDuePixels(pending.dx, share), dy: getDuePixels(pending.dy, share) };
    const wheel = Math.trunc(pending.wheel);
    if (pixels.dx !== 0 || pixels.dy !== 0) mouse.move(pixels.dx, pixels.dy);
    if (wheel !== 0) mouse.wheel(0, wheel);
    pending = { dx: pending.dx - pixels.dx, dy: pending.dy - pixels.dy, wheel: pending.wheel - wheel };
    if (dueAt <= now) stopTimer();
  }
  function restart(event: Motion, now: number): void {
    tilt = startTilt(event.orientation, event.reset.scroll);
    recentered = event.recentered ?? 0;
    lastEventAt = now;
    pending = NO_MOTION;
  }
  function update(previous: Tilt, event: Motion, now: number): void {
    const { orientation, reset, sensitivity = 1 } = event;
    if ((event.recentered ?? 0) !== recentered) {
      mouse.centre();
      return restart(event, now);
    }
    // Events that the network delivered together do not mean a faster movement.
    const gap = Math.min(Math.max(now - lastEventAt, MIN_GAP_MS), CONTROLLER_TIMEOUT_MS);
    lastEventAt = now;
    const step = updateTilt(previous, orientation, reset, gap / 1000);
    tilt = step.tilt;
    const { dx, dy, wheel } = step.motion;
    pending =
      reset.lift || reset.scroll !== previous.scroll
        ? NO_MOTION
        : {
            dx: pending.dx + dx * sensitivity,
            dy: pending.dy + dy * sensitivity,
            wheel: pending.wheel + wheel * sensitivity,
          };
    lastMovedAt = now - TICK_MS;
    dueAt = now + Math.min(gap, MAX_SPREAD_MS) - TICK_MS;
    timer ??= setInterval(moveByShare, TICK_MS);
    moveByShare();
  }

  return {
    handle: (event) => {
      const now = performance.now();
      buttonHolds.set(name, 'left', event.reset.lmb);
      if (tilt) update(tilt, event, now);
      else restart(event, now);
    },
    release: () => {
      stopTimer();
      buttonHolds.release(name);
    },
  };
}

/** Handles the motion of all phones. */
export function createMotionHandler(context: AgentContext, buttonHolds: ButtonHolds) {
  const { drivers } = context;
  const controllers = createControllers<Motion>(context, (controller) =>
    createPhoneHandler({ drivers, controller, buttonHolds }),
  );
  return {
    ...handleEvent(motionToDevice, (event) => controllers.handle(event.controller, event)),
    release: controllers.release,
  };
}
