import type { ComponentProps, CSSProperties } from 'react';
import styles from './Slider.module.css';

interface SliderProps extends Omit<ComponentProps<'input'>, 'type' | 'className' | 'style' | 'value' | 'onChange'> {
  readonly label?: string;
  readonly min?: number;
  readonly max?: number;
  /** Without a value the caller sets `--p`, the filled percentage, whenever it sets the value of the input. */
  readonly value?: number;
  readonly onChange?: (value: number) => void;
}

/**
 * A range input with a filled track. `--slider-colour`, `--slider-edge` (shadow of the track), `--slider-thumb`
 * and `--slider-height` of a parent change its look.
 */
export function Slider({ label, min = 0, max = 100, value, onChange, ...rest }: SliderProps) {
  const clamped = value === undefined ? undefined : Math.min(max, Math.max(min, value));
  const share = clamped === undefined || max === min ? 0 : ((clamped - min) / (max - min)) * 100;
  return (
    <input
      {...rest}
      type="range"
      className={styles['slider']}
      min={min}
      max={max}
      aria-label={label}
      {...(clamped === undefined ? {} : { value: clamped, style: { '--p': `${share}%` } as CSSProperties })}
      onChange={(event) => onChange?.(event.currentTarget.valueAsNumber)}
    />
  );
}
