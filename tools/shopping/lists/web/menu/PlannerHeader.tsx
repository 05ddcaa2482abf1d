import { Button } from '@mantine/core';
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconMenu2,
  IconCloudCheck,
  IconCloudOff,
  IconCloudUp,
} from '@tabler/icons-react';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { OpenList } from '../plannerTypes.ts';
import styles from './PlannerHeader.module.css';

const badgeByState = {
  saved: { tone: 'green', icon: IconCloudCheck, getLabel: () => 'Saved' },
  sending: { tone: 'plain', icon: IconCloudUp, getLabel: () => 'Sending' },
  offline: { tone: 'brass', icon: IconCloudOff, getLabel: (storedCount: number) => `Offline (${storedCount} unsent)` },
} as const;

/** Sync state of the list. It is only announced while changes wait; otherwise every change would be announced. */
export function SyncBadge({ state, storedCount }: Pick<OpenList, 'state' | 'storedCount'>) {
  const { tone, icon: Icon, getLabel } = badgeByState[state];
  return (
    <span className={styles['syncState']} data-state={state}>
      <Badge tone={tone}>
        <Icon size={14} stroke={1.75} aria-hidden />
        {getLabel(storedCount)}
      </Badge>
      <span className="unseen" role="status">
        {state === 'offline' ? 'Changes are stored in this browser and sent when the connection is back' : ''}
      </span>
    </span>
  );
}

const TITLE = 'Shopping Planner';

interface PlannerHeaderProps {
  readonly openList: OpenList;
  readonly isMenuOpen: boolean;
  readonly onMenuToggle: (isMenuOpen: boolean) => void;
}

/** Page header: title, menu button and sync state. */
export function PlannerHeader({ openList, isMenuOpen, onMenuToggle }: PlannerHeaderProps) {
  const isNarrow = useIsNarrow();
  const label = isMenuOpen ? 'Hide Menu' : 'Show Menu';
  const syncBadge = openList.list && !openList.isGone && (
    <SyncBadge state={openList.state} storedCount={openList.storedCount} />
  );
  if (isNarrow)
    return (
      <PageHeader
        title={
          <span className={styles['title']}>
            <IconButton label={label} size={44} aria-expanded={isMenuOpen} onClick={() => onMenuToggle(!isMenuOpen)}>
              <IconMenu2 size={20} stroke={1.75} />
            </IconButton>
            <span className="ellipsis">{TITLE}</span>
          </span>
        }
      >
        {syncBadge}
      </PageHeader>
    );
  const Icon = isMenuOpen ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand;
  return (
    <PageHeader
      title={TITLE}
      beside={
        <span className={styles['buttons']}>
          <Button
            size="xs"
            leftSection={<Icon size={16} stroke={1.75} />}
            aria-expanded={isMenuOpen}
            onClick={() => onMenuToggle(!isMenuOpen)}
          >
            {label}
          </Button>
          {syncBadge}
        </span>
      }
    />
  );
}
