import { useEffect, useMemo } from 'react';
import { pointer } from '../../contract.ts';
import type { ModifierName } from '../../domain/keys.ts';
import { isDown, mouseButtons, NO_SUMS, type ButtonName, type Sums } from '../../domain/pointerSums.ts';
import { tellAgain, withToken } from '../typing/deviceEvents.ts';

/** Events that may be on their way at once (reliability.md section 4). */
const WINDOW = 8;

/**
 * Sends the newest state alone: at most 8 events unanswered, and behind them one that says how things stand by then. A line that
 * has stalled never holds more than that.
 *
 * @param send sends the state as it is now, and settles with the answer
 */
export function createNewest(send: () => Promise<void>): () => void {
  let open = 0;
  let isBehind = false;
  const run = async (): Promise<void> => {
    open += 1;
    isBehind = false;
    await send();
    open -= 1;
    if (isBehind) void run();
  };
  return () => {
    if (open < WINDOW) void run();
    else isBehind = true;
  };
}

/** Between two events of a moving finger: under the 100 a second that a socket may send. */
const MIN_GAP_MS = 15;
const HEARTBEAT_MS = 100;
/** How it ended is said again for so long, in case the device was busy. */
const ECHO_MS = 400;
const STREAMS = 2 ** 31;

/** The sending end of one touchpad. */
export interface PointerStream {
  readonly move: (dx: number, dy: number) => void;
  /** Steps of the wheel. */
  readonly scroll: (dx: number, dy: number) => void;
  readonly turn: (button: ButtonName, down: boolean) => void;
  readonly click: (button: ButtonName) => void;
  /** A finger is on the pad: told at once, as the first event of a touch says only where the sums stand. */
  readonly touch: (on: boolean) => void;
  /** Held while a finger is on the pad or a button is down. */
  readonly hold: (modifiers: readonly ModifierName[]) => void;
  /** Lets go of everything. */
  readonly close: () => void;
}

/** Opens a touchpad of a device; its sums begin at 0. */
export function openPointer(target: string | undefined): PointerStream {
  const stream = Math.floor(Math.random() * STREAMS);
  let sums: Sums = NO_SUMS;
  let modifiers: readonly ModifierName[] = [];
  let touching = false;
  let sentAt = -Infinity;
  let changedAt = -Infinity;
  let later: ReturnType<typeof setTimeout> | undefined;
  let heartbeat: ReturnType<typeof setInterval> | undefined;

  const isHeld = (): boolean => touching || mouseButtons.some((button) => isDown(sums.turns[button]));
  // A click whose own event came too late is done by its echo, and with what was held.
  const isEchoing = (): boolean => performance.now() - changedAt < ECHO_MS;
  const newest = createNewest(() =>
    tellAgain(pointer, {
      stream,
      ...sums,
      at: Math.round(performance.now()),
      ...(modifiers.length > 0 && (isHeld() || isEchoing()) ? { modifiers: [...modifiers] } : {}),
      ...(target === undefined ? {} : { target }),
      ...withToken(),
    }),
  );

  const stop = (): void => {
    clearTimeout(later);
    clearInterval(heartbeat);
    later = undefined;
    heartbeat = undefined;
  };
  const say = (): void => {
    clearTimeout(later);
    later = undefined;
    sentAt = performance.now();
    newest();
  };
  const beat = (): void => {
    const goesOn = isHeld() || isEchoing();
    say();
    if (!goesOn) stop();
  };
  const saySoon = (atOnce: boolean): void => {
    changedAt = performance.now();
    heartbeat ??= setInterval(beat, HEARTBEAT_MS);
    const wait = sentAt + MIN_GAP_MS - changedAt;
    if (atOnce || wait <= 0) say();
    else later ??= setTimeout(say, wait);
  };
  const turned = (button: ButtonName, times: number): void => {
    sums = { ...sums, turns: { ...sums.turns, [button]: sums.turns[button] + times } };
    saySoon(true);
  };

  return {
    move: (dx, dy) => {
      sums = { ...sums, x: sums.x + dx, y: sums.y + dy };
      saySoon(false);
    },
    scroll: (dx, dy) => {
      sums = { ...sums, wheelX: sums.wheelX + dx, wheelY: sums.wheelY + dy };
      saySoon(false);
    },
    turn: (button, down) => {
      if (isDown(sums.turns[button]) !== down) turned(button, 1);
    },
    click: (button) => turned(button, isDown(sums.turns[button]) ? 1 : 2),
    touch: (on) => {
      if (touching === on) return;
      touching = on;
      saySoon(true);
    },
    hold: (names) => {
      modifiers = names;
      if (isHeld()) saySoon(true);
    },
    close: () => {
      touching = false;
      for (const button of mouseButtons) if (isDown(sums.turns[button])) turned(button, 1);
      stop();
    },
  };
}

/** The touchpad of a device; a page that is not seen, or left, lets everything go. */
export function usePointer(target: string | undefined): PointerStream {
  const stream = useMemo(() => openPointer(target), [target]);
  useEffect(() => {
    const hidden = (): void => {
      if (document.visibilityState === 'hidden') stream.close();
    };
    document.addEventListener('visibilitychange', hidden);
    return () => {
      document.removeEventListener('visibilitychange', hidden);
      stream.close();
    };
  }, [stream]);
  return stream;
}
