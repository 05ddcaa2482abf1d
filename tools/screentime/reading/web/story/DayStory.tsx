import { Button, TextInput } from '@mantine/core';
import { IconPencil, IconTrash, IconChevronLeft, IconChevronRight, IconPlus } from '@tabler/icons-react';
import { useState, type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { groupBy } from '#platform/contract/groupBy.ts';
import { formatClockTime } from '#platform/web/browser/formats.ts';
import { Dialog, useConfirmDiscard } from '#platform/web/ui/Dialog.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import type { Status } from '#tools/screentime/contract/limits.ts';
import { parseIso, toIso } from '#tools/screentime/usage/domain/days.ts';
import { getToday } from '#tools/screentime/web/usageClock.ts';
import { formatDuration, formatDayLabel } from '../../../usage/domain/formats.ts';
import type { StoryInterval } from '../../../usage/domain/interval.ts';
import type { DayStoryProps } from '../viewTypes.ts';
import { IntervalForm } from './IntervalForm.tsx';
import { StoryStrip } from './StoryStrip.tsx';
import { getKey, STATUS_LABELS, formatTimes, useDay, type LoadedDay, formatComputerName } from './useDay.ts';
import styles from './Story.module.css';

/** Rows shown first; more on request. */
const INITIAL_ROWS = 150;

interface ListProps {
  readonly date: string;
  readonly intervals: readonly StoryInterval[];
  readonly getColour: (application: string) => string;
  /** Name of a computer, if there are several. */
  readonly getComputerLabel: (device: number) => string | undefined;
  /** The row that was selected in the strip. */
  readonly markedKey: string | undefined;
  /** Replaces a row, such as with its form. */
  readonly renderReplacement: (interval: StoryInterval) => ReactNode;
  readonly onEdit: (interval: StoryInterval) => void;
  readonly onDelete: (interval: StoryInterval) => void;
}

const scrollIntoView = (row: HTMLElement | null): void => row?.scrollIntoView({ block: 'nearest' });

/** List of the intervals of a day. */
export function IntervalList(props: ListProps) {
  const { date, intervals, getColour, getComputerLabel, markedKey, renderReplacement, onEdit, onDelete } = props;
  const [maxCount, setMaxCount] = useState(INITIAL_ROWS);
  const markedIndex = intervals.findIndex((interval) => getKey(interval) === markedKey);
  const visibleCount = Math.max(maxCount, markedIndex + 1);
  return (
    <>
      <ul className={styles['list']}>
        {intervals.slice(0, visibleCount).map((interval) => {
          const key = getKey(interval);
          const description = `${interval.application}, ${formatClockTime(interval.from)}`;
          const computer = getComputerLabel(interval.device);
          return (
            <li
              key={key}
              ref={key === markedKey ? scrollIntoView : undefined}
              data-marked={key === markedKey || undefined}
            >
              {renderReplacement(interval) ?? (
                <>
                  <span className="num">{formatTimes(interval, date)}</span>
                  <i className="dot" style={{ background: getColour(interval.application) }} />
                  <span className={`${styles['application']} ellipsis`} dir="auto">
                    {interval.application}
                    {interval.title === undefined ? null : <small>{interval.title}</small>}
                  </span>
                  <small>
                    {interval.status === 'on' ? '' : STATUS_LABELS[interval.status]}
                    {computer === undefined ? '' : ` ${computer}`}
                  </small>
                  <span className={`${styles['long']} num`}>
                    {formatDuration((interval.until - interval.from) / 1000)}
                  </span>
                  <IconButton label={`Edit ${description}`} size={28} data-edit={key} onClick={() => onEdit(interval)}>
                    <IconPencil size={16} stroke={1.75} />
                  </IconButton>
                  <IconButton label={`Delete ${description}`} size={28} onClick={() => onDelete(interval)}>
                    <IconTrash size={16} stroke={1.75} />
                  </IconButton>
                </>
              )}
            </li>
          );
        })}
      </ul>
      {intervals.length > visibleCount ? (
        <Button variant="subtle" onClick={() => setMaxCount(visibleCount * 3)}>
          Show {intervals.length - visibleCount} more
        </Button>
      ) : null}
    </>
  );
}

type StatusFilter = 'focus' | 'sound' | 'open';
const STATUS_FILTERS: readonly {
  readonly value: StatusFilter;
  readonly label: string;
  readonly statuses: readonly Status[];
}[] = [
  { value: 'focus', label: 'In focus', statuses: ['on'] },
  { value: 'sound', label: 'Sound', statuses: ['s', 'r'] },
  { value: 'open', label: 'Open', statuses: ['off'] },
];

/** Filters the listed intervals. */
function useIntervalFilter(intervals: readonly StoryInterval[]) {
  const [statusFilter, setStatusFilter] = useState<StatusFilter>('focus');
  const [searchText, setSearchText] = useState('');
  const [markedKey, setMarkedKey] = useState<string>();
  const filtered = useMemo(() => {
    const statuses = STATUS_FILTERS.find(({ value }) => value === statusFilter)?.statuses ?? [];
    const foldedSearch = foldSearch(searchText.trim());
    return intervals.filter(
      ({ status, application, title = '' }) =>
        statuses.includes(status) && foldSearch(`${application} ${title}`).includes(foldedSearch),
    );
  }, [intervals, statusFilter, searchText]);
  /** Shows and marks an interval. */
  function mark(interval: StoryInterval): void {
    setStatusFilter('focus');
    setSearchText('');
    setMarkedKey(getKey(interval));
  }
  return { filtered, statusFilter, setStatusFilter, searchText, setSearchText, markedKey, mark };
}

interface DayHeaderProps extends Pick<DayStoryProps, 'date' | 'onDay'> {
  readonly intervals: readonly StoryInterval[];
}

function DayHeader({ date, onDay, intervals }: DayHeaderProps) {
  const day = parseIso(date) ?? 0;
  const isLast = date >= getToday();
  const focus = intervals.reduce((sum, { status, from, until }) => sum + (status === 'on' ? until - from : 0), 0);
  return (
    <div className={styles['head']}>
      <IconButton label="Previous day" onClick={() => onDay(toIso(day - 1))}>
        <IconChevronLeft size={18} stroke={1.75} />
      </IconButton>
      <b className="num">{formatDayLabel(date)}</b>
      <IconButton label="Next day" disabled={isLast} onClick={() => onDay(toIso(day + 1))}>
        <IconChevronRight size={18} stroke={1.75} />
      </IconButton>
      <span className="num">{formatDuration(focus / 1000)} in focus</span>
    </div>
  );
}

/** Describes the last correction, with an undo button, or why it failed. */
function CorrectionNotice({ correcting, editing }: Pick<LoadedDay, 'correcting' | 'editing'>) {
  const { last, error, isBusy, undo } = correcting;
  const undoButton = useRef<HTMLButtonElement>(null);
  // The corrected row had the focus, which moves to the undo button once it is enabled.
  useLayoutEffect(() => {
    if (last && !isBusy && document.activeElement === document.body) undoButton.current?.focus();
  }, [last, isBusy]);
  return (
    <>
      <p className={styles['done']} role="status">
        {last ? (
          <>
            <span dir="auto">{last.text}</span>
            <Button ref={undoButton} size="xs" disabled={isBusy} onClick={undo}>
              Undo
            </Button>
          </>
        ) : null}
      </p>
      {error && !editing ? (
        <p className={styles['problem']} role="alert">
          {error.message}
        </p>
      ) : null}
    </>
  );
}

interface StripsProps {
  readonly day: LoadedDay;
  readonly date: string;
  readonly getComputerLabel: (device: number) => string | undefined;
  readonly onPick: (interval: StoryInterval) => void;
}

/** A strip for each computer. */
function Strips({ day: { devices, intervals, getColour }, date, getComputerLabel, onPick }: StripsProps) {
  const intervalsByDevice = useMemo(() => groupBy(intervals, ({ device }) => device), [intervals]);
  return devices.map((device) => (
    <StoryStrip
      key={device}
      name={getComputerLabel(device) ?? ''}
      date={date}
      intervals={intervalsByDevice.get(device) ?? []}
      getColour={getColour}
      onPick={onPick}
    />
  ));
}

function getEmptyText({ error, isPending }: LoadedDay['story']): string {
  if (error) return error.message;
  return isPending ? 'loading' : 'No matching entries on this day';
}

/** State of the open form. */
export interface OpenForm {
  readonly close: () => void;
  /** Whether any field has changed. */
  readonly isChanged: boolean;
}

interface DayProps extends Omit<DayStoryProps, 'onClose'> {
  readonly onForm: (form: OpenForm | undefined) => void;
}

/** A day with its corrections. */
export function Day({ scope, date, computers, onDay, onForm }: DayProps) {
  const day = useDay({ scope, date, computers });
  const [isChanged, setIsChanged] = useState(false);
  const { intervals, editing, correcting, story } = day;
  const closeRef = useRef(day.close);
  useLayoutEffect(() => {
    closeRef.current = day.close;
  });
  const isOpen = editing !== undefined;
  useLayoutEffect(
    () => onForm(isOpen ? { close: () => closeRef.current(), isChanged } : undefined),
    [onForm, isOpen, isChanged],
  );
  const filter = useIntervalFilter(intervals);
  const confirmDiscard = useConfirmDiscard();
  const getComputerLabel = (device: number): string | undefined =>
    day.devices.length > 1 ? formatComputerName(computers, device) : undefined;
  const form = editing ? (
    <IntervalForm
      key={getKey(editing.interval)}
      {...editing}
      date={date}
      intervals={intervals}
      applications={day.applications}
      computers={computers}
      isBusy={correcting.isBusy}
      failure={correcting.error?.message}
      onSave={day.save}
      onCancel={day.close}
      onChanged={setIsChanged}
    />
  ) : null;
  const editedKey = editing?.isExisting ? getKey(editing.interval) : undefined;
  return (
    <div className={styles['story']}>
      <DayHeader date={date} onDay={(next) => confirmDiscard(() => onDay(next))} intervals={intervals} />
      <Strips day={day} date={date} getComputerLabel={getComputerLabel} onPick={filter.mark} />
      <div className={styles['bar']}>
        <SegmentedControl
          label="Show"
          options={STATUS_FILTERS}
          value={filter.statusFilter}
          onSelect={filter.setStatusFilter}
        />
        <TextInput
          type="search"
          aria-label="Find an app"
          placeholder="Find an app"
          value={filter.searchText}
          onChange={(event) => filter.setSearchText(event.currentTarget.value)}
        />
        <Button
          leftSection={<IconPlus size={16} stroke={1.75} />}
          data-add
          disabled={!day.add}
          onClick={() => confirmDiscard(() => day.add?.())}
        >
          Add entry
        </Button>
      </div>
      <CorrectionNotice correcting={correcting} editing={editing} />
      {editedKey === undefined ? form : null}
      <IntervalList
        date={date}
        intervals={filter.filtered}
        getColour={day.getColour}
        getComputerLabel={getComputerLabel}
        markedKey={filter.markedKey}
        renderReplacement={(interval) => (getKey(interval) === editedKey ? form : undefined)}
        onEdit={(interval) => confirmDiscard(() => day.edit(interval))}
        onDelete={day.remove}
      />
      {filter.filtered.length === 0 ? (
        <p className={styles['empty']} role={story.error ? 'alert' : undefined}>
          {getEmptyText(story)}
        </p>
      ) : null}
    </div>
  );
}

const DIALOG_WIDTH_PX = 960;

/** Dialog with all intervals of a day, which can be corrected. Closing it closes an open form first. */
export function DayStory({ onClose, ...rest }: DayStoryProps) {
  const [form, setForm] = useState<OpenForm>();
  return (
    <Dialog
      title="Day details"
      isOpen
      onClose={form?.close ?? onClose}
      hasUnsaved={form?.isChanged ?? false}
      width={DIALOG_WIDTH_PX}
      lockScroll={false}
    >
      <Day key={rest.date} {...rest} onForm={setForm} />
    </Dialog>
  );
}
