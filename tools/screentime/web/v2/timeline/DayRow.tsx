import { memo, useEffect, useLayoutEffect, useRef, useState, type CSSProperties } from 'react';
import { Badge } from '#platform/web/ui/Badge.tsx';
import type { Board, Plot } from './board.ts';
import type { Near } from './near.ts';
import { COMPACT, FULL } from './paint.ts';
import type { DayRow as Row, RowLane } from './rows.ts';
import styles from './Timeline.module.css';

interface DayRowProps {
  readonly row: Row;
  readonly isToday: boolean;
  readonly compact: boolean;
  /** Drawn at once, without waiting to be seen near. */
  readonly atFirst: boolean;
  readonly board: Board;
  readonly near: Near;
  /** Opens everything of the day, where that is to be had. */
  readonly onDay: ((date: string) => void) | undefined;
}

const Names = memo(function Names({
  lanes,
  compact,
}: {
  readonly lanes: readonly RowLane[];
  readonly compact: boolean;
}) {
  return (
    <ul className={compact ? 'unseen' : styles['names']}>
      {lanes.map(({ name, colour, time, span }) => (
        <li key={name} title={name}>
          <i style={{ background: colour }} />
          <span dir="auto">{name}</span>
          <b>{time}</b>
          {span === '' ? null : <span className="unseen">, {span}</span>}
        </li>
      ))}
    </ul>
  );
});

interface LanesProps extends Pick<DayRowProps, 'row' | 'compact' | 'board'> {
  readonly name: string;
}

/** What was when: one canvas for all applications of the day. The cursor in it is moved by `keys.ts`. */
function Lanes({ row, compact, board, name }: LanesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { date, lanes } = row;
  useLayoutEffect(() => {
    if (!canvas.current) return undefined;
    const plot: Plot = { date, canvas: canvas.current, lanes, measures: compact ? COMPACT : FULL };
    return board.place(plot);
  }, [board, date, lanes, compact]);
  return (
    <div
      className={styles['plot']}
      role="slider"
      tabIndex={0}
      aria-label={`Cursor of ${name}`}
      aria-valuemin={0}
      aria-valuemax={1440}
      aria-valuenow={720}
      aria-valuetext="12:00"
    >
      <canvas ref={canvas} data-day={date} aria-hidden="true" />
    </div>
  );
}

const isSame = (before: DayRowProps, after: DayRowProps): boolean =>
  before.isToday === after.isToday &&
  before.compact === after.compact &&
  before.onDay === after.onDay &&
  before.board === after.board &&
  before.row.label === after.row.label &&
  before.row.lanes.length === after.row.lanes.length &&
  before.row.lanes.every((lane, at) => lane === after.row.lanes[at]);

/** A day: its name and, while it is near to be seen, its applications. It always has the height that it will have. */
export const DayRow = memo(function DayRow({ row, isToday, compact, atFirst, board, near, onDay }: DayRowProps) {
  const place = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(atFirst);
  useEffect(() => {
    const section = place.current;
    if (!section) return undefined;
    // What holds the focus stays.
    return near.watch(section, (is) => setNear(is || section.contains(document.activeElement)));
  }, [near]);
  const name = `${row.weekday} ${row.label}`;
  const style = { '--wd': row.colour, '--n': row.lanes.length } as CSSProperties;
  return (
    <section ref={place} className={styles['row']} data-row={row.date} aria-label={name} style={style}>
      <header>
        {onDay ? (
          <button type="button" title={`Everything of ${name}`} onClick={() => onDay(row.date)}>
            <b>{row.weekday}</b>
            <span className="num">{row.label}</span>
          </button>
        ) : (
          <span className={styles['date']}>
            <b>{row.weekday}</b>
            <span className="num">{row.label}</span>
          </span>
        )}
        {isToday ? <Badge tone="brass">today</Badge> : null}
      </header>
      {isNear && row.lanes.length > 0 ? (
        <div className={styles['lanes']}>
          <Names lanes={row.lanes} compact={compact} />
          <Lanes row={row} compact={compact} board={board} name={name} />
        </div>
      ) : null}
    </section>
  );
}, isSame);
