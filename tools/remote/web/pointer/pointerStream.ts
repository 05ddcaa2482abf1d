import { useEffect, useMemo } from 'react';
import { pointer } from '../../contract.ts';
import type { ModifierName } from '../../domain/keys.ts';
import { isDown, mouseButtons, NO_SUMS, type ButtonName, type PointerSums } from '../../domain/pointerSums.ts';
import { resend, withToken } from '../typing/deviceEvents.ts';

/** Unanswered events at the same time: docs/adr/0017-newest-wins-delivery.md. */
const ACK_WINDOW = 8;

/**
 * Returns a function that sends the newest state: at most 8 events are unanswered, and one more with the latest state
 * follows them. So a stalled connection never queues more than that.
 * @param send sends the current state, and resolves with the answer
 */
export function createNewest(send: () => Promise<void>): () => void {
  let unacknowledgedCount = 0;
  let isBehind = false;
  const run = async (): Promise<void> => {
    unacknowledgedCount += 1;
    isBehind = false;
    await send();
    unacknowledgedCount -= 1;
    if (isBehind) void run();
  };
  return () => {
    if (unacknowledgedCount < ACK_WINDOW) void run();
    else isBehind = true;
  };
}

/** Minimum time between two events of a moving finger; a socket may send 100 events per second. */
const MIN_GAP_MS = 15;
const HEARTBEAT_MS = 100;
/** How long the final state is repeated, in case the device was busy. */
const ECHO_MS = 400;
const STREAMS = 2 ** 31;

/** Sends the input of one touchpad. */
export interface PointerStream {
  readonly move: (dx: number, dy: number) => void;
  /** Scrolls by steps of the wheel. */
  readonly scroll: (dx: number, dy: number) => void;
  readonly turn: (button: ButtonName, down: boolean) => void;
  readonly click: (button: ButtonName) => void;
  /** Reports that a finger is on the pad. Sent immediately, as the first event of a touch only sets the sums. */
  readonly touch: (on: boolean) => void;
  /** Modifiers that are held while a finger is on the pad or a button is down. */
  readonly hold: (modifiers: readonly ModifierName[]) => void;
  /** Releases everything. */
  readonly close: () => void;
}

/** Opens the touchpad of a device; its sums start at 0. */
export function openPointer(target: string | undefined): PointerStream {
  const stream = Math.floor(Math.random() * STREAMS);
  let sums: PointerSums = NO_SUMS;
  let modifiers: readonly ModifierName[] = [];
  let touching = false;
  let sentAt = -Infinity;
  let changedAt = -Infinity;
  let delayTimer: ReturnType<typeof setTimeout> | undefined;
  let heartbeat: ReturnType<typeof setInterval> | undefined;

  const isHeld = (): boolean => touching || mouseButtons.some((button) => isDown(sums.turns[button]));
  // If a click arrived too late, its repetition performs it, with the modifiers that were held.
  const isEchoing = (): boolean => performance.now() - changedAt < ECHO_MS;
  const sendNewest = createNewest(() =>
    resend(pointer, {
      stream,
      ...sums,
      at: Math.round(performance.now()),
      ...(modifiers.length > 0 && (isHeld() || isEchoing()) ? { modifiers: [...modifiers] } : {}),
      ...(target === undefined ? {} : { target }),
      ...withToken(),
    }),
  );

  const stop = (): void => {
    clearTimeout(delayTimer);
    clearInterval(heartbeat);
    delayTimer = undefined;
    heartbeat = undefined;
  };
  const sendNow = (): void => {
    clearTimeout(delayTimer);
    delayTimer = undefined;
    sentAt = performance.now();
    sendNewest();
  };
  const handleHeartbeat = (): void => {
    const mustContinue = isHeld() || isEchoing();
    sendNow();
    if (!mustContinue) stop();
  };
  const scheduleSend = (isUrgent: boolean): void => {
    changedAt = performance.now();
    heartbeat ??= setInterval(handleHeartbeat, HEARTBEAT_MS);
    const delayMs = sentAt + MIN_GAP_MS - changedAt;
    if (isUrgent || delayMs <= 0) sendNow();
    else delayTimer ??= setTimeout(sendNow, delayMs);
  };
  const addTurns = (button: ButtonName, times: number): void => {
    sums = { ...sums, turns: { ...sums.turns, [button]: sums.turns[button] + times } };
    scheduleSend(true);
  };

  return {
    move: (dx, dy) => {
      sums = { ...sums, x: sums.x + dx, y: sums.y + dy };
      scheduleSend(false);
    },
    scroll: (dx, dy) => {
      sums = { ...sums, wheelX: sums.wheelX + dx, wheelY: sums.wheelY + dy };
      scheduleSend(false);
    },
    turn: (button, down) => {
      if (isDown(sums.turns[button]) !== down) addTurns(button, 1);
    },
    click: (button) => addTurns(button, isDown(sums.turns[button]) ? 1 : 2),
    touch: (on) => {
      if (touching === on) return;
      touching = on;
      scheduleSend(true);
    },
    hold: (names) => {
      modifiers = names;
      if (isHeld()) scheduleSend(true);
    },
    close: () => {
      touching = false;
      for (const button of mouseButtons) if (isDown(sums.turns[button])) addTurns(button, 1);
      stop();
    },
  };
}

/** The touchpad of a device. Everything is released when the page is hidden or left. */
export function usePointer(target: string | undefined): PointerStream {
  const stream = useMemo(() => openPointer(target), [target]);
  useEffect(() => {
    const handleVisibilityChange = (): void => {
      if (document.visibilityState === 'hidden') stream.close();
    };
    document.addEventListener('visibilitychange', handleVisibilityChange);
    return () => {
      document.removeEventListener('visibilitychange', handleVisibilityChange);
      stream.close();
    };
  }, [stream]);
  return stream;
}
