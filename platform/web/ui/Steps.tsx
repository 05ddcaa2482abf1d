import type { ReactNode } from 'react';
import styles from './Steps.module.css';

interface StepsProps {
  /** A list item each. */
  readonly children: ReactNode;
  /** With more room between them: for steps of more than a line or two. */
  readonly roomy?: boolean;
  readonly className?: string | undefined;
}

/** Steps to be done one after the other, each with its number in a dot. */
export function Steps({ children, roomy = false, className = '' }: StepsProps) {
  return (
    <ol className={`${styles['steps']} ${className}`} data-roomy={roomy || undefined}>
      {children}
    </ol>
  );
}
