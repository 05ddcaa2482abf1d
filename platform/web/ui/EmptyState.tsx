import type { ReactNode } from 'react';
import type { Icon } from '../tool.ts';
import styles from './EmptyState.module.css';

interface EmptyStateProps {
  readonly icon: Icon;
  /** One sentence about what will appear here. */
  readonly text: ReactNode;
  /** A button that creates the first entry. */
  readonly children?: ReactNode;
}

/** Placeholder for an empty list, on a board of faint holes. */
export function EmptyState({ icon: Icon, text, children }: EmptyStateProps) {
  return (
    <div className={`${styles['empty']} holes`}>
      <span className={`${styles['tile']} hung`}>
        <Icon size={26} stroke={1.6} />
      </span>
      <p>{text}</p>
      {children}
    </div>
  );
}
