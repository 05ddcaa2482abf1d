import { Button } from '@mantine/core';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconMenu2 } from '@tabler/icons-react';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { OpenList } from '../plannerTypes.ts';
import { SyncWord } from './SyncWord.tsx';
import styles from './PlannerHeader.module.css';

const TITLE = 'Shopping Planner';

interface HeadProps {
  readonly open: OpenList;
  readonly isOpen: boolean;
  readonly onMenu: (isOpen: boolean) => void;
}

/** Title, the menu's button, and whether everything has arrived; in the frame's header. */
export function Head({ open, isOpen, onMenu }: HeadProps) {
  const narrow = useIsNarrow();
  const label = isOpen ? 'Hide Menu' : 'Show Menu';
  const word = open.list && !open.isGone && <SyncWord state={open.state} kept={open.kept} />;
  if (narrow)
    return (
      <PageHeader
        title={
          <span className={styles['title']}>
            <IconButton label={label} size={44} aria-expanded={isOpen} onClick={() => onMenu(!isOpen)}>
              <IconMenu2 size={20} stroke={1.75} />
            </IconButton>
            <span className="ellipsis">{TITLE}</span>
          </span>
        }
      >
        {word}
      </PageHeader>
    );
  const Icon = isOpen ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand;
  return (
    <PageHeader
      title={TITLE}
      beside={
        <span className={styles['beside']}>
          <Button
            size="xs"
            leftSection={<Icon size={16} stroke={1.75} />}
            aria-expanded={isOpen}
            onClick={() => onMenu(!isOpen)}
          >
            {label}
          </Button>
          {word}
        </span>
      }
    />
  );
}
