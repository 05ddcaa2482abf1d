import { useId, useLayoutEffect, useMemo, useRef, useState, type ChangeEvent, type KeyboardEvent } from 'react';
import { scrollRowIntoView, useVisibleRows } from '../windowing/visibleRows.ts';

interface FilteredListOptions<Choice> {
  /** Accessible name of field and list. */
  readonly label: string;
  /** Returns the choices that match the query; must be the same function while the choices are the same. */
  readonly getMatches: (query: string) => readonly Choice[];
  /** Height of a row, in px. */
  readonly rowHeight: number;
  /** Rows that PageUp and PageDown move by. */
  readonly rowsPerPage: number;
  /** Index of the row that is active at first; the list scrolls it to the middle. */
  readonly initialIndex?: number;
  readonly onSelect: (choice: Choice) => void;
}

/**
 * A list that is filtered by the text of a field, with only the visible rows rendered. The field keeps the focus
 * and handles arrows, PageUp, PageDown and Enter. Returns props for field, list and rows; the caller styles them.
 */
export function useFilteredList<Choice>(options: FilteredListOptions<Choice>) {
  const { label, getMatches, rowHeight, rowsPerPage, initialIndex = 0, onSelect } = options;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [activeIndex, setActiveIndex] = useState(initialIndex);
  const matches = useMemo(() => getMatches(query), [getMatches, query]);
  const active = Math.min(activeIndex, matches.length - 1);
  useLayoutEffect(() => {
    const box = list.current;
    field.current?.focus({ preventScroll: true });
    if (box && active > 0) box.scrollTop = active * rowHeight - box.clientHeight / 2 + rowHeight / 2;
    // oxlint-disable-next-line react/exhaustive-deps -- only when it opens
  }, []);
  const { from, until } = useVisibleRows(list, rowHeight);

  function moveTo(index: number): void {
    const next = Math.max(0, Math.min(matches.length - 1, index));
    setActiveIndex(next);
    if (list.current) scrollRowIntoView(list.current, next, rowHeight);
  }
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: rowsPerPage,
    PageUp: -rowsPerPage,
  };
  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const [step, choice] = [steps[event.key], matches[active]];
    if (step !== undefined) moveTo(active + step);
    else if (event.key !== 'Enter') return;
    else if (choice) onSelect(choice);
    event.preventDefault();
    event.stopPropagation();
  }

  return {
    query,
    matches,
    field: {
      ref: field,
      role: 'combobox',
      type: 'text',
      'aria-label': label,
      'aria-expanded': true,
      'aria-controls': id,
      'aria-autocomplete': 'list',
      ...(matches.length > 0 ? { 'aria-activedescendant': `${id}${active}` } : {}),
      autoComplete: 'off',
      spellCheck: false,
      value: query,
      onChange: (event: ChangeEvent<HTMLInputElement>): void => {
        setQuery(event.currentTarget.value);
        setActiveIndex(0);
        if (list.current) list.current.scrollTop = 0;
      },
      onKeyDown,
    },
    list: {
      ref: list,
      id,
      role: 'listbox',
      'aria-label': label,
      tabIndex: -1,
      // Keep the focus in the field.
      onMouseDown: (event: { readonly preventDefault: () => void }): void => event.preventDefault(),
    },
    content: { role: 'presentation', style: { height: matches.length * rowHeight } },
    rows: matches.slice(from, until).map((choice, index) => {
      const rowIndex = from + index;
      return {
        choice,
        isActive: rowIndex === active,
        row: {
          id: `${id}${rowIndex}`,
          role: 'option',
          tabIndex: -1,
          'aria-setsize': matches.length,
          'aria-posinset': rowIndex + 1,
          style: { top: rowIndex * rowHeight, height: rowHeight },
          onMouseMove: (): void => setActiveIndex(rowIndex),
          onClick: (): void => onSelect(choice),
        },
      };
    }),
  } as const;
}
