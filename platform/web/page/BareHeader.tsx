import type { ReactNode } from 'react';
import { PageLink } from './PageLink.tsx';
import styles from './BareHeader.module.css';

const holes = [8, 16, 24]
  .flatMap((y) => [8, 16, 24].map((x) => [x, y] as const))
  .filter(([x, y]) => x !== 16 || y !== 16);

/** The logo: a small board with one brass peg. */
export function Logo({ size = 30 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" fill="var(--ink)" />
      {holes.map(([x, y]) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r="1.7" fill="var(--on-ink)" opacity=".5" />
      ))}
      <circle cx="16" cy="16" r="4.2" fill="var(--peg)" />
    </svg>
  );
}

/** Logo and name on bare pages; `children` are controls of the page at the right. */
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
