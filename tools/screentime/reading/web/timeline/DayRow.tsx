import { memo, useEffect, useLayoutEffect, useRef, useState, type CSSProperties, type ReactElement } from 'react';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { queueRender } from '#platform/web/windowing/frameQueue.ts';
import type { NearViewport } from '#platform/web/windowing/nearViewport.ts';
import { listFirstLanes, LANES_PER_CANVAS, type Board, type Plot, COMPACT, FULL, freeCanvas } from './canvasBoard.ts';
import { isSameLanes, type DayBar, type LabelledLane } from './timelineRows.ts';
import styles from './Timeline.module.css';

/** Head and foot of a row, as `--head` and `--foot` in CSS. */
const ROW_CHROME_PX = 34 + 12;

interface DayRowProps {
  readonly row: DayBar;
  readonly isToday: boolean;
  readonly isCompact: boolean;
  /** Rendered immediately, without waiting to be near. */
  readonly isFirstPaint: boolean;
  readonly board: Board;
  readonly nearViewport: NearViewport;
  /** Opens the dialog of the day. */
  readonly onDay: (date: string) => void;
}

/** Names that a phone's processor renders within a frame with time to spare. */
const NAMES_PER_FRAME = 8;

/** Returns how many items to render: a few more with each frame. */
function useGradualCount(totalCount: number, isFirstPaint: boolean): number {
  const [renderedCount, setRenderedCount] = useState(isFirstPaint ? totalCount : 0);
  useEffect(() => {
    if (renderedCount >= totalCount) return undefined;
    return queueRender(() => setRenderedCount(renderedCount + NAMES_PER_FRAME), {
      urgency: 'visible',
      cost: NAMES_PER_FRAME,
    });
  }, [renderedCount, totalCount]);
  return renderedCount;
}

/** Creates a line with as few elements as possible, because there may be hundreds. */
function createLine({ name, colour, time, focusTimes }: LabelledLane): ReactElement {
  const description = [name, time, focusTimes].filter(Boolean).join(', ');
  return (
    <span
      key={name}
      role="listitem"
      title={description}
      aria-label={description}
      style={{ '--c': colour } as CSSProperties}
    >
      {name}
      {'\n'}
    </span>
  );
}

const lineCache = new WeakMap<LabelledLane, ReactElement>();

/** Returns the same element for the same lane, so that React skips it. */
function getLine(lane: LabelledLane): ReactElement {
  const line = lineCache.get(lane) ?? createLine(lane);
  lineCache.set(lane, line);
  return line;
}

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

/** Text of the canvas. It uses a box per few names, because adding a name lays out its whole box again. */
const Names = memo(function Names({ lanes, isFirstPaint }: NamesProps) {
  const renderedCount = useGradualCount(lanes.length, isFirstPaint);
  const groupStarts = Array.from(
    { length: Math.ceil(renderedCount / NAMES_PER_FRAME) },
    (_, index) => index * NAMES_PER_FRAME,
  );
  return (
    <div role="list" className={styles['names']}>
      {groupStarts.map((first) => (
        <NameGroup key={first} lanes={lanes.slice(first, first + NAMES_PER_FRAME)} />
      ))}
    </div>
  );
});

/** Releases a canvas when it is removed. */
const releaseOnUnmount = (canvas: HTMLCanvasElement) => () => freeCanvas(canvas);

interface LanesProps extends Pick<DayRowProps, 'row' | 'isCompact' | 'board'> {
  readonly name: string;
}

/**
 * Timeline of a day: a canvas per few applications, painted by `canvasBoard.ts`. `timelineInput.ts` moves its cursor.
 */
function Lanes({ row, isCompact, board, name }: LanesProps) {
  const box = useRef<HTMLDivElement>(null);
  const { date, lanes } = row;
  const measures = isCompact ? COMPACT : FULL;
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const plot: Plot = { date, box: box.current, lanes, measures };
    return board.addPlot(plot);
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
          style={{ height: Math.min(LANES_PER_CANVAS, lanes.length - first) * measures.lane }}
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
function useQueuedRow(row: DayBar): DayBar {
  const [renderedRow, setRenderedRow] = useState(row);
  useEffect(() => {
    if (renderedRow === row) return undefined;
    return queueRender(() => setRenderedRow(row), { urgency: 'visible', cost: row.lanes.length });
  }, [renderedRow, row]);
  return renderedRow;
}

function NearRow({ row, isFirstPaint, ...rest }: LanesProps & Pick<NamesProps, 'isFirstPaint'>) {
  const renderedRow = useQueuedRow(row);
  if (renderedRow.lanes.length === 0) return null;
  return (
    <div className={styles['lanes']}>
      <Names lanes={renderedRow.lanes} isFirstPaint={isFirstPaint} />
      <Lanes row={renderedRow} {...rest} />
    </div>
  );
}

const isSame = (before: DayRowProps, after: DayRowProps): boolean =>
  before.isToday === after.isToday &&
  before.isCompact === after.isCompact &&
  before.onDay === after.onDay &&
  before.board === after.board &&
  before.row.label === after.row.label &&
  isSameLanes(before.row.lanes, after.row.lanes);

/** A day: its name and, while it is near the viewport, its applications. Its height is known from the start. */
export const DayRow = memo(function DayRow(props: DayRowProps) {
  const { row, isToday, isCompact, isFirstPaint, board, nearViewport, onDay } = props;
  const sectionRef = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(isFirstPaint);
  const laneCount = useRef(0);
  useLayoutEffect(() => {
    laneCount.current = row.lanes.length;
  }, [row]);
  useEffect(() => {
    const section = sectionRef.current;
    if (!section) return undefined;
    // A row with the focus stays rendered.
    return nearViewport.watch(section, {
      getCost: () => laneCount.current,
      onChange: (isNowNear) => setNear(isNowNear || section.contains(document.activeElement)),
    });
  }, [nearViewport]);
  const name = `${row.weekday} ${row.label}`;
  const { lane } = isCompact ? COMPACT : FULL;
  // Avoids an inherited property, which would restyle all descendants.
  const style = { '--wd': row.colour, height: ROW_CHROME_PX + row.lanes.length * lane } as CSSProperties;
  return (
    <section ref={sectionRef} className={styles['row']} data-row={row.date} aria-label={name} style={style}>
      <header>
        <button type="button" title={`Show details for ${name}`} onClick={() => onDay(row.date)}>
          <b>{row.weekday}</b>
          <span className="num">{row.label}</span>
        </button>
        {isToday ? <Badge tone="brass">today</Badge> : null}
      </header>
      {isNear ? (
        <NearRow row={row} isCompact={isCompact} board={board} name={name} isFirstPaint={isFirstPaint} />
      ) : null}
    </section>
  );
}, isSame);
