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
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { PageHeader, PageMenu } from '#platform/web/page/PageHeader.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { timetablefeed } from '../contract.ts';
import { undo, useLastChange } from './undo.ts';
import type { useActivities } from './useActivities.ts';
import styles from './TimetableHeader.module.css';

const KEY = ['timetable', 'feed'];
const ON = 'Your calendar feed now includes the slots';
const OFF = 'The slots are no longer in your calendar feed';

/** Returns whether the account's calendar feed contains the slots, and a setter; undefined until it is loaded. */
export function useFeed() {
  const queries = useQueryClient();
  const { data } = useQuery({ queryKey: KEY, queryFn: async () => (await call(timetablefeed, {})).on });
  const set = useMutation({
    mutationFn: async (on: boolean) => (await call(timetablefeed, { on })).on,
    onSuccess: (on) => {
      queries.setQueryData(KEY, on);
      notices.add('good', on ? ON : OFF);
    },
    onError: showError,
  });
  return { isOn: data, toggle: (): void => void (set.isPending || set.mutate(data !== true)) };
}

const small = { size: 16, stroke: 1.75 };

interface HeadProps {
  readonly narrow: boolean;
  /** `Week 47, 16 to 22 Nov`. */
  readonly label: string;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  readonly turn: (weeks: -1 | 1) => void;
  readonly toToday: () => void;
  readonly save: () => void;
  readonly activities: ReturnType<typeof useActivities>;
}

interface SwitchItemProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly icon: typeof IconHistory;
  readonly toggle: () => void;
}

/** A switch in the menu. */
function SwitchItem({ name, isOn, disabled = false, icon: Icon, toggle }: SwitchItemProps) {
  return (
    <Menu.CheckboxItem checked={isOn} disabled={disabled} onChange={toggle}>
      <span className={styles['item']}>
        <Icon {...small} />
        {name}
      </span>
    </Menu.CheckboxItem>
  );
}

function More({ narrow, toToday, save, activities }: HeadProps) {
  const feed = useFeed();
  const last = useLastChange();
  return (
    <PageMenu label="More" width={270}>
      {narrow ? (
        <>
          <Menu.Item leftSection={<IconCalendarWeek {...small} />} onClick={toToday}>
            Today
          </Menu.Item>
          <Menu.Item leftSection={<IconDeviceFloppy {...small} />} onClick={save}>
            Save timetable
          </Menu.Item>
        </>
      ) : null}
      {last ? (
        <Menu.Item leftSection={<IconArrowBackUp {...small} />} onClick={() => void undo.run()}>
          Undo: {last.what}
        </Menu.Item>
      ) : null}
      <SwitchItem
        name="Show slots in the calendar feed"
        isOn={feed.isOn === true}
        disabled={feed.isOn === undefined}
        icon={IconCalendarShare}
        toggle={feed.toggle}
      />
      {activities.switches.map(({ name, isOn }) => (
        <SwitchItem
          key={name}
          name={activities.switches.length === 1 ? 'Show what I actually did' : `Show what I actually did: ${name}`}
          isOn={isOn}
          icon={IconHistory}
          toggle={() => activities.toggle(name)}
        />
      ))}
    </PageMenu>
  );
}

/** Page header: title, week navigation and a menu of rare actions. */
export function Head(props: HeadProps) {
  const { narrow, label, hasBefore, hasAfter, turn, toToday, save } = props;
  const size = narrow ? 44 : 36;
  const before = (
    <IconButton label="Previous week" size={size} disabled={!hasBefore} onClick={() => turn(-1)}>
      <IconChevronLeft size={20} stroke={1.75} />
    </IconButton>
  );
  const after = (
    <IconButton label="Next week" size={size} disabled={!hasAfter} onClick={() => turn(1)}>
      <IconChevronRight size={20} stroke={1.75} />
    </IconButton>
  );
  if (narrow)
    return (
      <PageHeader>
        <span className={styles['navigation']}>
          {before}
          <span className={styles['week']}>{label.split(',')[0]}</span>
          {after}
          <More {...props} />
        </span>
      </PageHeader>
    );
  return (
    <PageHeader
      beside={
        <span className={styles['navigation']}>
          {before}
          <Button size="xs" onClick={toToday}>
            Today
          </Button>
          {after}
          <span className={styles['label']}>{label}</span>
        </span>
      }
    >
      <Button size="xs" leftSection={<IconDeviceFloppy {...small} />} onClick={save}>
        Save timetable
      </Button>
      <More {...props} />
    </PageHeader>
  );
}
