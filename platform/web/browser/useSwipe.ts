import { useRef, type TouchEvent } from 'react';

const MIN_SWIPE_PX = 48;

/** Handlers that turn a page when one finger goes sideways: to the left is onwards. What begins within `edge` px at the left belongs to others. */
export function useSwipe(turn: (by: 1 | -1) => void, edge = 0) {
  const began = useRef<{ readonly x: number; readonly y: number }>(undefined);
  return {
    onTouchStart: ({ touches }: TouchEvent): void => {
      const finger = touches[0];
      const isOne = touches.length === 1 && finger !== undefined && finger.clientX >= edge;
      began.current = isOne ? { x: finger.clientX, y: finger.clientY } : undefined;
    },
    onTouchEnd: ({ changedTouches }: TouchEvent): void => {
      const from = began.current;
      const finger = changedTouches[0];
      began.current = undefined;
      if (!from || !finger) return;
      const across = finger.clientX - from.x;
      if (Math.abs(across) >= MIN_SWIPE_PX && Math.abs(across) > 1.5 * Math.abs(finger.clientY - from.y))
        turn(across < 0 ? 1 : -1);
    },
    onTouchCancel: (): void => {
      began.current = undefined;
    },
  };
}
