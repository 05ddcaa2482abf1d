import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { formatPlayTime } from '#platform/web/browser/formats.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { scrollRowIntoView, useVisibleRows } from '#platform/web/windowing/visibleRows.ts';
import type { Song } from '../../web/musicTypes.ts';
import { sound, useSound } from './sound.ts';
import styles from './QueueList.module.css';

/** Height of a row, as in QueueList.module.css. */
const ROW_HEIGHT_PX = 48;
/** Number of played songs that are visible above the current one. */
const ROWS_ABOVE_CURRENT = 1;

const getRow = (list: HTMLElement | null, at: number): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[data-at="${at}"]`) ?? null;

interface OrderButtonsProps {
  readonly song: Song;
  readonly at: number;
  readonly count: number;
  readonly onMove: (at: number, by: 1 | -1) => void;
}

function OrderButtons({ song: { title }, at, count, onMove }: OrderButtonsProps) {
  return (
    <>
      <IconButton label={`Move ${title} up`} size={36} disabled={at === 0} onClick={() => onMove(at, -1)}>
        <IconArrowUp size={18} stroke={1.75} />
      </IconButton>
      <IconButton label={`Move ${title} down`} size={36} disabled={at === count - 1} onClick={() => onMove(at, 1)}>
        <IconArrowDown size={18} stroke={1.75} />
      </IconButton>
    </>
  );
}

interface QueueListProps {
  /** Whether each song has buttons to move it instead of its duration. */
  readonly isOrdering: boolean;
}

/**
 * The queue: played, current and next songs. Arrows select, Enter plays, Delete removes, and Ctrl with an arrow moves.
 */
export function QueueList({ isOrdering }: QueueListProps) {
  const { queue } = useSound();
  const count = queue.order.length;
  const [announcement, setAnnouncement] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const { from, until } = useVisibleRows(list, ROW_HEIGHT_PX);
  /** The row to focus once it is rendered. */
  const rowToFocus = useRef<number>(undefined);
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: Math.max(0, sound.getState().queue.at - ROWS_ABOVE_CURRENT) * ROW_HEIGHT_PX });
  }, []);
  useLayoutEffect(() => {
    if (rowToFocus.current === undefined) return;
    const row = getRow(list.current, rowToFocus.current);
    if (!row) return;
    row.focus({ preventScroll: true });
    rowToFocus.current = undefined;
  });

  function focus(at: number): void {
    if (!list.current || at < 0 || at >= count) return;
    scrollRowIntoView(list.current, at, ROW_HEIGHT_PX);
    const row = getRow(list.current, at);
    if (row) row.focus({ preventScroll: true });
    else rowToFocus.current = at;
  }
  const getSongAt = (at: number): Song => sound.getSong(queue.songs[queue.order[at] ?? 0] ?? 0);
  function move(at: number, by: 1 | -1): void {
    const to = at + by;
    if (to < 0 || to >= count) return;
    if (list.current) scrollRowIntoView(list.current, to, ROW_HEIGHT_PX);
    setAnnouncement(`${getSongAt(at).title}, position ${to + 1} of ${count}`);
    sound.move(at, to);
  }
  function removeAt(at: number): void {
    setAnnouncement(`Removed ${getSongAt(at).title}`);
    sound.removeAt(at);
  }
  function handleKeyDown(event: KeyboardEvent, at: number): void {
    const step = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
    if (step !== undefined) {
      if (event.ctrlKey || event.metaKey) {
        rowToFocus.current = at + step;
        move(at, step);
      } else focus(at + step);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      rowToFocus.current = Math.min(at, count - 2);
      removeAt(at);
    } else return;
    event.preventDefault();
  }

  return (
    <>
      <div ref={list} className={styles['list']} role="list" aria-label="Queue">
        <div style={{ height: count * ROW_HEIGHT_PX }} role="presentation">
          {queue.order.slice(from, until).map((place, index) => {
            const at = from + index;
            const song = sound.getSong(queue.songs[place] ?? 0);
            return (
              <div
                key={place}
                role="listitem"
                aria-setsize={count}
                aria-posinset={at + 1}
                className={styles['row']}
                style={{ transform: `translateY(${at * ROW_HEIGHT_PX}px)` }}
                data-on={at === queue.at || undefined}
                data-played={at < queue.at || undefined}
              >
                <button
                  type="button"
                  className={styles['song']}
                  data-at={at}
                  tabIndex={at === queue.at ? 0 : -1}
                  {...(at === queue.at ? { 'aria-current': true } : {})}
                  aria-label={`Play ${song.title}`}
                  onClick={() => sound.jump(at)}
                  onKeyDown={(event) => handleKeyDown(event, at)}
                >
                  <span className="ellipsis" dir="auto">
                    {song.title}
                  </span>
                </button>
                {isOrdering ? (
                  <OrderButtons song={song} at={at} count={count} onMove={move} />
                ) : (
                  <small className="num">{formatPlayTime(song.duration)}</small>
                )}
                <IconButton label={`Remove ${song.title} from the queue`} size={28} onClick={() => removeAt(at)}>
                  <IconX size={16} stroke={1.75} />
                </IconButton>
              </div>
            );
          })}
        </div>
      </div>
      <p className="unseen" role="status">
        {announcement}
      </p>
    </>
  );
}
