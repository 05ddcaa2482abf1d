import type { ReactNode } from 'react';
import styles from './Badge.module.css';

interface BadgeProps {
  readonly tone?: 'plain' | 'green' | 'blue' | 'red' | 'teal' | 'orange' | 'brass' | 'accent';
  readonly children: ReactNode;
}

/** A short status text. The colour is never the only information. */
export function Badge({ tone = 'plain', children }: BadgeProps) {
  return (
    <span className={styles['badge']} data-tone={tone}>
      {children}
    </span>
  );
}
