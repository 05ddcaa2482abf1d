import type { ReactNode } from 'react';
import styles from './Card.module.css';

interface CardProps {
  /** Heading of the card. */
  readonly title?: ReactNode;
  /** Content at the right of the heading. */
  readonly aside?: ReactNode;
  readonly danger?: boolean;
  /** Without padding, for cards that consist of rows. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

export function Card({ title, aside, danger = false, flush = false, children }: CardProps) {
  return (
    <section className={`${styles['card']} surface`} data-danger={danger || undefined}>
      {title !== undefined && (
        <header className={styles['head']}>
          <h2>{title}</h2>
          {aside !== undefined && <span className={styles['aside']}>{aside}</span>}
        </header>
      )}
      <div className={flush ? undefined : styles['body']}>{children}</div>
    </section>
  );
}
