import { Button, type ButtonProps } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import styles from './ConfirmButton.module.css';

const CONFIRM_TIMEOUT_MS = 4000;

interface ConfirmButtonProps extends Omit<ButtonProps, 'children'> {
  readonly children: ReactNode;
  /** Label of the second click, such as 'Confirm Delete'. */
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
  readonly 'aria-label'?: string;
}

/**
 * A button that acts on the second click. It turns red after the first one, and resets after 4 s or when it loses the
 * focus.
 */
export function ConfirmButton({ children, confirmLabel, onConfirm, 'aria-label': label, ...rest }: ConfirmButtonProps) {
  const [isConfirming, setIsConfirming] = useState(false);
  useEffect(() => {
    if (!isConfirming) return undefined;
    const timer = setTimeout(() => setIsConfirming(false), CONFIRM_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [isConfirming]);
  return (
    <Button
      {...rest}
      type="button"
      className={styles['button'] ?? ''}
      data-asking={isConfirming || undefined}
      {...(isConfirming || label === undefined ? {} : { 'aria-label': label })}
      onBlur={() => setIsConfirming(false)}
      onClick={() => {
        setIsConfirming(!isConfirming);
        if (isConfirming) onConfirm();
      }}
    >
      {isConfirming ? confirmLabel : children}
    </Button>
  );
}
