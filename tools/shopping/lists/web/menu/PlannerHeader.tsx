import { Button } from '@mantine/core';
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconMenu2,
  IconCloudCheck,
  IconCloudOff,
  IconCloudUp,
} from '@tabler/icons-react';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { OpenList } from '../plannerTypes.ts';
import styles from './PlannerHeader.module.css';

const words = {
  saved: { tone: 'green', icon: IconCloudCheck, word: () => 'Saved' },
  sending: { tone: 'plain', icon: IconCloudUp, word: () => 'Sending' },
  offline: { tone: 'brass', icon: IconCloudOff, word: (storedCount: number) => `Offline (${storedCount} unsent)` },
} as const;

/** Sync state of the list. Only announced while changes have to wait; otherwise every tick would be announced. */
export function SyncWord({ state, storedCount }: Pick<OpenList, 'state' | 'storedCount'>) {
  const { tone, icon: Icon, word } = words[state];
  return (
    <span className={styles['syncState']} data-state={state}>
      <Badge tone={tone}>
        <Icon size={14} stroke={1.75} aria-hidden />
        {word(storedCount)}
      </Badge>
      <span className="unseen" role="status">
        {state === 'offline' ? 'Changes are stored in this browser and sent when the connection is back' : ''}
      </span>
    </span>
  );
}

const TITLE = 'Shopping Planner';

interface HeadProps {
  readonly open: OpenList;
  readonly isOpen: boolean;
  readonly onMenu: (isOpen: boolean) => void;
}

/** Page header: title, menu button and sync state. */
export function Head({ open, isOpen, onMenu }: HeadProps) {
  const narrow = useIsNarrow();
  const label = isOpen ? 'Hide Menu' : 'Show Menu';
  const word = open.list && !open.isGone && <SyncWord state={open.state} storedCount={open.storedCount} />;
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
        <span className={styles['buttons']}>
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
