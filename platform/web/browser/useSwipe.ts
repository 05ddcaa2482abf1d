import { useRef, type TouchEvent } from 'react';

const MIN_SWIPE_PX = 48;

/**
 * Returns touch handlers that turn a page on a horizontal swipe with one finger; to the left is forward. Swipes that
 * start within `edge` px of the left border are ignored.
 */
export function useSwipe(turn: (by: 1 | -1) => void, edge = 0) {
  const start = useRef<{ readonly x: number; readonly y: number }>(undefined);
  return {
    onTouchStart: ({ touches }: TouchEvent): void => {
      const finger = touches[0];
      const isOne = touches.length === 1 && finger !== undefined && finger.clientX >= edge;
      start.current = isOne ? { x: finger.clientX, y: finger.clientY } : undefined;
    },
    onTouchEnd: ({ changedTouches }: TouchEvent): void => {
      const from = start.current;
      const finger = changedTouches[0];
      start.current = undefined;
      if (!from || !finger) return;
      const distance = finger.clientX - from.x;
      if (Math.abs(distance) >= MIN_SWIPE_PX && Math.abs(distance) > 1.5 * Math.abs(finger.clientY - from.y))
        turn(distance < 0 ? 1 : -1);
    },
    onTouchCancel: (): void => {
      start.current = undefined;
    },
  };
}
