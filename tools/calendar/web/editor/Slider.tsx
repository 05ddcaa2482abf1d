import type { CSSProperties } from 'react';
import styles from './Slider.module.css';

interface SliderProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  /** May lie outside of the range, as another calendar gave it: the thumb then stands at the end, and the number tells. */
  readonly value: number;
  /** The value in words: '7 of 10'. */
  readonly text: string;
  readonly disabled?: boolean | undefined;
  readonly onChange: (value: number) => void;
}

/** A slider and its value in figures. Arrows step by 1, PageUp and PageDown by what the browser takes, Home and End go to the ends. */
export function Slider({ label, min, max, value, text, disabled, onChange }: SliderProps) {
  const held = Math.min(max, Math.max(min, value));
  return (
    <span className={styles['slider']}>
      <input
        type="range"
        min={min}
        max={max}
        step={1}
        value={held}
        aria-label={label}
        aria-valuetext={text}
        disabled={disabled}
        style={{ '--p': `${((held - min) / (max - min)) * 100}%` } as CSSProperties}
        onChange={(event) => onChange(Number(event.currentTarget.value))}
      />
      <b className="num">{value}</b>
    </span>
  );
}
