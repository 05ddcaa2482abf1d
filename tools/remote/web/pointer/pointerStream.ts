import { useEffect, useMemo } from 'react';
import { pointer } from '../../contract.ts';
import type { ModifierName } from '../../domain/keys.ts';
import { isButtonDown, mouseButtons, NO_SUMS, type ButtonName, type PointerSums } from '../../domain/pointerSums.ts';
import { resend, withToken } from '../typing/deviceEvents.ts';

/** Maximum number of unacknowledged events: docs/adr/0017-newest-wins-delivery.md. */
const ACK_WINDOW = 8;

/**
 * Returns a function that sends the newest state. While the ack window is full, it waits and then sends only the latest
 * state, so a stalled connection never queues more than that.
 * @param send sends the current state, and resolves when it is acknowledged
 */
export function createNewestSender(send: () => Promise<void>): () => void {
  let unacknowledgedCount = 0;
  let hasUnsentState = false;
  async function sendState(): Promise<void> {
    unacknowledgedCount += 1;
    hasUnsentState = false;
    await send();
    unacknowledgedCount -= 1;
    if (hasUnsentState) void sendState();
  }
  return () => {
    if (unacknowledgedCount < ACK_WINDOW) void sendState();
    else hasUnsentState = true;
  };
}

/** Minimum time between two events of a moving finger; a socket may send 100 events per second. */
const MIN_SEND_INTERVAL_MS = 15;
const HEARTBEAT_INTERVAL_MS = 100;
/** How long the final state is repeated, in case the device was busy. */
const ECHO_DURATION_MS = 400;
const STREAM_ID_COUNT = 2 ** 31;

/** Sends the input of one touchpad. */
export interface PointerStream {
  readonly move: (dx: number, dy: number) => void;
  /** Scrolls by steps of the wheel. */
  readonly scroll: (dx: number, dy: number) => void;
  readonly setButton: (button: ButtonName, isPressed: boolean) => void;
  readonly click: (button: ButtonName) => void;
  /** Sets whether a finger is on the pad. Sent immediately, because the first event of a touch only sets the sums. */
  readonly setTouching: (isOn: boolean) => void;
  /** Sets the modifiers that are held while a finger is on the pad or a button is down. */
  readonly setModifiers: (modifiers: readonly ModifierName[]) => void;
  /** Releases everything. */
  readonly close: () => void;
}

/** Creates the stream for a device; its sums start at 0. */
export function createPointerStream(target: string | undefined): PointerStream {
  const stream = Math.floor(Math.random() * STREAM_ID_COUNT);
  let sums: PointerSums = NO_SUMS;
  let modifiers: readonly ModifierName[] = [];
  let isTouching = false;
  let sentAt = -Infinity;
  let changedAt = -Infinity;
  let delayTimer: ReturnType<typeof setTimeout> | undefined;
  let heartbeat: ReturnType<typeof setInterval> | undefined;

  const isHeld = (): boolean => isTouching || mouseButtons.some((button) => isButtonDown(sums.turns[button]));
  // If a click arrives too late, its repetition performs it, with the same modifiers.
  const isEchoing = (): boolean => performance.now() - changedAt < ECHO_DURATION_MS;
  const sendNewest = createNewestSender(() =>
    resend(pointer, {
      stream,
      ...sums,
      at: Math.round(performance.now()),
      ...(modifiers.length > 0 && (isHeld() || isEchoing()) ? { modifiers: [...modifiers] } : {}),
      ...(target === undefined ? {} : { target }),
      ...withToken(),
    }),
  );

  function stop(): void {
    clearTimeout(delayTimer);
    clearInterval(heartbeat);
    delayTimer = undefined;
    heartbeat = undefined;
  }
  function sendNow(): void {
    clearTimeout(delayTimer);
    delayTimer = undefined;
    sentAt = performance.now();
    sendNewest();
  }
  function handleHeartbeat(): void {
    const mustContinue = isHeld() || isEchoing();
    sendNow();
    if (!mustContinue) stop();
  }
  function scheduleSend(isUrgent: boolean): void {
    changedAt = performance.now();
    heartbeat ??= setInterval(handleHeartbeat, HEARTBEAT_INTERVAL_MS);
    const delayMs = sentAt + MIN_SEND_INTERVAL_MS - changedAt;
    if (isUrgent || delayMs <= 0) sendNow();
    else delayTimer ??= setTimeout(sendNow, delayMs);
  }
  function addTurns(button: ButtonName, count: number): void {
    sums = { ...sums, turns: { ...sums.turns, [button]: sums.turns[button] + count } };
    scheduleSend(true);
  }

  return {
    move: (dx, dy) => {
      sums = { ...sums, x: sums.x + dx, y: sums.y + dy };
      scheduleSend(false);
    },
    scroll: (dx, dy) => {
      sums = { ...sums, wheelX: sums.wheelX + dx, wheelY: sums.wheelY + dy };
      scheduleSend(false);
    },
    setButton: (button, isPressed) => {
      if (isButtonDown(sums.turns[button]) !== isPressed) addTurns(button, 1);
    },
    click: (button) => addTurns(button, isButtonDown(sums.turns[button]) ? 1 : 2),
    setTouching: (isOn) => {
      if (isTouching === isOn) return;
      isTouching = isOn;
      scheduleSend(true);
    },
    setModifiers: (nextModifiers) => {
      modifiers = nextModifiers;
      if (isHeld()) scheduleSend(true);
    },
    close: () => {
      isTouching = false;
      for (const button of mouseButtons) if (isButtonDown(sums.turns[button])) addTurns(button, 1);
      stop();
    },
  };
}

/** The pointer stream of a device. Releases everything when the page is hidden or left. */
export function usePointer(target: string | undefined): PointerStream {
  const stream = useMemo(() => createPointerStream(target), [target]);
  useEffect(() => {
    function handleVisibilityChange(): void {
      if (document.visibilityState === 'hidden') stream.close();
    }
    document.addEventListener('visibilitychange', handleVisibilityChange);
    return () => {
      document.removeEventListener('visibilitychange', handleVisibilityChange);
      stream.close();
    };
  }, [stream]);
  return stream;
}
