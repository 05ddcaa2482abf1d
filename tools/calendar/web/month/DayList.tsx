import { Button } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useEffect, useId, useLayoutEffect, useRef, type KeyboardEvent, memo } from 'react';
import type { Day } from '#platform/contract/day.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { formatWeekday, formatDay, formatShortDate } from '../../events/domain/dateNames.ts';
import { EntryLine } from '../EntryLine.tsx';
import type { Selection } from '../selection.ts';
import { getEntryKey, isSelected, type DayEntry } from './dayEntries.ts';
import { getNote, useEntryMenu } from './useEntry.ts';
import styles from './DayList.module.css';
import weekdays from './weekdays.module.css';

interface EntryRowProps {
  readonly item: DayEntry;
  /** The day of the list. */
  readonly day: Day;
  readonly selected: boolean;
}

/** An entry in the list of a day. */
export const EntryRow = memo(function EntryRow({ item, day, selected }: EntryRowProps) {
  const menu = useEntryMenu(item, day);
  const note = getNote(item, day);
  const { name, colours, pinned } = item.entry;
  return <EntryLine className={styles['row']} {...{ name, colours, pinned, selected, note }} {...menu} />;
});

interface DayEntriesProps {
  readonly day: Day;
  readonly entries: readonly DayEntry[];
  readonly selection: Selection;
}

/** The entries of a day as a list. */
export function DayEntries({ day, entries, selection }: DayEntriesProps) {
  return (
    <ul className={styles['list']} aria-label={formatDay(day)}>
      {entries.map((item) => (
        <li key={getEntryKey(item)}>
          <EntryRow item={item} day={day} selected={isSelected(item, selection)} />
        </li>
      ))}
    </ul>
  );
}

/** '23 Nov Monday', with the weekday in its colour. */
export function DayTitle({ day }: { readonly day: Day }) {
  return (
    <>
      <b>{formatShortDate(day)}</b>{' '}
      <span className={weekdays['weekday']} data-weekday={formatWeekday(day)}>
        {formatWeekday(day)}
      </span>
    </>
  );
}

interface DayListProps extends DayEntriesProps {
  /** The cell of the day. */
  readonly anchor: HTMLElement;
  readonly onNew: () => void;
  /** `returnsFocus`: return the focus to the day. */
  readonly onClose: (returnsFocus: boolean) => void;
}

const MARGIN_PX = 8;

/** All entries of a day, over its cell. Esc or a press outside closes the list. */
export function DayList({ anchor, onNew, onClose, ...list }: DayListProps) {
  const popover = useRef<HTMLDivElement>(null);
  const id = useId();
  const { day } = list;
  useLayoutEffect(() => {
    const element = popover.current;
    if (!element) return;
    const cell = anchor.getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const left = cell.left + cell.width / 2 - width / 2;
    element.style.left = `${Math.max(MARGIN_PX, Math.min(left, window.innerWidth - width - MARGIN_PX))}px`;
    element.style.top = `${Math.max(MARGIN_PX, Math.min(cell.top, window.innerHeight - height - MARGIN_PX))}px`;
    element.querySelector<HTMLElement>('li button, footer button')?.focus({ preventScroll: true });
  }, [anchor]);
  const latestOnClose = useRef(onClose);
  useLayoutEffect(() => {
    latestOnClose.current = onClose;
  });
  useEffect(() => {
    function handlePress(event: PointerEvent): void {
      if (event.target instanceof Element && event.target.closest('[role=menu], [role=dialog]')) return;
      // The press only closes the list: it must not create an event on the day behind it.
      document.addEventListener('click', (click) => click.stopPropagation(), { capture: true, once: true });
      latestOnClose.current(false);
    }
    document.addEventListener('pointerdown', handlePress);
    return () => document.removeEventListener('pointerdown', handlePress);
  }, []);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onClose(true);
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const rows = [...(popover.current?.querySelectorAll<HTMLElement>('li button') ?? [])];
    if (step === undefined || rows.length === 0) return;
    event.preventDefault();
    const focusedIndex = rows.findIndex((row) => row === document.activeElement);
    rows[(focusedIndex + step + rows.length) % rows.length]?.focus();
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys move among its lines, which take the focus themselves
    <div
      ref={popover}
      className={styles['popover']}
      role="dialog"
      aria-labelledby={id}
      onKeyDown={onKeyDown}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget instanceof Element && !relatedTarget.closest('[role=dialog], [role=menu]')) onClose(false);
      }}
    >
      <header>
        <h3 id={id}>
          <DayTitle day={day} />
        </h3>
        <IconButton label="Close" size={28} onClick={() => onClose(true)}>
          <IconX size={15} stroke={1.75} />
        </IconButton>
      </header>
      <DayEntries {...list} />
      <footer>
        <Button size="xs" variant="subtle" leftSection={<IconPlus size={15} stroke={1.75} />} onClick={onNew}>
          New event
        </Button>
      </footer>
    </div>
  );
}
