import type { ReactNode } from 'react';
import { Logo } from './Mark.tsx';
import { PageLink } from './PageLink.tsx';
import styles from './BareHeader.module.css';

/** Mark and name on top of the bare pages; `children` are the page's own controls at the right. */
export function BareHeader({ children }: { readonly children?: ReactNode }) {
  return (
    <header className={styles['header']}>
      <PageLink to="/" className={styles['home']} aria-label="Pegboard, home">
        <Logo />
        <span>Pegboard</span>
      </PageLink>
      {children}
    </header>
  );
}
