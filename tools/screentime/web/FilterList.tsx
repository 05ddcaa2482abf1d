import { useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, type KeyboardEvent } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { useFilteredList } from '#platform/web/ui/useFilteredList.ts';
import styles from './FilterList.module.css';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** A word at the right. */
  readonly note?: string;
  /** CSS, for a dot before the label. */
  readonly colour?: string;
}

interface FilterListProps {
  /** The accessible name, of the field and of the list. */
  readonly label: string;
  readonly placeholder: string;
  readonly choices: readonly Choice[];
  readonly value?: string | undefined;
  readonly onPick: (value: string) => void;
  /** `giveBack`: the focus returns to what opened it. */
  readonly onClose: (giveBack: boolean) => void;
}

const ROW = 34;
const TOUCH_ROW = 44;
const MAX_ROWS = 7;

/** Choices that have what was typed, those that begin with it first; the number `3` finds `3 hours` before `13 hours`. */
const found = (choices: readonly Choice[], typed: string): readonly Choice[] => {
  const sought = foldSearch(typed).trim();
  if (sought === '') return choices;
  const fits = choices.filter(({ label, note }) => foldSearch(`${label} ${note ?? ''}`).includes(sought));
  const isFirst = ({ label }: Choice): boolean => foldSearch(label).startsWith(sought);
  return [...fits.filter(isFirst), ...fits.filter((choice) => !isFirst(choice))];
};

/** A list of any length that is narrowed by typing. Arrows, Enter and Esc work from the field. */
export function FilterList({ label, placeholder, choices, value, onPick, onClose }: FilterListProps) {
  const height =
    (useMediaQuery('(pointer: coarse)', undefined, { getInitialValueInEffect: false }) ?? false) ? TOUCH_ROW : ROW;
  const place = useRef<HTMLDivElement>(null);
  const { shown, field, list, inside, rows } = useFilteredList({
    label,
    find: useCallback((typed: string) => found(choices, typed), [choices]),
    rowHeight: height,
    page: MAX_ROWS,
    first: Math.max(
      0,
      choices.findIndex((choice) => choice.value === value),
    ),
    onSelect: (choice) => onPick(choice.value),
  });
  useEffect(() => {
    place.current?.scrollIntoView?.({ block: 'nearest' });
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    const isPlain = !event.nativeEvent.isComposing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isPlain && event.key === 'Tab') onClose(true);
    else if (isPlain && event.key === 'Escape') {
      onClose(true);
      event.preventDefault();
      event.stopPropagation();
    } else field.onKeyDown(event);
  };
  return (
    <div ref={place} className={styles['place']}>
      <span className={styles['field']}>
        <IconSearch size={15} stroke={1.75} aria-hidden />
        <input
          {...field}
          // Esc closes the list alone, not the dialog that it is in.
          data-mantine-stop-propagation
          placeholder={placeholder}
          onKeyDown={onKeyDown}
          onBlur={() => onClose(false)}
        />
      </span>
      <div
        {...list}
        className={styles['list']}
        style={{ height: height * Math.min(MAX_ROWS, Math.max(1, shown.length)) }}
      >
        <div {...inside} className={styles['all']}>
          {rows.map(({ choice, isActive, row }) => (
            <div
              key={choice.value}
              {...row}
              className={styles['choice']}
              aria-selected={choice.value === value}
              data-active={isActive || undefined}
            >
              {choice.colour === undefined ? null : (
                <span className={styles['dot']} style={{ background: choice.colour }} />
              )}
              <span className="ellipsis" dir="auto">
                {choice.label}
              </span>
              {choice.note === undefined ? null : <small dir="auto">{choice.note}</small>}
            </div>
          ))}
        </div>
      </div>
      {shown.length === 0 ? (
        <p className={styles['none']} role="status">
          No matches
        </p>
      ) : null}
    </div>
  );
}
