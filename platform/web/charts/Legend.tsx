import { IconCheck } from '@tabler/icons-react';
import { useRef, type CSSProperties, useEffect, useState, type RefObject } from 'react';
import type { ChartLine } from './plot.ts';
import styles from './LineChart.module.css';

/** Visible part of a scrolling element, in px. */
interface ScrolledView {
  readonly top: number;
  readonly height: number;
  readonly width: number;
  /** Height of one row. */
  readonly row: number;
}

interface LegendRows {
  readonly columns: number;
  /** First box that is rendered, and the one after the last. */
  readonly first: number;
  readonly last: number;
  /** Heights that replace the rows that are not rendered, in px. */
  readonly before: number;
  readonly after: number;
}

const COLUMN_WIDTH_PX = 190;
/** Rows rendered above and below the visible ones, so that Tab reaches the next box. */
const OVERSCAN_ROWS = 4;

/** Returns which of `count` boxes in columns to render. */
export function getVisibleRows(count: number, { top, height, width, row }: ScrolledView): LegendRows {
  const columns = Math.max(1, Math.floor(width / COLUMN_WIDTH_PX));
  const rows = Math.ceil(count / columns);
  const endRow = Math.min(rows, Math.max(0, Math.ceil((top + height) / row) + OVERSCAN_ROWS));
  const startRow = Math.min(endRow, Math.max(0, Math.floor(top / row) - OVERSCAN_ROWS));
  return {
    columns,
    first: startRow * columns,
    last: Math.min(count, endRow * columns),
    before: startRow * row,
    after: (rows - endRow) * row,
  };
}

const ROW_HEIGHT = 30;
/** Height on touch screens. */
const TOUCH_ROW_HEIGHT = 42;
/** Scrolling by less does not change the view. */
const SCROLL_STEP_PX = ROW_HEIGHT;

/** Returns the visible part of a scrolling element. */
export function useScrolledView(element: RefObject<HTMLElement | null>): ScrolledView {
  const [view, setView] = useState<ScrolledView>({ top: 0, height: 2 * TOUCH_ROW_HEIGHT, width: 0, row: ROW_HEIGHT });
  useEffect(() => {
    const box = element.current;
    if (!box) return undefined;
    const row = matchMedia('(pointer: coarse)').matches ? TOUCH_ROW_HEIGHT : ROW_HEIGHT;
    const updateView = (): void => {
      const top = Math.floor(box.scrollTop / SCROLL_STEP_PX) * SCROLL_STEP_PX;
      const next = { top, height: box.clientHeight, width: box.clientWidth, row };
      setView((current) =>
        current.top === top && current.height === next.height && current.width === next.width && current.row === row
          ? current
          : next,
      );
    };
    const observer = new ResizeObserver(updateView);
    observer.observe(box);
    box.addEventListener('scroll', updateView, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', updateView);
    };
  }, [element]);
  return view;
}

/** From this number of lines on, a button hides or shows all of them. */
const MIN_LINES_FOR_TOGGLE_ALL = 4;

/** From this number of lines on, only visible boxes are rendered. */
const MIN_LINES_FOR_WINDOWING = 100;

/** Names up to this length always fit. Clipping costs time at every paint, even if nothing is clipped. */
const MAX_UNCLIPPED_CHARACTERS = 30;

interface LegendProps {
  readonly lines: readonly ChartLine[];
  readonly hidden: ReadonlySet<string>;
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}

function toggleName(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(names);
  if (!next.delete(name)) next.add(name);
  return next;
}

interface BoxProps {
  readonly line: ChartLine;
  readonly isShown: boolean;
  readonly onPress: (isAlone: boolean) => void;
}

function Box({ line: { name, colour }, isShown, onPress }: BoxProps) {
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={isShown}
      title="Click to show or hide. Alt-click to show only this one"
      style={{ '--c': colour } as CSSProperties}
      onClick={(event) => onPress(event.altKey)}
    >
      <i>
        <IconCheck size={12} stroke={3} />
      </i>
      <span className={name.length > MAX_UNCLIPPED_CHARACTERS ? 'ellipsis' : undefined} dir="auto">
        {name}
      </span>
    </button>
  );
}

interface BoxesProps {
  readonly lines: readonly ChartLine[];
  readonly hidden: ReadonlySet<string>;
  readonly onPress: (name: string, isAlone: boolean) => void;
}

/** Boxes in columns of equal width. Only the visible ones are rendered. */
function ManyBoxes({ lines, hidden, onPress }: BoxesProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useScrolledView(box);
  const { columns, first, last, before, after } = getVisibleRows(lines.length, view);
  return (
    <div ref={box} className={styles['lineList']} role="group" aria-label="Lines">
      <div
        style={{ paddingTop: before, paddingBottom: after, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
      >
        {lines.slice(first, last).map((line) => (
          <Box
            key={line.name}
            line={line}
            isShown={!hidden.has(line.name)}
            onPress={(isAlone) => onPress(line.name, isAlone)}
          />
        ))}
      </div>
    </div>
  );
}

/** Check boxes of the lines: a click hides a line, an Alt-click shows only this line, or all if it is the only one. */
export function Legend({ lines, hidden, onHide }: LegendProps) {
  function isolate(name: string): ReadonlySet<string> {
    const isOnly = !hidden.has(name) && hidden.size === lines.length - 1;
    return new Set(isOnly ? [] : lines.map((line) => line.name).filter((other) => other !== name));
  }
  const handlePress = (name: string, isAlone: boolean): void =>
    onHide(isAlone ? isolate(name) : toggleName(hidden, name));
  const toggleAllButton = (
    <button
      type="button"
      className={styles['listButton']}
      onClick={() => onHide(new Set(hidden.size > 0 ? [] : lines.map(({ name }) => name)))}
    >
      {hidden.size > 0 ? 'Show all' : 'Hide all'}
    </button>
  );
  if (lines.length >= MIN_LINES_FOR_WINDOWING)
    return (
      <>
        <ManyBoxes lines={lines} hidden={hidden} onPress={handlePress} />
        {toggleAllButton}
      </>
    );
  return (
    <div className={styles['legend']} role="group" aria-label="Lines">
      {lines.map((line) => (
        <Box
          key={line.name}
          line={line}
          isShown={!hidden.has(line.name)}
          onPress={(isAlone) => handlePress(line.name, isAlone)}
        />
      ))}
      {lines.length >= MIN_LINES_FOR_TOGGLE_ALL ? toggleAllButton : null}
    </div>
  );
}
