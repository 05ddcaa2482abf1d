import type { AgentContext } from '#platform/agent/tool.ts';
import { handleEvent } from '#platform/agent/tool.ts';
import { motionToDevice } from '../contract.ts';
import { beginTilt, followTilt, type Tilt } from '../domain/tilt.ts';
import { createHands, CONTROLLER_TIMEOUT_MS, type ControllerHand, type Grip } from './controllers.ts';

/** 120 times a second. */
const TICK_MS = 1000 / 120;
/** An event's travel is spread over the time until the next one is due, and no longer than this. */
const SPREAD_LIMIT_MS = 40;
const MIN_GAP_MS = 24;

interface PendingMotion {
  readonly dx: number;
  readonly dy: number;
  readonly wheel: number;
}
const NOTHING: PendingMotion = { dx: 0, dy: 0, wheel: 0 };

type Motion = Parameters<Parameters<typeof handleEvent<typeof motionToDevice>>[1]>[0];

interface PhoneOptions extends Pick<AgentContext, 'drivers'> {
  readonly controller: number;
  readonly grip: Grip;
}

/** The share of what is owed in whole pixels; where a whole one is owed, at least that: the pointer goes as soon as the hand does. */
const pixelsOf = (owing: number, share: number): number => {
  const part = Math.trunc(owing * share);
  return part === 0 && Math.abs(owing) >= 1 ? Math.sign(owing) : part;
};

/** Moves the pointer as one phone is turned: the events come about every 30 ms, the pointer goes 120 times a second. */
const createPhone = ({ drivers, controller, grip }: PhoneOptions): ControllerHand<Motion> => {
  const { mouse } = drivers;
  const name = `tilt ${controller}`;
  let tilt: Tilt | undefined;
  let recentered = 0;
  let lastAt = 0;
  let owed = NOTHING;
  let dueAt = 0;
  let paidAt = 0;
  let ticking: NodeJS.Timeout | undefined;

  const stopTicking = (): void => {
    clearInterval(ticking);
    ticking = undefined;
  };
  /** Pays the part of what is owed that belongs to the time gone by; whole pixels and steps only, the rest stays owed. */
  const pay = (): void => {
    const now = performance.now();
    const share = dueAt <= now ? 1 : Math.min(1, (now - paidAt) / (dueAt - paidAt));
    paidAt = now;
    const pixels = { dx: pixelsOf(owed.dx, share), dy: pixelsOf(owed.dy, share) };
    const wheel = Math.trunc(owed.wheel);
    if (pixels.dx !== 0 || pixels.dy !== 0) mouse.move(pixels.dx, pixels.dy);
    if (wheel !== 0) mouse.wheel(0, wheel);
    owed = { dx: owed.dx - pixels.dx, dy: owed.dy - pixels.dy, wheel: owed.wheel - wheel };
    if (dueAt <= now) stopTicking();
  };
  const begin = (event: Motion, now: number): void => {
    tilt = beginTilt(event.orientation, event.reset.scroll);
    recentered = event.recentered ?? 0;
    lastAt = now;
    owed = NOTHING;
  };
  const follow = (from: Tilt, event: Motion, now: number): void => {
    const { orientation, reset, sensitivity = 1 } = event;
    if ((event.recentered ?? 0) !== recentered) {
      mouse.centre();
      return begin(event, now);
    }
    // Two events that the network brought together are not a faster hand, they were sent further apart.
    const gap = Math.min(Math.max(now - lastAt, MIN_GAP_MS), CONTROLLER_TIMEOUT_MS);
    lastAt = now;
    const step = followTilt(from, orientation, reset, gap / 1000);
    tilt = step.tilt;
    const { dx, dy, wheel } = step.travel;
    owed =
      reset.lift || reset.scroll !== from.scroll
        ? NOTHING
        : { dx: owed.dx + dx * sensitivity, dy: owed.dy + dy * sensitivity, wheel: owed.wheel + wheel * sensitivity };
    paidAt = now - TICK_MS;
    dueAt = now + Math.min(gap, SPREAD_LIMIT_MS) - TICK_MS;
    ticking ??= setInterval(pay, TICK_MS);
    pay();
  };

  return {
    take: (event) => {
      const now = performance.now();
      grip.set(name, 'left', event.reset.lmb);
      if (tilt) follow(tilt, event, now);
      else begin(event, now);
    },
    letGo: () => {
      stopTicking();
      grip.letGo(name);
    },
  };
};

/** The tilt of every phone that there is. */
export function motionHandler(ground: AgentContext, grip: Grip) {
  const { drivers } = ground;
  const hands = createHands<Motion>(ground, (controller) => createPhone({ drivers, controller, grip }));
  return { ...handleEvent(motionToDevice, (event) => hands.take(event.controller, event)), letGo: hands.letGo };
}
