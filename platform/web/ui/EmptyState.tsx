import type { ReactNode } from 'react';
import type { Icon } from '../tool.ts';
import styles from './EmptyState.module.css';

interface EmptyStateProps {
  readonly icon: Icon;
  /** One sentence saying what will be here. */
  readonly text: ReactNode;
  /** One button that makes the first one. */
  readonly children?: ReactNode;
}

/** Nothing here yet, on a faint board of holes. */
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
