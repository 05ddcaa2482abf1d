import { IconCalendarEvent } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import styles from './Editor.module.css';

/** In the editor's place where it has no event; the text stands as it is written, two blanks and all. */
export function Nothing({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className={styles['nothing']}>
      <EmptyState icon={IconCalendarEvent} text={text}>
        {children}
      </EmptyState>
    </div>
  );
}
