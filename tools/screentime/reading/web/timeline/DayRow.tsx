import { memo, useEffect, useLayoutEffect, useRef, useState, type CSSProperties, type ReactElement } from 'react';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { queueRender } from '#platform/web/windowing/frameQueue.ts';
import type { NearViewport } from '#platform/web/windowing/nearViewport.ts';
import { listFirstLanes, LANES_A_CANVAS, type Board, type Plot, COMPACT, FULL, freeCanvas } from './canvasBoard.ts';
import { isSameLanes, type DayBar, type LabelledLane } from './timelineRows.ts';
import styles from './Timeline.module.css';

/** Head and foot of a row, as `--head` and `--foot` in CSS. */
const ROUND_PX = 34 + 12;

interface DayRowProps {
  readonly row: DayBar;
  readonly isToday: boolean;
  readonly compact: boolean;
  /** Rendered immediately, without waiting to be near. */
  readonly atFirst: boolean;
  readonly board: Board;
  readonly near: NearViewport;
  /** Opens the dialog of the day. */
  readonly onDay: (date: string) => void;
}

/** Names that a phone's processor renders within a frame with time to spare. */
const NAMES_PER_FRAME = 8;

/** Returns how many items to render: a few more with each frame. */
const useFewMore = (all: number, isFirstPaint: boolean): number => {
  const [drawn, setDrawn] = useState(isFirstPaint ? all : 0);
  useEffect(() => {
    if (drawn >= all) return undefined;
    return queueRender(() => setDrawn(drawn + NAMES_PER_FRAME), { urgency: 'shown', lanes: NAMES_PER_FRAME });
  }, [drawn, all]);
  return drawn;
};

/** Creates a line with as few elements as possible, because there may be hundreds. */
const createLine = ({ name, colour, time, span }: LabelledLane): ReactElement => {
  const words = [name, time, span].filter(Boolean).join(', ');
  return (
    <span key={name} role="listitem" title={words} aria-label={words} style={{ '--c': colour } as CSSProperties}>
      {name}
      {'\n'}
    </span>
  );
};

const lines = new WeakMap<LabelledLane, ReactElement>();

/** Returns the same element for the same lane, so that React skips it. */
const getLine = (lane: LabelledLane): ReactElement => {
  const previous = lines.get(lane) ?? createLine(lane);
  lines.set(lane, previous);
  return previous;
};

const areSame = (before: Pick<NamesProps, 'lanes'>, after: Pick<NamesProps, 'lanes'>): boolean =>
  isSameLanes(before.lanes, after.lanes);

interface NamesProps {
  readonly lanes: readonly LabelledLane[];
  readonly isFirstPaint: boolean;
}

/**
 * Renders a few names, and their times in one text: laying out an element per time would cost more than the rest of a
 * day.
 */
const NameGroup = memo(function NameGroup({ lanes }: Pick<NamesProps, 'lanes'>) {
  return (
    <div role="presentation">
      <b aria-hidden="true">{lanes.map(({ time }) => time).join('\n')}</b>
      <div role="presentation">{lanes.map(getLine)}</div>
    </div>
  );
}, areSame);

/** Text of the canvas. It uses a box per few names, because adding a line lays out its whole box again. */
const Names = memo(function Names({ lanes, isFirstPaint }: NamesProps) {
  const drawn = useFewMore(lanes.length, isFirstPaint);
  const boxes = Array.from({ length: Math.ceil(drawn / NAMES_PER_FRAME) }, (_, at) => at * NAMES_PER_FRAME);
  return (
    <div role="list" className={styles['names']}>
      {boxes.map((first) => (
        <NameGroup key={first} lanes={lanes.slice(first, first + NAMES_PER_FRAME)} />
      ))}
    </div>
  );
});

/** Releases a canvas when it is removed. */
const releaseOnUnmount = (canvas: HTMLCanvasElement) => () => freeCanvas(canvas);

