import { useMediaQuery } from '@mantine/hooks';
import { IconSearch, IconChevronDown } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, type KeyboardEvent, useId, useState } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { useFilteredList } from '#platform/web/ui/useFilteredList.ts';
import styles from './FilterList.module.css';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Text at the right. */
  readonly note?: string;
  /** CSS colour of a dot before the label. */
  readonly colour?: string;
}

interface FilterListProps {
  /** Accessible name of the field and the list. */
  readonly label: string;
  readonly placeholder: string;
  readonly choices: readonly Choice[];
  readonly value?: string | undefined;
  readonly onPick: (value: string) => void;
  /** `returnsFocus`: returns the focus to the element that opened it. */
  readonly onClose: (returnsFocus: boolean) => void;
}

const ROW_PX = 34;
const TOUCH_ROW_PX = 44;
const MAX_ROWS = 7;

/** Filters choices by the input, prefix matches first. `3` finds `3 hours` before `13 hours`. */
function filterChoices(choices: readonly Choice[], text: string): readonly Choice[] {
  const searchText = foldSearch(text).trim();
  if (searchText === '') return choices;
  const matches = choices.filter(({ label, note }) => foldSearch(`${label} ${note ?? ''}`).includes(searchText));
  const isPrefixMatch = ({ label }: Choice): boolean => foldSearch(label).startsWith(searchText);
  return [...matches.filter(isPrefixMatch), ...matches.filter((choice) => !isPrefixMatch(choice))];
}

/** A list of any length with a filter field. Arrows, Enter and Esc work from the field. */
export function FilterList({ label, placeholder, choices, value, onPick, onClose }: FilterListProps) {
  const height =
    (useMediaQuery('(pointer: coarse)', undefined, { getInitialValueInEffect: false }) ?? false)
      ? TOUCH_ROW_PX
      : ROW_PX;
  const containerRef = useRef<HTMLDivElement>(null);
  const { matches, field, list, content, rows } = useFilteredList({
    label,
    getMatches: useCallback((query: string) => filterChoices(choices, query), [choices]),
    rowHeight: height,
    rowsPerPage: MAX_ROWS,
    initialIndex: Math.max(
      0,
      choices.findIndex((choice) => choice.value === value),
    ),
    onSelect: (choice) => onPick(choice.value),
  });
  useEffect(() => {
    containerRef.current?.scrollIntoView?.({ block: 'nearest' });
  }, []);

  function onKeyDown(event: KeyboardEvent): void {
    const isPlain = !event.nativeEvent.isComposing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isPlain && event.key === 'Tab') onClose(true);
    else if (isPlain && event.key === 'Escape') {
      onClose(true);
      event.preventDefault();
      event.stopPropagation();
    } else field.onKeyDown(event);
  }
  return (
    <div ref={containerRef} className={`${styles['container']} popup`}>
      <span className={`${styles['field']} icon-field`}>
        <IconSearch size={15} stroke={1.75} aria-hidden />
        <input
          {...field}
          // Esc closes only the list, not the dialog around it.
          data-mantine-stop-propagation
          placeholder={placeholder}
          onKeyDown={onKeyDown}
          onBlur={() => onClose(false)}
        />
      </span>
      <div
        {...list}
        className={styles['list']}
        style={{ height: height * Math.min(MAX_ROWS, Math.max(1, matches.length)) }}
      >
        <div {...content} className={styles['listContent']}>
          {rows.map(({ choice, isActive, row }) => (
            <div
              key={choice.value}
              {...row}
              className={styles['choice']}
              aria-selected={choice.value === value}
              data-active={isActive || undefined}
            >
              {choice.colour === undefined ? null : <span className="dot" style={{ background: choice.colour }} />}
              <span className="ellipsis" dir="auto">
                {choice.label}
              </span>
              {choice.note === undefined ? null : (
                <small className="ellipsis" dir="auto">
                  {choice.note}
                </small>
              )}
            </div>
          ))}
        </div>
      </div>
      {matches.length === 0 ? (
        <p className={styles['noMatches']} role="status">
          No matches
        </p>
      ) : null}
    </div>
  );
}

interface ComboProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  /** Shown for a value that is not among the choices. */
  readonly fallback: string;
  /** Why the current value is invalid. */
  readonly problem?: string | undefined;
  readonly onPick: (value: string) => void;
}

/** Min space below the button, in px; otherwise the list opens upwards if there is more space. */
const MIN_SPACE_PX = 300;

function hasSpaceBelow(button: HTMLElement): boolean {
  const { top, bottom } = button.getBoundingClientRect();
  const below = window.innerHeight - bottom;
  return below >= MIN_SPACE_PX || below >= top;
}

/** Select with many choices: a button, and a list with a filter field. */
export function Combo({ label, choices, value, fallback, problem, onPick }: ComboProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<'below' | 'above'>();
  const selected = choices.find((choice) => choice.value === value);
  const show = (): void => setOpen(button.current && !hasSpaceBelow(button.current) ? 'above' : 'below');
  function close(returnsFocus: boolean): void {
    setOpen(undefined);
    if (returnsFocus) button.current?.focus();
  }
  return (
    <div className={styles['root']}>
      <span id={`${id}l`} className={styles['label']}>
        {label}
      </span>
      <div className={styles['comboContainer']}>
        <button
          ref={button}
          type="button"
          className={styles['button']}
          aria-haspopup="listbox"
          aria-expanded={open !== undefined}
          aria-labelledby={`${id}l ${id}v`}
          aria-describedby={problem === undefined ? undefined : `${id}w`}
          data-wrong={problem !== undefined || undefined}
          // Otherwise the list would close on blur, and the click would open it again.
          onMouseDown={(event) => open && event.preventDefault()}
          onClick={() => (open ? close(true) : show())}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
            event.preventDefault();
            show();
          }}
        >
          {selected?.colour === undefined ? null : <span className="dot" style={{ background: selected.colour }} />}
          <span id={`${id}v`} className={styles['value']}>
            <span className="ellipsis" dir="auto">
              {selected?.label ?? fallback}
            </span>
            {selected?.note === undefined ? null : (
              <small className="ellipsis" dir="auto">
                {selected.note}
              </small>
            )}
          </span>
          <IconChevronDown size={16} stroke={1.75} />
        </button>
        {open ? (
          <div className={styles['comboList']} data-above={open === 'above' || undefined}>
            <FilterList
              label={label}
              placeholder="Type to find"
              choices={choices}
              value={value}
              onPick={(selectedValue) => {
                close(true);
                onPick(selectedValue);
              }}
              onClose={close}
            />
          </div>
        ) : null}
      </div>
      {problem === undefined ? null : (
        <p id={`${id}w`} className={styles['problem']}>
          {problem}
        </p>
      )}
    </div>
  );
}
