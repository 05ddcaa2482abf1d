import { useEffect, useRef, useSyncExternalStore } from 'react';
import { axisLabel, axisMinutes } from '../../domain/dayView.ts';
import type { Board } from './canvasBoard.ts';
import styles from './Timeline.module.css';

/** The hours over the days; it stays in sight. What it is wide, the days are. */
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
  const percentOf = (minute: number): number => ((minute / 14.4 - view.from) / (view.until - view.from)) * 100;
  return (
    <div className={styles['axis']} aria-hidden="true">
      <div ref={plot} className={styles['hours']}>
        {axisMinutes(view, width).map((minute) => {
          const left = percentOf(minute);
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
