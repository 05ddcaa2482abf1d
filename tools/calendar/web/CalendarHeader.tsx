import { Button } from '@mantine/core';
import {
  IconArrowLeft,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconPlus,
  IconSearch,
} from '@tabler/icons-react';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { type DialogName, MoreMenu } from './MoreMenu.tsx';
import type { View } from './selection.ts';
import styles from './CalendarHeader.module.css';

const VIEWS = [
  { value: 'event', label: 'Event' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
] as const satisfies readonly { readonly value: View; readonly label: string }[];

/** Switches between the views of the main area. */
export function ViewSwitch({ view, onSwitch }: { readonly view: View; readonly onSwitch: (view: View) => void }) {
  return <SegmentedControl<View> label="View" options={VIEWS} value={view} isSingleLine onSelect={onSwitch} />;
}

const TITLE = 'Events Calendar';
const ICON_PROPS = { size: 16, stroke: 1.75 };

interface HeaderProps {
  readonly isNarrow: boolean;
  readonly view: View;
  readonly areDatesShown: boolean;
  /** In a narrow window: neither an event nor the search is open. */
  readonly isAtBase: boolean;
  readonly onToggleDates: () => void;
  readonly onNew: () => void;
  readonly onSwitch: (view: View) => void;
  readonly onBack: () => void;
  readonly onOpenDialog: (dialog: DialogName) => void;
}

/** The header of a narrow window. An open event has a back button there. */
function NarrowHeader({ view, areDatesShown, isAtBase, onToggleDates, onSwitch, onBack, onOpenDialog }: HeaderProps) {
  const title = (
    <span className={styles['title']}>
      {isAtBase || view === 'search' ? null : (
        <IconButton label="Back" size={44} onClick={onBack}>
          <IconArrowLeft size={20} stroke={1.75} />
        </IconButton>
      )}
      <span className="ellipsis">{TITLE}</span>
    </span>
  );
  return (
    <PageHeader title={title}>
      <span className={styles['small']}>
        <IconButton label="Search" size={44} onClick={() => onSwitch('search')}>
          <IconSearch size={20} stroke={1.75} />
        </IconButton>
        <Button className={styles['dates'] ?? ''} onClick={onToggleDates}>
          {areDatesShown ? 'Hide dates' : 'Show dates'}
        </Button>
        <MoreMenu label="Calendar menu" onOpenDialog={onOpenDialog} />
      </span>
    </PageHeader>
  );
}

/** Title and controls of the page, in the header of the shell. */
export function CalendarHeader(props: HeaderProps) {
  if (props.isNarrow) return <NarrowHeader {...props} />;
  const { view, areDatesShown, onToggleDates, onNew, onSwitch, onOpenDialog } = props;
  const DatesIcon = areDatesShown ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand;
  return (
    <PageHeader
      title={TITLE}
      beside={
        <Button size="xs" leftSection={<DatesIcon {...ICON_PROPS} />} onClick={onToggleDates}>
          {areDatesShown ? 'Hide dates' : 'Show dates'}
        </Button>
      }
    >
      <ViewSwitch view={view} onSwitch={onSwitch} />
      <Button size="xs" className={styles['labelled'] ?? ''} leftSection={<IconPlus {...ICON_PROPS} />} onClick={onNew}>
        New event
      </Button>
      <Button
        size="xs"
        className={styles['labelled'] ?? ''}
        leftSection={<IconSearch {...ICON_PROPS} />}
        aria-pressed={view === 'search'}
        onClick={() => onSwitch('search')}
      >
        Search
      </Button>
      <MoreMenu onOpenDialog={onOpenDialog} />
    </PageHeader>
  );
}
