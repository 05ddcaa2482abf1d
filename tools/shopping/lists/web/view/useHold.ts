import { useEffect, useRef, useState, type MouseEvent, type PointerEvent } from 'react';
import { counted } from '#tools/shopping/sync/domain/applyChanges.ts';

const HOLD_DELAY_MS = 400;
const FIRST_STEP_MS = 140;
const LAST_STEP_MS = 35;

interface HeldPress {
  readonly by: 1 | -1;
  /** How far it has come; it is one change in the end. */
  total: number;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * Minus and plus: one step at a click, many while they are held, ever faster. What was held is told once, as it ends, so that it is one step
 * for an undo.
 */
export const useHold = (actual: number, count: (by: number) => void) => {
  const holding = useRef<HeldPress>(undefined);
  const wasHeld = useRef(false);
  const [held, setHeld] = useState(0);
  const latest = useRef({ actual, count });
  useEffect(() => {
    latest.current = { actual, count };
  });

  const end = (): void => {
    const its = holding.current;
    if (!its) return;
    clearTimeout(its.timer);
    holding.current = undefined;
    if (its.total === 0) return;
    latest.current.count(its.total);
    setHeld(0);
  };
  const step = (delay: number): void => {
    const its = holding.current;
    if (!its) return;
    wasHeld.current = true;
    const now = latest.current.actual;
    its.total = counted(now, its.total + its.by) - now;
    setHeld(its.total);
    its.timer = setTimeout(() => step(Math.max(LAST_STEP_MS, delay * 0.9)), delay);
  };
  const atEnd = useRef(end);
  useEffect(() => {
    atEnd.current = end;
  });
  // A row that goes while it is held: an item that was removed elsewhere, or another list.
  useEffect(() => () => atEnd.current(), []);

  const button = (by: 1 | -1) => ({
    onPointerDown: ({ button: pressed }: PointerEvent): void => {
      wasHeld.current = false;
      if (pressed !== 0) return;
      holding.current = { by, total: 0, timer: setTimeout(() => step(FIRST_STEP_MS), HOLD_DELAY_MS) };
    },
    onPointerUp: end,
    onPointerLeave: end,
    onPointerCancel: end,
    onContextMenu: (event: MouseEvent): void => {
      // A finger that rests asks for it too.
      if (holding.current) event.preventDefault();
    },
    onClick: (): void => {
      if (!wasHeld.current) latest.current.count(by);
      wasHeld.current = false;
    },
  });
  return { shown: counted(actual, held), button };
};
