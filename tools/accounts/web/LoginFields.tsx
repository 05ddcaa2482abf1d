import { Checkbox } from '@mantine/core';
import { IconArrowBigUpLine } from '@tabler/icons-react';
import { useState, type KeyboardEvent } from 'react';
import styles from './Auth.module.css';

/** Days of a session that is not kept as a cookie. */
const SESSION_ONLY_DAYS = 1;

/** What to ask the server for: `days` where the user stays logged in, else one. */
export function daysAsked<Days extends number>(stay: boolean, days: Days): Days | typeof SESSION_ONLY_DAYS {
  return stay ? days : SESSION_ONLY_DAYS;
}

/** Whether the call met no answer at all; then the browser's own alert says so (specification 1, section 8). */
export function alertNoAnswer(error: Error): void {
  // oxlint-disable-next-line no-alert -- the specification asks for the browser's alert
  window.alert(error.message);
}

export function CapsLockHint({ on }: { readonly on: boolean }) {
  if (!on) return null;
  return (
    <p className={styles['caps']} role="status">
      <IconArrowBigUpLine size={15} stroke={1.75} />
      Caps Lock is on
    </p>
  );
}

/** Whether Caps Lock is on, as the keys typed into a field tell. */
export function useCapsLock() {
  const [on, setOn] = useState(false);
  const look = (event: KeyboardEvent): void => setOn(event.getModifierState('CapsLock'));
  return { on, listeners: { onKeyDown: look, onKeyUp: look, onBlur: () => setOn(false) } };
}

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
