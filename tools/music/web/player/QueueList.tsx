import { IconX } from '@tabler/icons-react';
import { useLayoutEffect, useRef, type KeyboardEvent } from 'react';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { bringRowInSight, useRowsInSight } from '#platform/web/ui/sight.ts';
import { lengthText } from '../texts.ts';
import { sound, useSound } from './theSound.ts';
import styles from './QueueList.module.css';

/** As QueueList.module.css has it. */
const ROW = 48;
/** What has played and stands above is seen a little. */
const ABOVE = 1;

const rowAt = (list: HTMLElement | null, at: number): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[data-at="${at}"]`) ?? null;

/** What plays, what has, and what will. Arrows go through it, Enter plays, Delete takes out, Ctrl with an arrow moves. */
export function QueueList() {
  const { queue } = useSound();
  const list = useRef<HTMLDivElement>(null);
  const { from, until } = useRowsInSight(list, ROW);
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
    if (!list.current || at < 0 || at >= queue.order.length) return;
    bringRowInSight(list.current, at, ROW);
    const row = rowAt(list.current, at);
    if (row) row.focus({ preventScroll: true });
    else wanted.current = at;
  };
  const onKeyDown = (event: KeyboardEvent, at: number): void => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step !== undefined) {
      if (event.ctrlKey || event.metaKey) {
        const to = at + step;
        if (to < 0 || to >= queue.order.length) return;
        wanted.current = to;
        if (list.current) bringRowInSight(list.current, to, ROW);
        sound.move(at, to);
      } else focus(at + step);
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      wanted.current = Math.min(at, queue.order.length - 2);
      sound.take(at);
    } else return;
    event.preventDefault();
  };

  return (
    <div ref={list} className={styles['list']} role="list" aria-label="Queue">
      <div style={{ height: queue.order.length * ROW }} role="presentation">
        {queue.order.slice(from, until).map((place, index) => {
          const at = from + index;
          const song = sound.songOf(queue.songs[place] ?? 0);
          return (
            <div
              key={place}
              role="listitem"
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
              <small className="num">{lengthText(song.duration)}</small>
              <IconButton label={`Remove ${song.title} from the queue`} size={28} onClick={() => sound.take(at)}>
                <IconX size={16} stroke={1.75} />
              </IconButton>
            </div>
          );
        })}
      </div>
    </div>
  );
}
