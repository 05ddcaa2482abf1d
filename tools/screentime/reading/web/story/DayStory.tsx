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
import { today } from '#tools/screentime/web/usageClock.ts';
import { prettyTime, dayLabel } from '../../../usage/domain/formats.ts';
import type { StoryInterval } from '../../../usage/domain/interval.ts';
import type { DayStoryProps } from '../viewTypes.ts';
import { IntervalForm } from './IntervalForm.tsx';
import { Strip } from './StoryStrip.tsx';
import { getKey, statusWords, formatTimes, useDay, type LoadedDay, computerName } from './useDay.ts';
import styles from './Story.module.css';

/** Rows shown first; more on request. */
const ROWS = 150;

interface ListProps {
  readonly date: string;
  readonly stretches: readonly StoryInterval[];
  readonly getColour: (application: string) => string;
  /** Name of a computer, if there are several. */
  readonly getComputerName: (device: number) => string | undefined;
  /** The row that was selected in the strip. */
  readonly marked: string | undefined;
  /** Replaces a row, such as with its form. */
  readonly renderReplacement: (interval: StoryInterval) => ReactNode;
  readonly onEdit: (interval: StoryInterval) => void;
  readonly onDelete: (interval: StoryInterval) => void;
}

const scrollIntoView = (row: HTMLElement | null): void => row?.scrollIntoView({ block: 'nearest' });

