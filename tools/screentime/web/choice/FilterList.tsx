import { useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { fold } from '#platform/contract/fold.ts';
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
const MOST_ROWS = 7;
/** Drawn beyond what is in sight, so that nothing is blank while it scrolls. */
const SPARE = 6;

/** Choices that have what was typed, those that begin with it first; the number `3` finds `3 hours` before `13 hours`. */
const found = (choices: readonly Choice[], typed: string): readonly Choice[] => {
  const sought = fold(typed).trim();
  if (sought === '') return choices;
  const fits = choices.filter(({ label, note }) => fold(`${label} ${note ?? ''}`).includes(sought));
  const isFirst = ({ label }: Choice): boolean => fold(label).startsWith(sought);
  return [...fits.filter(isFirst), ...fits.filter((choice) => !isFirst(choice))];
};

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: MOST_ROWS, PageUp: -MOST_ROWS };

/** A list of any length that is narrowed by typing: only the rows in sight are drawn. Arrows, Enter and Esc work from the field. */
export function FilterList({ label, placeholder, choices, value, onPick, onClose }: FilterListProps) {
  const id = useId();
  const row =
    (useMediaQuery('(pointer: coarse)', undefined, { getInitialValueInEffect: false }) ?? false) ? TOUCH_ROW : ROW;
  const place = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [top, setTop] = useState(0);
  const shown = useMemo(() => found(choices, typed), [choices, typed]);
  const [picked, setPicked] = useState(() =>
    Math.max(
      0,
      choices.findIndex((choice) => choice.value === value),
    ),
  );
  const active = Math.min(picked, shown.length - 1);
  const height = row * Math.min(MOST_ROWS, Math.max(1, shown.length));

  const show = (at: number): void => {
    const box = list.current;
    if (!box) return;
    if (at * row < box.scrollTop) box.scrollTop = at * row;
    else if ((at + 1) * row > box.scrollTop + height) box.scrollTop = (at + 1) * row - height;
  };
  const activate = (at: number): void => {
    const within = Math.max(0, Math.min(shown.length - 1, at));
    setPicked(within);
    show(within);
  };
  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    // What is chosen stands in the middle of what is in sight.
    if (list.current) list.current.scrollTop = active * row - height / 2 + row / 2;
    place.current?.scrollIntoView?.({ block: 'nearest' });
    // Only as it opens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const choice = shown[active];
    const step = STEPS[event.key];
    if (step !== undefined) activate(active + step);
    else if (event.key === 'Enter') {
      if (choice) onPick(choice.value);
    } else if (event.key === 'Escape') onClose(true);
    else if (event.key === 'Tab') {
      onClose(true);
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const first = Math.max(0, Math.floor(top / row) - SPARE);
  const drawn = shown.slice(first, first + MOST_ROWS + 2 * SPARE);
  return (
    <div ref={place} className={styles['place']}>
      <span className={styles['field']}>
        <IconSearch size={15} stroke={1.75} aria-hidden />
        <input
          ref={field}
          role="combobox"
          // Esc closes the list alone, not the dialog that it is in.
          data-mantine-stop-propagation
          aria-label={label}
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={shown.length > 0 ? `${id}${active}` : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setPicked(0);
            if (list.current) list.current.scrollTop = 0;
          }}
          onKeyDown={onKeyDown}
          onBlur={() => onClose(false)}
        />
      </span>
      <div
        ref={list}
        id={id}
        className={styles['list']}
        role="listbox"
        aria-label={label}
        tabIndex={-1}
        style={{ height }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onMouseDown={(event) => event.preventDefault()}
      >
        <div className={styles['all']} role="presentation" style={{ height: shown.length * row }}>
          {drawn.map((choice, index) => {
            const at = first + index;
            return (
              // The keys are the field's: it keeps the focus.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
              <div
                key={choice.value}
                id={`${id}${at}`}
                className={styles['choice']}
                role="option"
                tabIndex={-1}
                aria-selected={choice.value === value}
                aria-setsize={shown.length}
                aria-posinset={at + 1}
                data-active={at === active || undefined}
                style={{ top: at * row, height: row }}
                onMouseMove={() => setPicked(at)}
                onClick={() => onPick(choice.value)}
              >
                {choice.colour === undefined ? null : (
                  <span className={styles['dot']} style={{ background: choice.colour }} />
                )}
                <span className="ellipsis" dir="auto">
                  {choice.label}
                </span>
                {choice.note === undefined ? null : <small dir="auto">{choice.note}</small>}
              </div>
            );
          })}
        </div>
      </div>
      {shown.length === 0 ? (
        <p className={styles['none']} role="status">
          Nothing is called so
        </p>
      ) : null}
    </div>
  );
}
