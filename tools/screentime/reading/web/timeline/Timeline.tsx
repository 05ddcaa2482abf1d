import { memo, useEffect, useLayoutEffect, useRef, useState, type RefObject, useSyncExternalStore } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { createNearViewport } from '#platform/web/windowing/nearViewport.ts';
import { STATUSES } from '#tools/screentime/contract/limits.ts';
import { axisLabel, axisMinutes } from '../../domain/lane.ts';
import { createBoard, type Board } from './canvasBoard.ts';
import { createTip, words } from './cursor.ts';
import { dayClock } from './dayClock.ts';
import { DayRow } from './DayRow.tsx';
import { listenToKeys, listenToPointer } from './timelineInput.ts';
import type { DayBar } from './timelineRows.ts';
import styles from './Timeline.module.css';

/** Hours above the days; stays visible while scrolling. Its width is the width of the days. */
export function Axis({ board }: { readonly board: Board }) {
  const plot = useRef<HTMLDivElement>(null);
  const view = useSyncExternalStore(board.subscribe, board.view);
  const width = useSyncExternalStore(board.subscribe, board.width);
  useEffect(() => {
    const element = plot.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(([entry]) => entry && board.setWidth(Math.round(entry.contentRect.width)));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [board]);
  const toPercent = (minute: number): number => ((minute / 14.4 - view.from) / (view.until - view.from)) * 100;
  return (
    <div className={styles['axis']} aria-hidden="true">
      <div ref={plot} className={styles['hours']}>
        {axisMinutes(view, width).map((minute) => {
          const left = toPercent(minute);
          return (
            <span key={minute} data-last={left > 97 || undefined} style={{ left: `${left}%` }}>
              {axisLabel(minute)}
            </span>
          );
        })}
      </div>
    </div>
  );
}

/** Days rendered with the page: enough for a tall window. */
const AT_FIRST = 2;

interface TimelineProps {
  readonly rows: readonly DayBar[];
  /** ISO date. */
  readonly today: string;
  readonly compact: boolean;
  /** The element that scrolls the page. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onDay: (date: string) => void;
}

/** Repaints the canvases when the colour scheme or the pixel ratio changes. */
const useRefresh = (board: Board): void => {
  useEffect(() => {
    const watcher = new MutationObserver(board.refresh);
    watcher.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    let ratio = window.devicePixelRatio;
    const onResize = (): void => {
      if (ratio === window.devicePixelRatio) return;
      ratio = window.devicePixelRatio;
      board.refresh();
    };
    window.addEventListener('resize', onResize);
    return () => {
      watcher.disconnect();
      window.removeEventListener('resize', onResize);
    };
  }, [board]);
};

const useNowLine = (board: Board, today: string): void => {
  useEffect(() => {
    const put = (): void => {
      const { begin, length } = dayClock(today);
      board.setNow(today, ((Date.now() - begin) / length) * 100);
    };
    put();
    const every = setInterval(put, MINUTE_MS);
    return () => clearInterval(every);
  }, [board, today]);
};

function Legend() {
  return (
    <ul className={styles['legend']} aria-label="Legend">
      {STATUSES.map((status) => (
        <li key={status}>
          <i data-status={status} />
          {words[status]}
        </li>
      ))}
    </ul>
  );
}

/** A row per day, with a bar per application (docs/design/appearance.md section 7.6). */
export const Timeline = memo(function Timeline({ rows, today, compact, scroller, onDay }: TimelineProps) {
  const root = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLSpanElement>(null);
  const [board] = useState(createBoard);
  const [near] = useState(() => createNearViewport(() => scroller.current));
  useRefresh(board);
  useNowLine(board, today);
  useLayoutEffect(() => {
    if (!root.current || !tip.current || !line.current) return undefined;
    const made = createTip(board, { root: root.current, tip: tip.current, line: line.current });
    const stops = [listenToPointer(root.current, board, made), listenToKeys(root.current, board, made)];
    return () => stops.forEach((stop) => stop());
  }, [board]);
  // Handled in `timelineInput.ts`, for the focused day.
  useCommands([
    {
      id: 'screentime.cursor',
      name: 'Move the cursor of the selected day',
      keys: ['ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End'],
    },
    { id: 'screentime.minute', name: 'Move the cursor by a minute', keys: ['Shift+ArrowLeft', 'Shift+ArrowRight'] },
    { id: 'screentime.lane', name: 'Go to the next or previous app', keys: ['ArrowDown', 'ArrowUp'] },
    { id: 'screentime.zoom', name: 'Zoom in or out', keys: ['+', '-'] },
    { id: 'screentime.whole', name: 'Show the whole day', keys: '0' },
  ]);
  return (
    <div ref={root} className={styles['timeline']} data-compact={compact || undefined}>
      <Axis board={board} />
      {rows.map((row, at) => (
        <DayRow
          key={row.date}
          row={row}
          isToday={row.date === today}
          compact={compact}
          atFirst={at < AT_FIRST}
          board={board}
          near={near}
          onDay={onDay}
        />
      ))}
      <Legend />
      <span ref={line} className={styles['line']} hidden />
      <div ref={tip} className={styles['tip']} data-tip aria-hidden="true" hidden>
        <span>
          <i data-part="dot" />
          <b data-part="name" dir="auto" />
          <span className="num" data-part="clock" />
        </span>
        <span className="num" data-part="what" />
      </div>
    </div>
  );
});
