import type { ReactNode } from 'react';
import { BareHeader } from './BareHeader.tsx';
import { NoticeStack } from './NoticeStack.tsx';
import styles from './BarePage.module.css';

interface BarePageProps {
  readonly icon: ReactNode;
  readonly title: string;
  /** Text below the title. */
  readonly lead: string;
  /** Class with the width and the padding of the page. */
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/** A page without the shell that explains something: an icon, a title and a lead above its content. */
export function BarePage({ icon, title, lead, className = '', children }: BarePageProps) {
  return (
    <div className={styles['page']}>
      <NoticeStack />
      <BareHeader />
      <main className={`${styles['main']} ${className}`}>
        <header className={styles['head']}>
          <span className={styles['tile']}>{icon}</span>
          <h1>{title}</h1>
          <p>{lead}</p>
        </header>
        {children}
      </main>
    </div>
  );
}
