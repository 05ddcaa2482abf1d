import { memo, useEffect, useLayoutEffect, useRef, useState, type RefObject, useSyncExternalStore } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { createNearViewport } from '#platform/web/windowing/nearViewport.ts';
import { STATUSES } from '#tools/screentime/contract/limits.ts';
import { formatAxisLabel, listAxisMinutes } from '../../domain/lane.ts';
import { createBoard, type Board } from './canvasBoard.ts';
import { createTooltip, STATUS_LABELS } from './cursor.ts';
import { getDayClock } from './dayClock.ts';
import { DayRow } from './DayRow.tsx';
import { listenToKeys, listenToPointer } from './timelineInput.ts';
import type { DayBar } from './timelineRows.ts';
import styles from './Timeline.module.css';

/** Hours above the days; stays visible while scrolling. Its width is the width of the days. */
export function Axis({ board }: { readonly board: Board }) {
  const plot = useRef<HTMLDivElement>(null);
  const view = useSyncExternalStore(board.subscribe, board.getView);
  const width = useSyncExternalStore(board.subscribe, board.getWidth);
  useEffect(() => {
    const element = plot.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => entry && board.setWidth(Math.round(entry.contentRect.width)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [board]);
  const toPercent = (minute: number): number => ((minute / 14.4 - view.from) / (view.until - view.from)) * 100;
  return (
    <div className={styles['axis']} aria-hidden="true">
      <div ref={plot} className={styles['hours']}>
        {listAxisMinutes(view, width).map((minute) => {
          const left = toPercent(minute);
          return (
            <span key={minute} data-last={left > 97 || undefined} style={{ left: `${left}%` }}>
              {formatAxisLabel(minute)}
            </span>
          );
        })}
      </div>
    </div>
  );
}

/** Days rendered with the page: enough for a tall window. */
const INITIAL_DAYS = 2;

interface TimelineProps {
  readonly rows: readonly DayBar[];
  /** ISO date. */
  readonly today: string;
  readonly isCompact: boolean;
  /** The element that scrolls the page. */
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onDay: (date: string) => void;
}

/** Repaints the canvases when the colour scheme or the pixel ratio changes. */
function useBoardRefresh(board: Board): void {
  useEffect(() => {
    const observer = new MutationObserver(board.refresh);
    observer.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    let ratio = window.devicePixelRatio;
    function onResize(): void {
      if (ratio === window.devicePixelRatio) return;
      ratio = window.devicePixelRatio;
      board.refresh();
    }
    window.addEventListener('resize', onResize);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', onResize);
    };
  }, [board]);
}

function useNowLine(board: Board, today: string): void {
  useEffect(() => {
    function updateNow(): void {
      const { start, length } = getDayClock(today);
      board.setNow(today, ((Date.now() - start) / length) * 100);
    }
    updateNow();
    const timer = setInterval(updateNow, MINUTE_MS);
    return () => clearInterval(timer);
  }, [board, today]);
}

function Legend() {
  return (
    <ul className={styles['legend']} aria-label="Legend">
      {STATUSES.map((status) => (
        <li key={status}>
          <i data-status={status} />
          {STATUS_LABELS[status]}
        </li>
      ))}
    </ul>
  );
}

/** A row per day, with a bar per application (docs/design/appearance.md section 7.6). */
export const Timeline = memo(function Timeline({ rows, today, isCompact, scroller, onDay }: TimelineProps) {
  const root = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const line = useRef<HTMLSpanElement>(null);
  const [board] = useState(createBoard);
  const [nearViewport] = useState(() => createNearViewport(() => scroller.current));
  useBoardRefresh(board);
  useNowLine(board, today);
  useLayoutEffect(() => {
    if (!root.current || !tip.current || !line.current) return undefined;
    const tooltip = createTooltip(board, { root: root.current, tip: tip.current, line: line.current });
    const stops = [listenToPointer(root.current, board, tooltip), listenToKeys(root.current, board, tooltip)];
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
    <div ref={root} className={styles['timeline']} data-compact={isCompact || undefined}>
      <Axis board={board} />
      {rows.map((row, index) => (
        <DayRow
          key={row.date}
          row={row}
          isToday={row.date === today}
          isCompact={isCompact}
          isFirstPaint={index < INITIAL_DAYS}
          board={board}
          nearViewport={nearViewport}
          onDay={onDay}
        />
      ))}
      <Legend />
      <span ref={line} className={styles['line']} hidden />
      <div ref={tip} className={styles['tip']} data-tip aria-hidden="true" hidden>
        <span>
          <i className="dot" data-part="dot" />
          <b className="ellipsis" data-part="name" dir="auto" />
          <span className="num" data-part="clock" />
        </span>
        <span className="num" data-part="what" />
      </div>
    </div>
  );
});
