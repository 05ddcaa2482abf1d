import { IconMoon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './StatusPage.module.css';

interface NothingProps {
  readonly heading: string;
  readonly children?: ReactNode;
}

/** In the days' place where there are none. */
export function Nothing({ heading, children }: NothingProps) {
  return (
    <div className={`${styles['nothing']} holes`}>
      <span className={`${styles['tile']} hung`}>
        <IconMoon size={26} stroke={1.6} />
      </span>
      <div role="status">
        <h2>{heading}</h2>
      </div>
      {children}
    </div>
  );
}
