import type { CSSProperties } from 'react';
import { STATUSES } from '../domain/status.ts';
import styles from './StatusPage.module.css';

/** What heights, patterns and colours mean. */
export function Legend({ colours }: { readonly colours: Readonly<Record<string, string>> }) {
  return (
    <ul className={styles['legend']} aria-label="Legend">
      {STATUSES.map((status) => (
        <li key={status}>
          <i data-status={status} style={{ '--c': colours[status] } as CSSProperties} />
          {status}
        </li>
      ))}
    </ul>
  );
}
