import { Button, Menu } from '@mantine/core';
import {
  IconArrowBackUp,
  IconCalendarShare,
  IconCalendarWeek,
  IconChevronLeft,
  IconChevronRight,
  IconDeviceFloppy,
  IconHistory,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useLastChange } from '#platform/web/app/undo.ts';
import { PageHeader, PageMenu } from '#platform/web/page/PageHeader.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { timetablefeed } from '../contract.ts';
import { undo } from './undo.ts';
import type { useActivities } from './useActivities.ts';
import styles from './TimetableHeader.module.css';

const FEED_KEY = ['timetable', 'feed'];
const ENABLED_MESSAGE = 'Your calendar feed now includes the slots';
const DISABLED_MESSAGE = 'The slots are no longer in your calendar feed';

/** Returns whether the account's calendar feed contains the slots, and a setter; undefined until it is loaded. */
export function useFeed() {
  const queryClient = useQueryClient();
  const { data } = useQuery({ queryKey: FEED_KEY, queryFn: async () => (await call(timetablefeed, {})).on });
  const mutation = useMutation({
    mutationFn: async (on: boolean) => (await call(timetablefeed, { on })).on,
    onSuccess: (on) => {
      queryClient.setQueryData(FEED_KEY, on);
      notices.add('good', on ? ENABLED_MESSAGE : DISABLED_MESSAGE);
    },
    onError: showError,
  });
  return { isOn: data, toggle: (): void => void (mutation.isPending || mutation.mutate(data !== true)) };
}

const ICON_PROPS = { size: 16, stroke: 1.75 };

interface HeaderProps {
  readonly isNarrow: boolean;
  /** `Week 47, 16 to 22 Nov`. */
  readonly label: string;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  readonly onChangeWeek: (weeks: -1 | 1) => void;
  readonly onToday: () => void;
  readonly onSave: () => void;
  readonly activities: ReturnType<typeof useActivities>;
}

interface SwitchItemProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly icon: typeof IconHistory;
  readonly onToggle: () => void;
}

/** A switch in the menu. */
function SwitchItem({ name, isOn, isDisabled = false, icon: Icon, onToggle }: SwitchItemProps) {
  return (
    <Menu.CheckboxItem checked={isOn} disabled={isDisabled} onChange={onToggle}>
      <span className={styles['item']}>
        <Icon {...ICON_PROPS} />
        {name}
      </span>
    </Menu.CheckboxItem>
  );
}

function MoreMenu({ isNarrow, onToday, onSave, activities }: HeaderProps) {
  const feed = useFeed();
  const lastChange = useLastChange(undo);
  return (
    <PageMenu label="More" width={270}>
      {isNarrow ? (
        <>
          <Menu.Item leftSection={<IconCalendarWeek {...ICON_PROPS} />} onClick={onToday}>
            Today
          </Menu.Item>
          <Menu.Item leftSection={<IconDeviceFloppy {...ICON_PROPS} />} onClick={onSave}>
            Save timetable
          </Menu.Item>
        </>
      ) : null}
      {lastChange ? (
        <Menu.Item leftSection={<IconArrowBackUp {...ICON_PROPS} />} onClick={() => void undo.run()}>
          Undo: {lastChange.label}
        </Menu.Item>
      ) : null}
      <SwitchItem
        name="Show slots in the calendar feed"
        isOn={feed.isOn === true}
        isDisabled={feed.isOn === undefined}
        icon={IconCalendarShare}
        onToggle={feed.toggle}
      />
      {activities.switches.map(({ name, isOn }) => (
        <SwitchItem
          key={name}
          name={activities.switches.length === 1 ? 'Show what I actually did' : `Show what I actually did: ${name}`}
          isOn={isOn}
          icon={IconHistory}
          onToggle={() => activities.toggle(name)}
        />
      ))}
    </PageMenu>
  );
}

/** Page header: title, week navigation and a menu of rare actions. */
export function TimetableHeader(props: HeaderProps) {
  const { isNarrow, label, hasBefore, hasAfter, onChangeWeek, onToday, onSave } = props;
  const size = isNarrow ? 44 : 36;
  const before = (
    <IconButton label="Previous week" size={size} disabled={!hasBefore} onClick={() => onChangeWeek(-1)}>
      <IconChevronLeft size={20} stroke={1.75} />
    </IconButton>
  );
  const after = (
    <IconButton label="Next week" size={size} disabled={!hasAfter} onClick={() => onChangeWeek(1)}>
      <IconChevronRight size={20} stroke={1.75} />
    </IconButton>
  );
  if (isNarrow)
    return (
      <PageHeader>
        <span className={styles['navigation']}>
          {before}
          <span className={`${styles['week']} num`}>{label.split(',')[0]}</span>
          {after}
          <MoreMenu {...props} />
        </span>
      </PageHeader>
    );
  return (
    <PageHeader
      beside={
        <span className={styles['navigation']}>
          {before}
          <Button size="xs" onClick={onToday}>
            Today
          </Button>
          {after}
          <span className={`${styles['label']} num ellipsis`}>{label}</span>
        </span>
      }
    >
      <Button size="xs" leftSection={<IconDeviceFloppy {...ICON_PROPS} />} onClick={onSave}>
        Save timetable
      </Button>
      <MoreMenu {...props} />
    </PageHeader>
  );
}
