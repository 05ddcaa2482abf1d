import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useRef } from 'react';
import type { PointerStream } from './pointerStream.ts';
import { buzz } from './pressAndHold.ts';
import styles from './ScrollStrip.module.css';

const PIXELS_PER_STEP = 18;

/** At the pad's right edge: pulled like a scroll bar, or a step of the wheel for each tap on its ends. */
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
        className={styles['way']}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          from.current = event.clientY;
          stream.touch(true);
        }}
        onPointerMove={(event) => {
          if (from.current === undefined) return;
          stream.scroll(0, (event.clientY - from.current) / PIXELS_PER_STEP);
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
