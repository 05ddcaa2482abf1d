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
  const foldedTexts = useMemo(() => choices.map((choice) => foldSearch(`${choice.label} ${choice.note}`)), [choices]);
  const getMatches = useCallback(
    (query: string) => {
      const words = splitWords(query);
      return choices.filter((_, index) => containsWords(foldedTexts[index] ?? '', words));
    },
    [choices, foldedTexts],
  );
  const { query, matches, field, list, content, rows } = useFilteredList({
    label,
    getMatches,
    rowHeight: ROW_HEIGHT_PX,
    rowsPerPage: ROWS_PER_PAGE,
    onSelect: (choice) => {
      if (!choice.isIncluded) onSelect(choice);
    },
  });
  return (
    <div>
      <input {...field} className={styles['field']} placeholder="Search" data-autofocus />
      <div {...list} className={styles['list']} hidden={matches.length === 0}>
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
              <small className="ellipsis">
                {[choice.note, choice.isIncluded && includedText].filter(Boolean).join(', ')}
              </small>
              {choice.isIncluded && <IconCheck size={16} stroke={2} aria-hidden />}
            </div>
          ))}
        </div>
      </div>
      {matches.length === 0 && <p className={styles['empty']}>{choices.length === 0 ? emptyText : 'No matches'}</p>}
      <p className="unseen" role="status">
        {query === '' ? '' : `${matches.length} found`}
      </p>
    </div>
  );
}
