import { IconCheck } from '@tabler/icons-react';
import { useRef, type CSSProperties, useEffect, useState, type RefObject } from 'react';
import type { ChartLine } from './plot.ts';
import styles from './LineChart.module.css';

/** Visible part of a scrolling element, in px. */
interface ScrolledView {
  readonly top: number;
  readonly height: number;
  readonly width: number;
  readonly rowHeight: number;
}

interface LegendRows {
  readonly columns: number;
  /** Index of the first rendered checkbox. */
  readonly first: number;
  /** Index after the last rendered checkbox. */
  readonly end: number;
  /** Height that replaces the rows above, in px. */
  readonly heightAbove: number;
  /** Height that replaces the rows below, in px. */
  readonly heightBelow: number;
}

const COLUMN_WIDTH_PX = 190;
/** Rows rendered above and below the visible ones, so that Tab reaches the next checkbox. */
const OVERSCAN_ROWS = 4;

/** Returns which of `count` checkboxes in columns to render. */
export function getVisibleRows(count: number, { top, height, width, rowHeight }: ScrolledView): LegendRows {
  const columns = Math.max(1, Math.floor(width / COLUMN_WIDTH_PX));
  const rowCount = Math.ceil(count / columns);
  const endRow = Math.min(rowCount, Math.max(0, Math.ceil((top + height) / rowHeight) + OVERSCAN_ROWS));
  const startRow = Math.min(endRow, Math.max(0, Math.floor(top / rowHeight) - OVERSCAN_ROWS));
  return {
    columns,
    first: startRow * columns,
    end: Math.min(count, endRow * columns),
    heightAbove: startRow * rowHeight,
    heightBelow: (rowCount - endRow) * rowHeight,
  };
}

const ROW_HEIGHT_PX = 30;
/** Row height on touch screens. */
const TOUCH_ROW_HEIGHT_PX = 42;
/** Scrolling by less does not change the view. */
const SCROLL_STEP_PX = ROW_HEIGHT_PX;

const isSameView = (a: ScrolledView, b: ScrolledView): boolean =>
  a.top === b.top && a.height === b.height && a.width === b.width && a.rowHeight === b.rowHeight;

/** Returns the visible part of a scrolling element. */
export function useScrolledView(element: RefObject<HTMLElement | null>): ScrolledView {
  const [view, setView] = useState<ScrolledView>({
    top: 0,
    height: 2 * TOUCH_ROW_HEIGHT_PX,
    width: 0,
    rowHeight: ROW_HEIGHT_PX,
  });
  useEffect(() => {
    const scroller = element.current;
    if (!scroller) return undefined;
    const rowHeight = matchMedia('(pointer: coarse)').matches ? TOUCH_ROW_HEIGHT_PX : ROW_HEIGHT_PX;
    const updateView = (): void => {
      const top = Math.floor(scroller.scrollTop / SCROLL_STEP_PX) * SCROLL_STEP_PX;
      const next = { top, height: scroller.clientHeight, width: scroller.clientWidth, rowHeight };
      setView((current) => (isSameView(current, next) ? current : next));
    };
    const observer = new ResizeObserver(updateView);
    observer.observe(scroller);
    scroller.addEventListener('scroll', updateView, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', updateView);
    };
  }, [element]);
  return view;
}

/** Min number of lines for a button that hides or shows all of them. */
const MIN_LINES_FOR_TOGGLE_ALL = 4;

/** Min number of lines for rendering only the visible checkboxes. */
const MIN_LINES_FOR_WINDOWING = 100;

/** Names up to this length always fit. Clipping costs time at every paint, even if nothing is clipped. */
const MAX_UNCLIPPED_CHARACTERS = 30;

interface LegendProps {
  readonly lines: readonly ChartLine[];
  readonly hidden: ReadonlySet<string>;
  readonly onHiddenChange: (hidden: ReadonlySet<string>) => void;
}

/** Returns the names with or without this one. */
function toggleName(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(names);
  if (!next.delete(name)) next.add(name);
  return next;
}

interface LegendCheckboxProps {
  readonly line: ChartLine;
  readonly isShown: boolean;
  readonly onPress: (shouldIsolate: boolean) => void;
}

function LegendCheckbox({ line: { name, colour }, isShown, onPress }: LegendCheckboxProps) {
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

interface WindowedCheckboxesProps {
  readonly lines: readonly ChartLine[];
  readonly hidden: ReadonlySet<string>;
  readonly onPress: (name: string, shouldIsolate: boolean) => void;
}

/** Checkboxes in columns of equal width. Only the visible ones are rendered. */
function WindowedCheckboxes({ lines, hidden, onPress }: WindowedCheckboxesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const view = useScrolledView(scroller);
  const { columns, first, end, heightAbove, heightBelow } = getVisibleRows(lines.length, view);
  return (
    <div ref={scroller} className={styles['lineList']} role="group" aria-label="Lines">
      <div
        style={{
          paddingTop: heightAbove,
          paddingBottom: heightBelow,
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        }}
      >
        {lines.slice(first, end).map((line) => (
          <LegendCheckbox
            key={line.name}
            line={line}
            isShown={!hidden.has(line.name)}
            onPress={(shouldIsolate) => onPress(line.name, shouldIsolate)}
          />
        ))}
      </div>
    </div>
  );
}

/** Checkboxes of the lines: a click hides a line, an Alt-click shows only this line, or all if it is the only one. */
export function Legend({ lines, hidden, onHiddenChange }: LegendProps) {
  /** Returns the hidden names if only this line is shown; none if it already is the only one. */
  function isolate(name: string): ReadonlySet<string> {
    const isOnly = !hidden.has(name) && hidden.size === lines.length - 1;
    return new Set(isOnly ? [] : lines.map((line) => line.name).filter((other) => other !== name));
  }
  const handlePress = (name: string, shouldIsolate: boolean): void =>
    onHiddenChange(shouldIsolate ? isolate(name) : toggleName(hidden, name));
  const toggleAllButton = (
    <button
      type="button"
      className={styles['listButton']}
      onClick={() => onHiddenChange(new Set(hidden.size > 0 ? [] : lines.map(({ name }) => name)))}
    >
      {hidden.size > 0 ? 'Show all' : 'Hide all'}
    </button>
  );
  if (lines.length >= MIN_LINES_FOR_WINDOWING)
    return (
      <>
        <WindowedCheckboxes lines={lines} hidden={hidden} onPress={handlePress} />
        {toggleAllButton}
      </>
    );
  return (
    <div className={styles['legend']} role="group" aria-label="Lines">
      {lines.map((line) => (
        <LegendCheckbox
          key={line.name}
          line={line}
          isShown={!hidden.has(line.name)}
          onPress={(shouldIsolate) => handlePress(line.name, shouldIsolate)}
        />
      ))}
      {lines.length >= MIN_LINES_FOR_TOGGLE_ALL ? toggleAllButton : null}
    </div>
  );
}
