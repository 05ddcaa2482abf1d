import { useRef, type TouchEvent } from 'react';

const EDGE_PX = 24;
const FAR_PX = 56;

/** Handlers that call `then` when a finger goes in from the left edge. */
export const useEdgeSwipe = (isOn: boolean, then: () => void) => {
  const began = useRef<{ readonly x: number; readonly y: number }>(undefined);
  return {
    onTouchStart: ({ touches }: TouchEvent): void => {
      const finger = touches[0];
      const isEdge = isOn && touches.length === 1 && finger !== undefined && finger.clientX <= EDGE_PX;
      began.current = isEdge ? { x: finger.clientX, y: finger.clientY } : undefined;
    },
    onTouchMove: ({ touches }: TouchEvent): void => {
      const finger = touches[0];
      if (!began.current || !finger) return;
      const [across, down] = [finger.clientX - began.current.x, Math.abs(finger.clientY - began.current.y)];
      if (down > across + EDGE_PX) began.current = undefined;
      else if (across >= FAR_PX && across > down) {
        began.current = undefined;
        then();
      }
    },
  };
};
