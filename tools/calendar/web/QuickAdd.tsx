import { IconAlertCircle, IconPlus } from '@tabler/icons-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { toIso } from '#platform/contract/day.ts';
import { migrateDrafts, useDraft } from '#platform/web/app/drafts.ts';
import { showError } from '#platform/web/app/showError.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { formatClockTime } from '#platform/web/browser/formats.ts';
import { Form } from '#platform/web/ui/Form.tsx';
import { parseDay } from '../events/domain/day.ts';
import { getStyle } from '../events/domain/event.ts';
import { type LineReading, interpretLine } from '../quickAdd/domain/interpretLine.ts';
import { describeReading, toNewEventData } from './readingData.ts';
import type { CalendarViewProps } from './selection.ts';
import { useSaveEvent } from './useEventMutations.ts';
import styles from './QuickAdd.module.css';

const DRAFT_KEY = 'calendar.quickadd';

migrateDrafts(() => {
  const text = browserStorage.get(DRAFT_KEY);
  if (text !== undefined) browserStorage.removeByPrefix(DRAFT_KEY);
  return text ? { [DRAFT_KEY]: text } : {};
});

interface ReadingsProps {
  readonly id: string;
  readonly readings: readonly LineReading[];
  readonly isDated: boolean;
  readonly today: number;
  readonly selectedIndex: number;
  readonly onSelect: (reading: LineReading) => void;
}

/** The readings of the line. The one that Enter saves is marked; the others can be selected by key or click. */
function Readings({ id, readings, isDated, today, selectedIndex, onSelect }: ReadingsProps) {
  const isTimed = readings.some(({ time }) => time !== undefined);
  return (
    <div id={id} className={styles['readings']} role="listbox" aria-label="Understood as">
      {readings.map((reading, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are the field's: it keeps the focus
        <div
          key={describeReading(reading, today) + reading.name}
          id={`${id}${index}`}
          className={styles['reading']}
          role="option"
          tabIndex={-1}
          aria-selected={index === selectedIndex}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onSelect(reading)}
        >
          <b dir="auto">{reading.name}</b>
          <span>
            {describeReading(reading, today)}
            {isTimed && reading.time === undefined && ', all day'}
            {!isDated && ' (no date given)'}
          </span>
          {reading.tags.length > 0 && <span dir="auto">{reading.tags.map((tag) => `#${tag}`).join(' ')}</span>}
        </div>
      ))}
    </div>
  );
}

/** A text field that creates an event from one line in plain words. It shows the readings before anything is saved. */
export function QuickAdd({ today: isoToday, onSelect }: Pick<CalendarViewProps, 'today' | 'onSelect'>) {
  const id = useId();
  const [text, setText] = useDraft(DRAFT_KEY, { isPersistent: true });
  const [pickedIndex, setPickedIndex] = useState(0);
  const [now, setNow] = useState(() => formatClockTime(Date.now()));
  const save = useSaveEvent();
  const today = parseDay(isoToday) ?? 0;
  const meaning = interpretLine(text, today, now);
  const readings = meaning.kind === 'readings' ? meaning.readings : [];
  const selectedIndex = Math.min(pickedIndex, Math.max(0, readings.length - 1));

  function changeText(typed: string): void {
    setText(typed);
    setNow(formatClockTime(Date.now()));
    setPickedIndex(0);
  }
  function saveReading(reading: LineReading | undefined): void {
    if (!reading || save.isPending) return;
    save.mutate(
      { data: toNewEventData(reading) },
      {
        onError: showError,
        onSuccess: (saved) => {
          changeText('');
          onSelect({ kind: 'event', id: saved.id, date: toIso(reading.day), type: getStyle(reading.pattern) });
        },
      },
    );
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' && text !== '') changeText('');
    else if (step !== undefined && readings.length > 1)
      setPickedIndex((selectedIndex + step + readings.length) % readings.length);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <Form className={styles['root']} onSubmit={() => saveReading(readings[selectedIndex])}>
      <span className={`${styles['field']} icon-field`} data-busy={save.isPending || undefined}>
        <IconPlus size={16} stroke={1.75} aria-hidden />
        <input
          data-quick-add
          role="combobox"
          aria-label="Quick add"
          aria-expanded={readings.length > 0}
          aria-controls={`${id}r`}
          aria-describedby={`${id}w`}
          {...(readings.length > 0 ? { 'aria-activedescendant': `${id}r${selectedIndex}` } : {})}
          placeholder="dentist next Tuesday 09:40"
          autoComplete="off"
          enterKeyHint="done"
          dir="auto"
          value={text}
          onChange={(event) => changeText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </span>
      <span id={`${id}w`} className={styles['problem']} role="status">
        {meaning.kind === 'wrong' && (
          <>
            <IconAlertCircle size={15} stroke={1.75} aria-hidden />
            {meaning.why}
          </>
        )}
      </span>
      {readings.length > 0 && (
        <>
          <Readings
            id={`${id}r`}
            readings={readings}
            isDated={meaning.kind === 'readings' && meaning.isDated}
            today={today}
            selectedIndex={selectedIndex}
            onSelect={saveReading}
          />
          <span className={styles['hint']}>
            {readings.length > 1 ? 'Up and Down to choose, Enter to save' : 'Enter to save'}
          </span>
        </>
      )}
    </Form>
  );
}
