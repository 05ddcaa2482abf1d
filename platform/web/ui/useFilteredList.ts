import { useId, useLayoutEffect, useMemo, useRef, useState, type ChangeEvent, type KeyboardEvent } from 'react';
import { scrollRowIntoView, useVisibleRows } from '../windowing/visibleRows.ts';

interface FilteredListOptions<Choice> {
  /** The accessible name, of the field and of the list. */
  readonly label: string;
  /** What has what was typed; the same function as long as the choices are the same. */
  readonly find: (typed: string) => readonly Choice[];
  /** Of a row, in px. */
  readonly rowHeight: number;
  /** Rows that PageDown leaves behind. */
  readonly page: number;
  /** The place that stands out as it opens, in the middle of what is in sight. */
  readonly first?: number;
  readonly onSelect: (choice: Choice) => void;
}

/**
 * A list of any length that is narrowed by what is typed into the field above it, of which only the rows in sight are drawn. The field has
 * and keeps the focus: arrows, PageUp, PageDown and Enter work from it. Gives what the field, the list, what stands in it, and each row are
 * to have; how they look is the caller's.
 */
export function useFilteredList<Choice>({
  label,
  find,
  rowHeight,
  page,
  first = 0,
  onSelect,
}: FilteredListOptions<Choice>) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const [wanted, setWanted] = useState(first);
  const shown = useMemo(() => find(typed), [find, typed]);
  const active = Math.min(wanted, shown.length - 1);
  useLayoutEffect(() => {
    const box = list.current;
    field.current?.focus({ preventScroll: true });
    if (box && active > 0) box.scrollTop = active * rowHeight - box.clientHeight / 2 + rowHeight / 2;
    // oxlint-disable-next-line react/exhaustive-deps -- only as it opens
  }, []);
  const { from, until } = useVisibleRows(list, rowHeight);

  const go = (to: number): void => {
    const next = Math.max(0, Math.min(shown.length - 1, to));
    setWanted(next);
    if (list.current) scrollRowIntoView(list.current, next, rowHeight);
  };
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const [step, choice] = [steps[event.key], shown[active]];
    if (step !== undefined) go(active + step);
    else if (event.key !== 'Enter') return;
    else if (choice) onSelect(choice);
    event.preventDefault();
    event.stopPropagation();
  };

  return {
    typed,
    shown,
    field: {
      ref: field,
      role: 'combobox',
      type: 'text',
      'aria-label': label,
      'aria-expanded': true,
      'aria-controls': id,
      'aria-autocomplete': 'list',
      ...(shown.length > 0 ? { 'aria-activedescendant': `${id}${active}` } : {}),
      autoComplete: 'off',
      spellCheck: false,
      value: typed,
      onChange: (event: ChangeEvent<HTMLInputElement>): void => {
        setTyped(event.currentTarget.value);
        setWanted(0);
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
      // The field keeps the focus.
      onMouseDown: (event: { readonly preventDefault: () => void }): void => event.preventDefault(),
    },
    inside: { role: 'presentation', style: { height: shown.length * rowHeight } },
    rows: shown.slice(from, until).map((choice, index) => {
      const at = from + index;
      return {
        choice,
        isActive: at === active,
        row: {
          id: `${id}${at}`,
          role: 'option',
          tabIndex: -1,
          'aria-setsize': shown.length,
          'aria-posinset': at + 1,
          style: { top: at * rowHeight, height: rowHeight },
          onMouseMove: (): void => setWanted(at),
          onClick: (): void => onSelect(choice),
        },
      };
    }),
  } as const;
}
