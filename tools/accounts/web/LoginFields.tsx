import { Checkbox } from '@mantine/core';
import { IconAlertCircle, IconArrowBigUpLine } from '@tabler/icons-react';
import { useState, type KeyboardEvent } from 'react';
import styles from './Auth.module.css';

/** Lifetime of a session without a cookie. */
const SESSION_ONLY_DAYS = 1;

/** Returns the lifetime to request: `days` if the user stays logged in, otherwise one day. */
export function getSessionDays<Days extends number>(
  staysLoggedIn: boolean,
  days: Days,
): Days | typeof SESSION_ONLY_DAYS {
  return staysLoggedIn ? days : SESSION_ONLY_DAYS;
}

/** Reports a call without an answer in an alert of the browser (docs/specification/accounts.md section 5). */
export function showNoAnswerAlert(error: Error): void {
  // oxlint-disable-next-line no-alert -- the specification asks for the browser's alert
  window.alert(error.message);
}

/** Why a login or a sign-up failed. */
export function LoginError({ message, id }: { readonly message: string; readonly id?: string }) {
  return (
    <p className={styles['error']} id={id} role="alert">
      <IconAlertCircle size={15} stroke={1.75} />
      <span>{message}</span>
    </p>
  );
}

export function CapsLockHint({ isOn }: { readonly isOn: boolean }) {
  if (!isOn) return null;
  return (
    <p className={styles['caps']} role="status">
      <IconArrowBigUpLine size={15} stroke={1.75} />
      Caps Lock is on
    </p>
  );
}

/** Tracks Caps Lock by the key events of a field. */
export function useCapsLock() {
  const [isOn, setIsOn] = useState(false);
  const update = (event: KeyboardEvent): void => setIsOn(event.getModifierState('CapsLock'));
  return { isOn, listeners: { onKeyDown: update, onKeyUp: update, onBlur: () => setIsOn(false) } };
}

interface StayLoggedInProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  /** Lifetime of the cookie. */
  readonly days: number;
}

/** The checkbox of sign-up and login, with its duration. */
export function StayLoggedIn({ checked, onChange, days }: StayLoggedInProps) {
  return (
    <div className={styles['remember']}>
      <Checkbox label="Stay logged in" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{days} days</span>
    </div>
  );
}
