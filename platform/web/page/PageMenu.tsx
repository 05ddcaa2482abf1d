import '@mantine/core/styles/Menu.layer.css';
import '@mantine/core/styles/Popover.layer.css';
import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { IconButton } from '../ui/IconButton.tsx';
import styles from './PageMenu.module.css';

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
      <Menu.Dropdown className={styles['menu'] ?? ''}>{children}</Menu.Dropdown>
    </Menu>
  );
}
