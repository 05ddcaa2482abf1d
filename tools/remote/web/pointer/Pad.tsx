import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useRef, type PointerEvent, type ReactNode } from 'react';
import { NO_GESTURE, readTouch, type PadAct, type Touch } from '../../domain/gestures.ts';
import type { PointerStream } from './pointerStream.ts';
import { buzz } from './pressAndHold.ts';
import styles from './Pad.module.css';

const SCROLL_STRIP_PIXELS_PER_STEP = 18;

/** A strip at the right edge of the pad: dragging scrolls like a scroll bar, and its ends scroll by one step. */
export function ScrollStrip({ stream }: { readonly stream: PointerStream }) {
  const from = useRef<number>(undefined);
  const end = (): void => {
    from.current = undefined;
    stream.touch(false);
  };
  const step = (by: number) => () => {
    buzz();
    stream.scroll(0, by);
  };
  return (
    <div className={styles['strip']} role="group" aria-label="Scroll">
      <button type="button" aria-label="Scroll up" onClick={step(-1)}>
        <IconChevronUp size={20} stroke={1.75} />
      </button>
      <div
        className={styles['direction']}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          from.current = event.clientY;
          stream.touch(true);
        }}
        onPointerMove={(event) => {
          if (from.current === undefined) return;
          stream.scroll(0, (event.clientY - from.current) / SCROLL_STRIP_PIXELS_PER_STEP);
          from.current = event.clientY;
        }}
        onPointerUp={end}
        onPointerCancel={end}
      >
        <i />
      </div>
      <button type="button" aria-label="Scroll down" onClick={step(1)}>
        <IconChevronDown size={20} stroke={1.75} />
      </button>
    </div>
  );
}

/** Distance of a finger for one step of the wheel. */
const PIXELS_PER_STEP = 24;
const TICK_INTERVAL_MS = 50;
const MAX_SHOWN_FINGERS = 3;

interface PadProps {
  readonly stream: PointerStream;
  readonly speed: number;
  /** One finger scrolls, because Scroll is held. */
  readonly scrolls?: boolean;
  /** The pad moves and presses nothing. */
  readonly lifted: boolean;
  readonly swipe: (to: 'back' | 'forward') => void;
  readonly children?: ReactNode;
}

/** Creates a reader that runs the acts of the touches it is given. */
const createReader = (getProps: () => Omit<PadProps, 'children'>) => {
  let gesture = NO_GESTURE;
  let tickTimer: ReturnType<typeof setInterval> | undefined;

  const run = (act: PadAct): void => {
    const { stream, speed, lifted, swipe } = getProps();
    // A held button is released even if the pad has been lifted in the meantime.
    if (lifted && !(act.kind === 'drag' && !act.down)) return;
    switch (act.kind) {
      case 'move':
        return stream.move(act.dx * speed, act.dy * speed);
      case 'scroll':
        // The content follows the fingers, as on a phone.
        return stream.scroll(-act.dx / PIXELS_PER_STEP, -act.dy / PIXELS_PER_STEP);
      case 'swipe':
        return swipe(act.to);
      case 'click':
        buzz();
        return stream.click(act.button);
      case 'drag':
        buzz();
        return stream.turn('left', act.down);
    }
  };
  const read = (touch: Touch): void => {
    const { gesture: next, acts } = readTouch(gesture, touch, getProps().scrolls);
    gesture = next;
    for (const act of acts) run(act);
    getProps().stream.touch(gesture.fingers.length > 0);
    if (gesture.fingers.length === 0) {
      clearInterval(tickTimer);
      tickTimer = undefined;
    } else tickTimer ??= setInterval(() => read({ kind: 'tick', at: performance.now() }), TICK_INTERVAL_MS);
  };
  return {
    read,
    /** Cancels all touches without an effect. */
    end: (): void => {
      for (const { id, x, y } of gesture.fingers) read({ kind: 'cancel', id, x, y, at: performance.now() });
    },
    fingers: () => gesture.fingers,
  };
};

/** The touchpad. Its children are shown below the fingers. */
export function Pad({ children, ...props }: PadProps) {
  const latest = useRef(props);
  const surface = useRef<HTMLDivElement>(null);
  const reader = useRef<ReturnType<typeof createReader>>(undefined);
  useLayoutEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const createdReader = createReader(() => latest.current);
    reader.current = createdReader;
    return createdReader.end;
  }, []);

  /** Moves the finger marks without rendering. */
  const draw = (): void => {
    const marks = surface.current?.querySelectorAll<HTMLElement>(`.${styles['finger']}`) ?? [];
    const fingers = reader.current?.fingers() ?? [];
    for (const [at, mark] of marks.entries()) {
      const finger = fingers[at];
      mark.hidden = finger === undefined;
      if (finger) mark.style.transform = `translate(${finger.x}px, ${finger.y}px)`;
    }
  };
  const handlePointer =
    (kind: 'down' | 'move' | 'up' | 'cancel') =>
    (event: PointerEvent<HTMLDivElement>): void => {
      const box = event.currentTarget.getBoundingClientRect();
      if (kind === 'down') event.currentTarget.setPointerCapture(event.pointerId);
      reader.current?.read({
        kind,
        id: event.pointerId,
        x: event.clientX - box.left,
        y: event.clientY - box.top,
        at: event.timeStamp,
      });
      draw();
    };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- fingers alone work it; the keys beside it are buttons
    <div
      ref={surface}
      className={`${styles['pad']} holes`}
      data-lifted={props.lifted || undefined}
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
