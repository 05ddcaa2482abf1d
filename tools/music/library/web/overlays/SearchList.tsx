import { IconCheck } from '@tabler/icons-react';
import { useCallback, useMemo } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { useFilteredList } from '#platform/web/ui/useFilteredList.ts';
import { containsWords, splitWords } from '../../domain/libraryFilter.ts';
import styles from './SearchList.module.css';

export interface Choice {
  readonly id: number;
  readonly label: string;
  readonly note: string;
  /** Whether it is included already and can't be selected. */
  readonly isIncluded: boolean;
}

interface SearchListProps {
  /** Label of the field and the list. */
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly onSelect: (choice: Choice) => void;
  /** Shown instead of the list if there are no choices. */
  readonly emptyText: string;
  readonly includedText: string;
}

const ROW_HEIGHT_PX = 44;
const ROWS_PER_PAGE = 6;

/** A filtered list of choices that scrolls within 300 px (docs/specification/music.md section 6). */
export function SearchList({ label, choices, onSelect, emptyText, includedText }: SearchListProps) {
  const folded = useMemo(() => choices.map((choice) => foldSearch(`${choice.label} ${choice.note}`)), [choices]);
  const find = useCallback(
    (typed: string) => {
      const words = splitWords(typed);
      return choices.filter((_, at) => containsWords(folded[at] ?? '', words));
    },
    [choices, folded],
  );
  const { typed, shown, field, list, content, rows } = useFilteredList({
    label,
    find,
    rowHeight: ROW_HEIGHT_PX,
    page: ROWS_PER_PAGE,
    onSelect: (choice) => {
      if (!choice.isIncluded) onSelect(choice);
    },
  });
  return (
    <div>
      <input {...field} className={styles['field']} placeholder="Search" data-autofocus />
      <div {...list} className={styles['list']} hidden={shown.length === 0}>
        <div {...content}>
          {rows.map(({ choice, isActive, row }) => (
            <div
              key={choice.id}
              {...row}
              className={styles['row']}
              aria-selected={isActive}
              aria-disabled={choice.isIncluded}
            >
              <span className="ellipsis" dir="auto">
                {choice.label}
              </span>
              <small>{[choice.note, choice.isIncluded && includedText].filter(Boolean).join(', ')}</small>
              {choice.isIncluded && <IconCheck size={16} stroke={2} aria-hidden />}
            </div>
          ))}
        </div>
      </div>
      {shown.length === 0 && <p className={styles['empty']}>{choices.length === 0 ? emptyText : 'No matches'}</p>}
      <p className="unseen" role="status">
        {typed === '' ? '' : `${shown.length} found`}
      </p>
    </div>
  );
}
