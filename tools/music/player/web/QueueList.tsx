import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { scrollRowIntoView, useVisibleRows } from '#platform/web/windowing/visibleRows.ts';
import type { Song } from '../../web/musicTypes.ts';
import { lengthText } from '../../web/texts.ts';
import { sound, useSound } from './soundInstance.ts';
import styles from './QueueList.module.css';

/** As QueueList.module.css has it. */
const ROW = 48;
/** What has played and stands above is seen a little. */
const ABOVE = 1;

const rowAt = (list: HTMLElement | null, at: number): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[data-at="${at}"]`) ?? null;

interface OrderProps {
  readonly song: Song;
  readonly at: number;
  readonly count: number;
  readonly move: (at: number, by: 1 | -1) => void;
}

/** By hand, and on a phone. */
function Order({ song: { title }, at, count, move }: OrderProps) {
  return (
    <>
      <IconButton label={`Move ${title} up`} size={36} disabled={at === 0} onClick={() => move(at, -1)}>
        <IconArrowUp size={18} stroke={1.75} />
      </IconButton>
      <IconButton label={`Move ${title} down`} size={36} disabled={at === count - 1} onClick={() => move(at, 1)}>
        <IconArrowDown size={18} stroke={1.75} />
      </IconButton>
    </>
  );
}

interface QueueListProps {
  /** Whether each song has buttons that move it, in the place of its length. */
  readonly isOrdering: boolean;
}

/** What plays, what has, and what will. Arrows go through it, Enter plays, Delete takes out, Ctrl with an arrow moves. */
export function QueueList({ isOrdering }: QueueListProps) {
  const { queue } = useSound();
  const count = queue.order.length;
  const [said, setSaid] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const { from, until } = useVisibleRows(list, ROW);
  /** The row that is to have the focus once it is drawn. */
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: Math.max(0, sound.state().queue.at - ABOVE) * ROW });
  }, []);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const row = rowAt(list.current, wanted.current);
    if (!row) return;
    row.focus({ preventScroll: true });
    wanted.current = undefined;
  });

  const focus = (at: number): void => {
    if (!list.current || at < 0 || at >= count) return;
    scrollRowIntoView(list.current, at, ROW);
    const row = rowAt(list.current, at);
    if (row) row.focus({ preventScroll: true });
    else wanted.current = at;
  };
  const songAt = (at: number): Song => sound.songOf(queue.songs[queue.order[at] ?? 0] ?? 0);
  const move = (at: number, by: 1 | -1): void => {
    const to = at + by;
    if (to < 0 || to >= count) return;
    if (list.current) scrollRowIntoView(list.current, to, ROW);
    setSaid(`${songAt(at).title}, place ${to + 1} of ${count}`);
    sound.move(at, to);
  };
  const take = (at: number): void => {
    setSaid(`Removed ${songAt(at).title}`);
    sound.take(at);
  };
  const onKeyDown = (event: KeyboardEvent, at: number): void => {
    const step = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
    if (step !== undefined) {
      if (event.ctrlKey || event.metaKey) {
        wanted.current = at + step;
        move(at, step);
      } else focus(at + step);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      wanted.current = Math.min(at, count - 2);
      take(at);
    } else return;
    event.preventDefault();
  };

  return (
    <>
      <div ref={list} className={styles['list']} role="list" aria-label="Queue">
        <div style={{ height: count * ROW }} role="presentation">
          {queue.order.slice(from, until).map((place, index) => {
            const at = from + index;
            const song = sound.songOf(queue.songs[place] ?? 0);
            return (
              <div
                key={place}
                role="listitem"
                aria-setsize={count}
                aria-posinset={at + 1}
                className={styles['row']}
                style={{ transform: `translateY(${at * ROW}px)` }}
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
                  onKeyDown={(event) => onKeyDown(event, at)}
                >
                  <span className="ellipsis" dir="auto">
                    {song.title}
                  </span>
                </button>
                {isOrdering ? (
                  <Order song={song} at={at} count={count} move={move} />
                ) : (
                  <small className="num">{lengthText(song.duration)}</small>
                )}
                <IconButton label={`Remove ${song.title} from the queue`} size={28} onClick={() => take(at)}>
                  <IconX size={16} stroke={1.75} />
                </IconButton>
              </div>
            );
          })}
        </div>
      </div>
      <p className="unseen" role="status">
        {said}
      </p>
    </>
  );
}
