import { Checkbox } from '@mantine/core';
import styles from './Auth.module.css';

interface StayLoggedInProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  /** How long the cookie is kept. */
  readonly days: number;
}

/** The tick of sign-up and login, with the time that it stands for. */
export function StayLoggedIn({ checked, onChange, days }: StayLoggedInProps) {
  return (
    <div className={styles['stay']}>
      <Checkbox label="Stay logged in" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{days} days</span>
    </div>
  );
}