/** List of the intervals of a day. */
export function IntervalList(props: ListProps) {
  const { date, stretches: intervals, getColour, getComputerName, marked, renderReplacement, onEdit, onDelete } = props;
  const [more, setMore] = useState(ROWS);
  const markedAt = intervals.findIndex((each) => getKey(each) === marked);
  const visibleCount = Math.max(more, markedAt + 1);
  return (
    <>
      <ul className={styles['list']}>
        {intervals.slice(0, visibleCount).map((interval) => {
          const key = getKey(interval);
          const description = `${interval.application}, ${formatClockTime(interval.from)}`;
          const computer = getComputerName(interval.device);
          return (
            <li key={key} ref={key === marked ? scrollIntoView : undefined} data-marked={key === marked || undefined}>
              {renderReplacement(interval) ?? (
                <>
                  <span className="num">{formatTimes(interval, date)}</span>
                  <i style={{ background: getColour(interval.application) }} />
                  <span className={styles['application']} dir="auto">
                    {interval.application}
                    {interval.title === undefined ? null : <small>{interval.title}</small>}
                  </span>
                  <small>
                    {interval.status === 'on' ? '' : statusWords[interval.status]}
                    {computer === undefined ? '' : ` ${computer}`}
                  </small>
                  <span className={`${styles['long']} num`}>{prettyTime((interval.until - interval.from) / 1000)}</span>
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
        <Button variant="subtle" onClick={() => setMore(visibleCount * 3)}>
          Show {intervals.length - visibleCount} more
        </Button>
      ) : null}
    </>
  );
}

type Sort = 'focus' | 'sound' | 'open';
const SORTS: readonly { readonly value: Sort; readonly label: string; readonly of: readonly Status[] }[] = [
  { value: 'focus', label: 'In focus', of: ['on'] },
  { value: 'sound', label: 'Sound', of: ['s', 'r'] },
  { value: 'open', label: 'Open', of: ['off'] },
];

/** Filters the listed intervals. */
const useListed = (intervals: readonly StoryInterval[]) => {
  const [sort, setSort] = useState<Sort>('focus');
  const [searchText, setSearchText] = useState('');
  const [marked, setMarked] = useState<string>();
  const listed = useMemo(() => {
    const of = SORTS.find(({ value }) => value === sort)?.of ?? [];
    const word = foldSearch(searchText.trim());
    return intervals.filter(
      ({ status, application, title = '' }) =>
        of.includes(status) && foldSearch(`${application} ${title}`).includes(word),
    );
  }, [intervals, sort, searchText]);
  /** Shows and marks an interval. */
  const mark = (interval: StoryInterval): void => {
    setSort('focus');
    setSearchText('');
    setMarked(getKey(interval));
  };
  return { listed, sort, setSort, searchText: searchText, onSearch: setSearchText, marked, mark };
};

interface HeadProps extends Pick<DayStoryProps, 'date' | 'onDay'> {
  readonly stretches: readonly StoryInterval[];
}

function Head({ date, onDay, stretches: intervals }: HeadProps) {
  const day = parseIso(date) ?? 0;
  const isLast = date >= today();
  const focus = intervals.reduce((sum, { status, from, until }) => sum + (status === 'on' ? until - from : 0), 0);
  return (
    <div className={styles['head']}>
      <IconButton label="Previous day" onClick={() => onDay(toIso(day - 1))}>
        <IconChevronLeft size={18} stroke={1.75} />
      </IconButton>
      <b className="num">{dayLabel(date)}</b>
      <IconButton label="Next day" disabled={isLast} onClick={() => onDay(toIso(day + 1))}>
        <IconChevronRight size={18} stroke={1.75} />
      </IconButton>
      <span className="num">{prettyTime(focus / 1000)} in focus</span>
    </div>
  );
}

/** Says what was corrected, with an undo button, or why it failed. */
function CorrectionNotice({ correcting, editing }: Pick<LoadedDay, 'correcting' | 'editing'>) {
  const { last, error, isBusy, undo } = correcting;
  const button = useRef<HTMLButtonElement>(null);
  // The corrected row had the focus, which moves to the undo button once it is enabled.
  useLayoutEffect(() => {
    if (last && !isBusy && document.activeElement === document.body) button.current?.focus();
  }, [last, isBusy]);
  return (
    <>
      <p className={styles['done']} role="status">
        {last ? (
          <>
            <span dir="auto">{last.text}</span>
            <Button ref={button} size="xs" disabled={isBusy} onClick={undo}>
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
  readonly getComputerName: (device: number) => string | undefined;
  readonly onPick: (interval: StoryInterval) => void;
}

/** A strip for each computer. */
function Strips({ day: { devices, stretches: intervals, getColour }, date, getComputerName, onPick }: StripsProps) {
  const by = useMemo(() => groupBy(intervals, ({ device }) => device), [intervals]);
  return devices.map((device) => (
    <Strip
      key={device}
      name={getComputerName(device) ?? ''}
      date={date}
      stretches={by.get(device) ?? []}
      getColour={getColour}
      onPick={onPick}
    />
  ));
}

const getEmptyText = ({ error, isPending }: LoadedDay['story']): string => {
  if (error) return error.message;
  return isPending ? 'loading' : 'No matching entries on this day';
};

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
  const { stretches: intervals, editing, correcting, story } = day;
  const close = useRef(day.close);
  useLayoutEffect(() => {
    close.current = day.close;
  });
  const isOpen = editing !== undefined;
  useLayoutEffect(
    () => onForm(isOpen ? { close: () => close.current(), isChanged } : undefined),
    [onForm, isOpen, isChanged],
  );
  const list = useListed(intervals);
  const leave = useConfirmDiscard();
  const getComputerName = (device: number): string | undefined =>
    day.devices.length > 1 ? computerName(computers, device) : undefined;
  const form = editing ? (
    <IntervalForm
      key={getKey(editing.interval)}
      {...editing}
      date={date}
      stretches={intervals}
      applications={day.applications}
      computers={computers}
      isBusy={correcting.isBusy}
      failure={correcting.error?.message}
      onSave={day.save}
      onCancel={day.close}
      onChanged={setIsChanged}
    />
  ) : null;
  const edited = editing?.isThere ? getKey(editing.interval) : undefined;
  return (
    <div className={styles['story']}>
      <Head date={date} onDay={(next) => leave(() => onDay(next))} stretches={intervals} />
      <Strips day={day} date={date} getComputerName={getComputerName} onPick={list.mark} />
      <div className={styles['bar']}>
        <SegmentedControl label="Show" options={SORTS} value={list.sort} onSelect={list.setSort} />
        <TextInput
          type="search"
          aria-label="Find an app"
          placeholder="Find an app"
          value={list.searchText}
          onChange={(event) => list.onSearch(event.currentTarget.value)}
        />
        <Button
          leftSection={<IconPlus size={16} stroke={1.75} />}
          data-add
          disabled={!day.add}
          onClick={() => leave(() => day.add?.())}
        >
          Add entry
        </Button>
      </div>
      <CorrectionNotice correcting={correcting} editing={editing} />
      {edited === undefined ? form : null}
      <IntervalList
        date={date}
        stretches={list.listed}
        getColour={day.getColour}
        getComputerName={getComputerName}
        marked={list.marked}
        renderReplacement={(interval) => (getKey(interval) === edited ? form : undefined)}
        onEdit={(interval) => leave(() => day.edit(interval))}
        onDelete={day.remove}
      />
      {list.listed.length === 0 ? (
        <p className={styles['empty']} role={story.error ? 'alert' : undefined}>
          {getEmptyText(story)}
        </p>
      ) : null}
    </div>
  );
}

const WIDTH = 960;

/** Dialog with all intervals of a day, which can be corrected. Closing it closes an open form first. */
export function DayStory({ onClose, ...rest }: DayStoryProps) {
  const [form, setForm] = useState<OpenForm>();
  return (
    <Dialog
      title="Day details"
      isOpen
      onClose={form?.close ?? onClose}
      hasUnsaved={form?.isChanged ?? false}
      width={WIDTH}
      lockScroll={false}
    >
      <Day key={rest.date} {...rest} onForm={setForm} />
    </Dialog>
  );
}
