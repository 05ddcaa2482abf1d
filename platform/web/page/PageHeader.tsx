import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import '@mantine/core/styles/Menu.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import { useFrame } from '../app/frame.ts';
import { IconButton } from '../ui/IconButton.tsx';
import styles from './PageHeader.module.css';
import pageMenuStyles from './PageMenu.module.css';

interface PageMenuProps {
  /** What its button is called. */
  readonly label: string;
  /** In pixels. */
  readonly width: number;
  /** `Menu.Item`s. */
  readonly children: ReactNode;
}

/** What a page can do besides, behind three dots in its header. */
export function PageMenu({ label, width, children }: PageMenuProps) {
  return (
    <Menu position="bottom-end" width={width} withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <IconButton label={label}>
          <IconDots size={20} stroke={1.75} />
        </IconButton>
      </Menu.Target>
      <Menu.Dropdown className={pageMenuStyles['menu'] ?? ''}>{children}</Menu.Dropdown>
    </Menu>
  );
}

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
