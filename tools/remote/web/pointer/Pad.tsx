import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useRef, type PointerEvent, type ReactNode } from 'react';
import { NO_GESTURE, readTouch, type PadAction, type Touch } from '../../domain/gestures.ts';
import type { PointerStream } from './pointerStream.ts';
import { vibrate } from './pressAndHold.ts';
import styles from './Pad.module.css';

const STRIP_PIXELS_PER_STEP = 18;

/** The strip at the right edge of the pad: dragging scrolls like a scroll bar, and its ends scroll by one step. */
export function ScrollStrip({ stream }: { readonly stream: PointerStream }) {
  const lastY = useRef<number>(undefined);
  function endDrag(): void {
    lastY.current = undefined;
    stream.setTouching(false);
  }
  const createStepHandler = (steps: number) => () => {
    vibrate();
    stream.scroll(0, steps);
  };
  return (
    <div className={styles['strip']} role="group" aria-label="Scroll">
      <button type="button" aria-label="Scroll up" onClick={createStepHandler(-1)}>
        <IconChevronUp size={20} stroke={1.75} />
      </button>
      <div
        className={styles['direction']}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          lastY.current = event.clientY;
          stream.setTouching(true);
        }}
        onPointerMove={(event) => {
          if (lastY.current === undefined) return;
          stream.scroll(0, (event.clientY - lastY.current) / STRIP_PIXELS_PER_STEP);
          lastY.current = event.clientY;
        }}
        onPointerUp={endDrag}
        onPointerCancel={endDrag}
      >
        <i />
      </div>
      <button type="button" aria-label="Scroll down" onClick={createStepHandler(1)}>
        <IconChevronDown size={20} stroke={1.75} />
      </button>
    </div>
  );
}

/** A finger moves this far for one step of the wheel. */
const PIXELS_PER_STEP = 24;
const TICK_INTERVAL_MS = 50;
const MAX_SHOWN_FINGERS = 3;

interface PadProps {
  readonly stream: PointerStream;
  readonly speed: number;
  /** One finger scrolls, because Scroll is held. */
  readonly isScrolling?: boolean;
  /** The pad moves and presses nothing. */
  readonly isLifted: boolean;
  readonly onSwipe: (to: 'back' | 'forward') => void;
  readonly children?: ReactNode;
}

/** Creates a reader that interprets touches and performs their actions. */
function createTouchReader(getProps: () => Omit<PadProps, 'children'>) {
  let gesture = NO_GESTURE;
  let tickTimer: ReturnType<typeof setInterval> | undefined;

  function perform(action: PadAction): void {
    const { stream, speed, isLifted, onSwipe } = getProps();
    // A held button is released even if the pad has been lifted in the meantime.
    if (isLifted && !(action.kind === 'drag' && !action.down)) return;
    switch (action.kind) {
      case 'move':
        return stream.move(action.dx * speed, action.dy * speed);
      case 'scroll':
        // The content follows the fingers, as on a phone.
        return stream.scroll(-action.dx / PIXELS_PER_STEP, -action.dy / PIXELS_PER_STEP);
      case 'swipe':
        return onSwipe(action.to);
      case 'click':
        vibrate();
        return stream.click(action.button);
      case 'drag':
        vibrate();
        return stream.setButton('left', action.down);
    }
  }
  function read(touch: Touch): void {
    const { gesture: next, actions } = readTouch(gesture, touch, getProps().isScrolling);
    gesture = next;
    for (const action of actions) perform(action);
    getProps().stream.setTouching(gesture.fingers.length > 0);
    if (gesture.fingers.length === 0) {
      clearInterval(tickTimer);
      tickTimer = undefined;
    } else tickTimer ??= setInterval(() => read({ kind: 'tick', at: performance.now() }), TICK_INTERVAL_MS);
  }
  return {
    read,
    /** Cancels all touches without an effect. */
    cancelTouches: (): void => {
      for (const { id, x, y } of gesture.fingers) read({ kind: 'cancel', id, x, y, at: performance.now() });
    },
    listFingers: () => gesture.fingers,
  };
}

/** The touchpad. Its children are shown below the fingers. */
export function Pad({ children, ...props }: PadProps) {
  const latestProps = useRef(props);
  const surfaceRef = useRef<HTMLDivElement>(null);
  const touchReader = useRef<ReturnType<typeof createTouchReader>>(undefined);
  useLayoutEffect(() => {
    latestProps.current = props;
  });
  useEffect(() => {
    const createdReader = createTouchReader(() => latestProps.current);
    touchReader.current = createdReader;
    return createdReader.cancelTouches;
  }, []);

  /** Moves the finger marks without rendering. */
  function moveFingerMarks(): void {
    const marks = surfaceRef.current?.querySelectorAll<HTMLElement>(`.${styles['finger']}`) ?? [];
    const fingers = touchReader.current?.listFingers() ?? [];
    for (const [at, mark] of marks.entries()) {
      const finger = fingers[at];
      mark.hidden = finger === undefined;
      if (finger) mark.style.transform = `translate(${finger.x}px, ${finger.y}px)`;
    }
  }
  const handlePointer =
    (kind: 'down' | 'move' | 'up' | 'cancel') =>
    (event: PointerEvent<HTMLDivElement>): void => {
      const bounds = event.currentTarget.getBoundingClientRect();
      if (kind === 'down') event.currentTarget.setPointerCapture(event.pointerId);
      touchReader.current?.read({
        kind,
        id: event.pointerId,
        x: event.clientX - bounds.left,
        y: event.clientY - bounds.top,
        at: event.timeStamp,
      });
      moveFingerMarks();
    };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- fingers alone work it; the keys beside it are buttons
    <div
      ref={surfaceRef}
      className={`${styles['pad']} holes`}
      data-lifted={props.isLifted || undefined}
      role="group"
      aria-label="Touchpad"
      onPointerDown={handlePointer('down')}
      onPointerMove={handlePointer('move')}
      onPointerUp={handlePointer('up')}
      onPointerCancel={handlePointer('cancel')}
      onContextMenu={(event) => event.preventDefault()}
    >
      {Array.from({ length: MAX_SHOWN_FINGERS }, (_, at) => (
        <span key={at} className={styles['finger']} hidden />
      ))}
      {children}
    </div>
  );
}
