import { Button } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { formatClockTime } from '#platform/web/browser/formats.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { StoryInterval } from '../../domain/dayStory.ts';
import { prettyTime } from '../../domain/formats.ts';
import { keyOf, statusWords, timesOf } from './words.ts';
import styles from './Story.module.css';

/** More rows are drawn on request. */
const ROWS = 150;

interface ListProps {
  readonly date: string;
  readonly stretches: readonly StoryInterval[];
  readonly colourOf: (application: string) => string;
  /** The name of its computer, where there are several. */
  readonly computerOf: (device: number) => string | undefined;
  /** The row that the strip was pressed at. */
  readonly marked: string | undefined;
  /** What stands in place of a row. */
  readonly inPlaceOf: (stretch: StoryInterval) => ReactNode;
  readonly onEdit: (stretch: StoryInterval) => void;
  readonly onDelete: (stretch: StoryInterval) => void;
}

const intoSight = (row: HTMLElement | null): void => row?.scrollIntoView({ block: 'nearest' });

/** The stretches of a day one by one. */
export function StretchList(props: ListProps) {
  const { date, stretches, colourOf, computerOf, marked, inPlaceOf, onEdit, onDelete } = props;
  const [more, setMore] = useState(ROWS);
  const markedAt = stretches.findIndex((each) => keyOf(each) === marked);
  const shown = Math.max(more, markedAt + 1);
  return (
    <>
      <ul className={styles['list']}>
        {stretches.slice(0, shown).map((stretch) => {
          const key = keyOf(stretch);
          const named = `${stretch.application}, ${formatClockTime(stretch.from)}`;
          const computer = computerOf(stretch.device);
          return (
            <li key={key} ref={key === marked ? intoSight : undefined} data-marked={key === marked || undefined}>
              {inPlaceOf(stretch) ?? (
                <>
                  <span className="num">{timesOf(stretch, date)}</span>
                  <i style={{ background: colourOf(stretch.application) }} />
                  <span className={styles['what']} dir="auto">
                    {stretch.application}
                    {stretch.title === undefined ? null : <small>{stretch.title}</small>}
                  </span>
                  <small>
                    {stretch.status === 'on' ? '' : statusWords[stretch.status]}
                    {computer === undefined ? '' : ` ${computer}`}
                  </small>
                  <span className={`${styles['long']} num`}>{prettyTime((stretch.until - stretch.from) / 1000)}</span>
                  <IconButton label={`Edit ${named}`} size={28} data-edit={key} onClick={() => onEdit(stretch)}>
                    <IconPencil size={16} stroke={1.75} />
                  </IconButton>
                  <IconButton label={`Delete ${named}`} size={28} onClick={() => onDelete(stretch)}>
                    <IconTrash size={16} stroke={1.75} />
                  </IconButton>
                </>
              )}
            </li>
          );
        })}
      </ul>
      {stretches.length > shown ? (
        <Button variant="subtle" onClick={() => setMore(shown * 3)}>
          Show {stretches.length - shown} more
        </Button>
      ) : null}
    </>
  );
}
