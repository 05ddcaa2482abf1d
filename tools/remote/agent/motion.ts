import type { AgentGround, EventHandler } from '#platform/agent/tool.ts';
import { receive } from '#platform/agent/tool.ts';
import { motionToDevice } from '../contract.ts';
import { beginTilt, followTilt, type Tilt } from '../domain/tilt.ts';

/** 120 times a second. */
const TICK_MS = 1000 / 120;
/** An event's travel is spread over the time until the next one is due, and no longer than this. */
const SPREAD_LIMIT_MS = 40;
const USUAL_GAP_MS = 30;
/** Silence for so long: the phone is gone, the button is let go, and the next event sets a new zero. */
export const SILENCE_MS = 500;

interface Owed {
  readonly dx: number;
  readonly dy: number;
  readonly wheel: number;
}
const NOTHING: Owed = { dx: 0, dy: 0, wheel: 0 };

/** Moves the pointer as the phone is turned: the events come about every 30 ms, the pointer goes 120 times a second. */
export const motionHandler = ({ drivers, allowed, onDisconnect }: AgentGround): EventHandler & { stop: () => void } => {
  const { mouse } = drivers;
  let tilt: Tilt | undefined;
  let lastAt = 0;
  let owed = NOTHING;
  let dueAt = 0;
  let paidAt = 0;
  let isLeftDown = false;
  let ticking: NodeJS.Timeout | undefined;
  let silence: NodeJS.Timeout | undefined;

  const setLeft = (down: boolean): void => {
    if (down === isLeftDown) return;
    isLeftDown = down;
    mouse.button('left', down);
  };

  /** Pays the part of what is owed that belongs to the time gone by; whole pixels and steps only, the rest stays owed. */
  const pay = (): void => {
    const now = performance.now();
    const share = dueAt <= now ? 1 : Math.min(1, (now - paidAt) / (dueAt - paidAt));
    paidAt = now;
    const pixels = { dx: Math.trunc(owed.dx * share), dy: Math.trunc(owed.dy * share) };
    const wheel = Math.trunc(owed.wheel);
    if (pixels.dx !== 0 || pixels.dy !== 0) mouse.move(pixels.dx, pixels.dy);
    if (wheel !== 0) mouse.wheel(0, wheel);
    owed = { dx: owed.dx - pixels.dx, dy: owed.dy - pixels.dy, wheel: owed.wheel - wheel };
    if (dueAt > now) return;
    clearInterval(ticking);
    ticking = undefined;
  };

  const rest = (): void => {
    clearInterval(ticking);
    clearTimeout(silence);
    ticking = undefined;
    tilt = undefined;
    owed = NOTHING;
    setLeft(false);
  };
  onDisconnect(rest);

  const handler = receive(motionToDevice, ({ orientation, reset }) => {
    if (!allowed.mouse || !mouse.ability.able) return;
    clearTimeout(silence);
    silence = setTimeout(rest, SILENCE_MS);
    const now = performance.now();
    setLeft(reset.lmb);
    if (!tilt) {
      tilt = beginTilt(orientation);
      lastAt = now;
      return;
    }
    // Two events that the network brought together are not an infinitely fast hand.
    const gap = Math.min(Math.max(now - lastAt, USUAL_GAP_MS / 3), SILENCE_MS);
    lastAt = now;
    const step = followTilt(tilt, orientation, reset, gap / 1000);
    tilt = step.tilt;
    owed = reset.lift
      ? NOTHING
      : { dx: owed.dx + step.travel.dx, dy: owed.dy + step.travel.dy, wheel: owed.wheel + step.travel.wheel };
    paidAt = now - TICK_MS;
    dueAt = now + Math.min(gap, SPREAD_LIMIT_MS) - TICK_MS;
    ticking ??= setInterval(pay, TICK_MS);
    pay();
  });
  return { ...handler, stop: rest };
};
