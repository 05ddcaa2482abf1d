import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import '@mantine/core/styles/Menu.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import { useFrame } from '../app/frame.ts';
import { IconButton } from '../ui/IconButton.tsx';
import styles from './PageHeader.module.css';

interface PageMenuProps {
  /** Accessible name of the button. */
  readonly label: string;
  /** In pixels. */
  readonly width: number;
  /** `Menu.Item` elements. */
  readonly children: ReactNode;
}

/** Further actions of a page, in a menu with three dots in the header. */
export function PageMenu({ label, width, children }: PageMenuProps) {
  return (
    <Menu position="bottom-end" width={width} withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <IconButton label={label}>
          <IconDots size={20} stroke={1.75} />
        </IconButton>
      </Menu.Target>
      <Menu.Dropdown className={styles['menu'] ?? ''}>{children}</Menu.Dropdown>
    </Menu>
  );
}

interface PageHeaderProps {
  /** Replaces the title of the page. */
  readonly title?: ReactNode;
  /** Secondary text beside the title, such as 'User: owner'. */
  readonly note?: ReactNode;
  /** A control after the title, such as the selected computer; at the right in the narrow layout. */
  readonly beside?: ReactNode;
  /** Controls of the page at the right; at most two in the narrow layout. */
  readonly children?: ReactNode;
}

/** Renders the `h1`, a note and controls into the header of the frame. Every page in the shell has exactly one. */
export function PageHeader({ title, note, beside, children }: PageHeaderProps) {
  const { page, header } = useFrame();
  if (!header) return null;
  return createPortal(
    <>
      <h1 className={`${styles['title']} ellipsis`}>{title ?? page.title}</h1>
      {note !== undefined && <span className={styles['note']}>{note}</span>}
      {beside !== undefined && <span className={styles['beside']}>{beside}</span>}
      {children !== undefined && <span className={styles['controls']}>{children}</span>}
    </>,
    header,
  );
}
