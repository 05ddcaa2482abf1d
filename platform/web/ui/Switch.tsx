import type { AriaAttributes } from 'react';
import styles from './Switch.module.css';

interface SwitchProps extends Pick<AriaAttributes, 'aria-label' | 'aria-labelledby' | 'aria-describedby'> {
  /** Text beside the switch. Without it, or if it names the state, an ARIA name is required. */
  readonly label?: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** A switch that takes effect immediately. */
export function Switch({ label, isOn, onChange, ...rest }: SwitchProps) {
  return (
    <button
      {...rest}
      type="button"
      role="switch"
      aria-checked={isOn}
      className={styles['switch']}
      onClick={() => onChange(!isOn)}
    >
      <i aria-hidden />
      {label}
    </button>
  );
}
