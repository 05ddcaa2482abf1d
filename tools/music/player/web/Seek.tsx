import { useEffect, useRef, type KeyboardEvent } from 'react';
import { lengthText } from '../../web/texts.ts';
import { sound } from './soundInstance.ts';
import styles from './PlayerBar.module.css';

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -30,
  PageUp: 30,
};

const timeText = (seconds: number): string => lengthText(Math.floor(seconds));

const onKeyDown = (event: KeyboardEvent): void => {
  const step = STEPS[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  sound.seekBy(step);
};

/** Written into the page without React, as it changes several times a second. */
const paint = (parts: HTMLElement, seconds: number, duration: number): void => {
  const slider = parts.querySelector('input');
  const [at, length] = parts.querySelectorAll('span');
  if (!slider || !at || !length) return;
  // A limit below the place would hold it back.
  slider.max = String(Math.max(duration, 0.1));
  slider.value = String(seconds);
  slider.style.setProperty('--p', `${duration > 0 ? Math.min(100, (100 * seconds) / duration) : 0}%`);
  // Nothing is read out by itself while it only plays on.
  if (document.activeElement !== slider) say(slider);
  at.textContent = timeText(seconds);
  length.textContent = timeText(duration);
};

const say = (slider: HTMLInputElement): void =>
  slider.setAttribute('aria-valuetext', `${timeText(slider.valueAsNumber)} of ${timeText(Number(slider.max))}`);

/** Where it is, and where it could go. */
export function Seek() {
  const parts = useRef<HTMLDivElement>(null);
  const isHeld = useRef(false);
  useEffect(
    () =>
      sound.onTime((seconds, duration) => {
        if (parts.current && !isHeld.current) paint(parts.current, seconds, duration);
      }),
    [],
  );
  useEffect(() => {
    const letGo = (): void => {
      if (!isHeld.current) return;
      isHeld.current = false;
      const slider = parts.current?.querySelector('input');
      if (slider) sound.seek(slider.valueAsNumber);
    };
    const events = ['pointerup', 'pointercancel'] as const;
    for (const name of events) window.addEventListener(name, letGo);
    return () => {
      for (const name of events) window.removeEventListener(name, letGo);
    };
  }, []);
  return (
    <div ref={parts} className={styles['seek']}>
      <span className="num" aria-hidden />
      <input
        className={styles['slider']}
        type="range"
        min={0}
        step={0.1}
        defaultValue={0}
        aria-label="Place in the song"
        onPointerDown={() => {
          isHeld.current = true;
        }}
        onInput={(event) => {
          const slider = event.currentTarget;
          say(slider);
          // While it is held it shows where it would go; what it is let go at counts.
          if (!isHeld.current) sound.seek(slider.valueAsNumber);
          else if (parts.current) paint(parts.current, slider.valueAsNumber, Number(slider.max));
        }}
        onKeyDown={(event) => {
          onKeyDown(event);
          say(event.currentTarget);
        }}
      />
      <span className="num" aria-hidden />
    </div>
  );
}

/** The same as a line that only shows, on the phone's bar. */
export function Progress() {
  const line = useRef<HTMLSpanElement>(null);
  useEffect(
    () =>
      sound.onTime((seconds, duration) => {
        line.current?.style.setProperty('--p', `${duration > 0 ? (100 * seconds) / duration : 0}%`);
      }),
    [],
  );
  return <span ref={line} className={styles['progress']} aria-hidden />;
}
