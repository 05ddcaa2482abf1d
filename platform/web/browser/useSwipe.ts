import { useRef, type TouchEvent } from 'react';

const MIN_SWIPE_PX = 48;

/**
 * Returns touch handlers that call `onSwipe` with 1 for a swipe to the left, and -1 for one to the right, with one
 * finger. Swipes that start within `edgePx` of the left border are ignored.
 */
export function useSwipe(onSwipe: (direction: 1 | -1) => void, edgePx = 0) {
  const start = useRef<{ readonly x: number; readonly y: number }>(undefined);
  return {
    onTouchStart: ({ touches }: TouchEvent): void => {
      const finger = touches[0];
      const isStart = touches.length === 1 && finger !== undefined && finger.clientX >= edgePx;
      start.current = isStart ? { x: finger.clientX, y: finger.clientY } : undefined;
    },
    onTouchEnd: ({ changedTouches }: TouchEvent): void => {
      const from = start.current;
      const finger = changedTouches[0];
      start.current = undefined;
      if (!from || !finger) return;
      const distance = finger.clientX - from.x;
      if (Math.abs(distance) >= MIN_SWIPE_PX && Math.abs(distance) > 1.5 * Math.abs(finger.clientY - from.y))
        onSwipe(distance < 0 ? 1 : -1);
    },
    onTouchCancel: (): void => {
      start.current = undefined;
    },
  };
}
