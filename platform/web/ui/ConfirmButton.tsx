import { Button, type ButtonProps } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import styles from './ConfirmButton.module.css';

const CONFIRM_TIMEOUT_MS = 4000;

interface ConfirmButtonProps extends Omit<ButtonProps, 'children'> {
  readonly children: ReactNode;
  /** The label of the second click, such as 'Confirm Delete'. */
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
  readonly 'aria-label'?: string;
}

/** A button that acts at its second click: turns red in place and falls back after 4 s or when it loses the focus. Its width is that of the longer label. */
export function ConfirmButton({ children, confirmLabel, onConfirm, 'aria-label': label, ...rest }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    if (!asking) return undefined;
    const fallBack = setTimeout(() => setAsking(false), CONFIRM_TIMEOUT_MS);
    return () => clearTimeout(fallBack);
  }, [asking]);
  return (
    <Button
      {...rest}
      type="button"
      className={styles['button'] ?? ''}
      data-asking={asking || undefined}
      {...(asking || label === undefined ? {} : { 'aria-label': label })}
      onBlur={() => setAsking(false)}
      onClick={() => {
        setAsking(!asking);
        if (asking) onConfirm();
      }}
    >
      <span className={styles['both']}>
        <span data-shown={!asking || undefined} aria-hidden={asking}>
          {children}
        </span>
        <span data-shown={asking || undefined} aria-hidden={!asking}>
          {confirmLabel}
        </span>
      </span>
    </Button>
  );
}