interface LanesProps extends Pick<DayRowProps, 'row' | 'compact' | 'board'> {
  readonly name: string;
}

/**
 * Timeline of a day: a canvas per few applications, painted by `canvasBoard.ts`. `timelineInput.ts` moves its cursor.
 */
function Lanes({ row, compact, board, name }: LanesProps) {
  const box = useRef<HTMLDivElement>(null);
  const { date, lanes } = row;
  const measures = compact ? COMPACT : FULL;
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const plot: Plot = { date, box: box.current, lanes, measures };
    return board.place(plot);
  }, [board, date, lanes, measures]);
  return (
    <div
      ref={box}
      className={styles['plot']}
      role="slider"
      tabIndex={0}
      aria-label={`Cursor for ${name}`}
      aria-valuemin={0}
      aria-valuemax={1440}
      aria-valuenow={720}
      aria-valuetext="12:00"
    >
      {listFirstLanes(lanes.length).map((first) => (
        <canvas
          key={first}
          ref={releaseOnUnmount}
          style={{ height: Math.min(LANES_A_CANVAS, lanes.length - first) * measures.lane }}
          data-day={date}
          aria-hidden="true"
        />
      ))}
    </div>
  );
}

/**
 * Returns the row to render, which changes in its turn. The newest height applies immediately, so that rows below move
 * only once.
 */
const useQueuedRow = (row: DayBar): DayBar => {
  const [drawn, setDrawn] = useState(row);
  useEffect(() => {
    if (drawn === row) return undefined;
    return queueRender(() => setDrawn(row), { urgency: 'shown', lanes: row.lanes.length });
  }, [drawn, row]);
  return drawn;
};

function NearRow({ row, isFirstPaint, ...rest }: LanesProps & Pick<NamesProps, 'isFirstPaint'>) {
  const drawn = useQueuedRow(row);
  if (drawn.lanes.length === 0) return null;
  return (
    <div className={styles['lanes']}>
      <Names lanes={drawn.lanes} isFirstPaint={isFirstPaint} />
      <Lanes row={drawn} {...rest} />
    </div>
  );
}

const isSame = (before: DayRowProps, after: DayRowProps): boolean =>
  before.isToday === after.isToday &&
  before.compact === after.compact &&
  before.onDay === after.onDay &&
  before.board === after.board &&
  before.row.label === after.row.label &&
  isSameLanes(before.row.lanes, after.row.lanes);

/** A day: its name and, while it is near the viewport, its applications. Its height is known from the start. */
export const DayRow = memo(function DayRow({ row, isToday, compact, atFirst, board, near, onDay }: DayRowProps) {
  const place = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(atFirst);
  const lanes = useRef(0);
  useLayoutEffect(() => {
    lanes.current = row.lanes.length;
  }, [row]);
  useEffect(() => {
    const section = place.current;
    if (!section) return undefined;
    // A row with the focus stays rendered.
    return near.watch(section, {
      countLanes: () => lanes.current,
      onChange: (is) => setNear(is || section.contains(document.activeElement)),
    });
  }, [near]);
  const name = `${row.weekday} ${row.label}`;
  const { lane } = compact ? COMPACT : FULL;
  // Avoids an inherited property, which would restyle all descendants.
  const style = { '--wd': row.colour, height: ROUND_PX + row.lanes.length * lane } as CSSProperties;
  return (
    <section ref={place} className={styles['row']} data-row={row.date} aria-label={name} style={style}>
      <header>
        <button type="button" title={`Show details for ${name}`} onClick={() => onDay(row.date)}>
          <b>{row.weekday}</b>
          <span className="num">{row.label}</span>
        </button>
        {isToday ? <Badge tone="brass">today</Badge> : null}
      </header>
      {isNear ? <NearRow row={row} compact={compact} board={board} name={name} isFirstPaint={atFirst} /> : null}
    </section>
  );
}, isSame);
