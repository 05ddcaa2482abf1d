import type { ReactNode } from 'react';
import styles from './Steps.module.css';

interface StepsProps {
  /** List items. */
  readonly children: ReactNode;
  /** More space between steps, for steps of more than two lines. */
  readonly roomy?: boolean;
  readonly className?: string | undefined;
}

/** A numbered list of steps. */
export function Steps({ children, roomy = false, className = '' }: StepsProps) {
  return (
    <ol className={`${styles['steps']} ${className}`} data-roomy={roomy || undefined}>
      {children}
    </ol>
  );
}
