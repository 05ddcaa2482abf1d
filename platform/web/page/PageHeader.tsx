import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { useFrame } from '../app/frame.ts';
import styles from './PageHeader.module.css';

interface PageHeaderProps {
  /** The page's own title where left out. */
  readonly title?: ReactNode;
  /** A quiet line beside the title, such as 'User: owner'. */
  readonly note?: ReactNode;
  /** A control behind the title, such as the choice of a computer; where that is narrow, at the right. */
  readonly beside?: ReactNode;
  /** The page's own controls, at the right (narrow: one or two). */
  readonly children?: ReactNode;
}

/** What a page puts into the header of the frame: its `h1`, a note and its controls. Every page in the shell has exactly one. */
export function PageHeader({ title, note, beside, children }: PageHeaderProps) {
  const { page, header } = useFrame();
  if (!header) return null;
  return createPortal(
    <>
      <h1 className={styles['title']}>{title ?? page.title}</h1>
      {note !== undefined && <span className={styles['note']}>{note}</span>}
      {beside !== undefined && <span className={styles['beside']}>{beside}</span>}
      {children !== undefined && <span className={styles['controls']}>{children}</span>}
    </>,
    header,
  );
}
