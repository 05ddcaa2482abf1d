import { Button } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useId, useRef, useState, type RefObject } from 'react';
import { useColourScheme } from '../theme/colourScheme.ts';
import { useWidthNearViewport } from '../windowing/nearViewport.ts';
import { PaintSlice } from '../windowing/PaintSlice.tsx';
import { Legend } from './Legend.tsx';
import { drawPlot, type ChartLine, type Plot, type PlotData, type PlotOptions } from './plot.ts';
import styles from './LineChart.module.css';

/** Rows that a table has at first. Earlier rows are rendered on request. */
const MAX_ROWS = 62;
/** Columns that a table has at first. More columns are rendered on request. */
const MAX_COLUMNS = 60;

interface ValuesTableProps {
  readonly title: string;
  /** What a row is: 'Day'. */
  readonly tickName: string;
  readonly labels: readonly string[];
  readonly lines: readonly ChartLine[];
  readonly formatValue: (value: number) => string;
}

/** The numbers of a chart as a table. Earlier rows and further columns are rendered on request. */
export function ValuesTable({ title, tickName, labels, lines, formatValue }: ValuesTableProps) {
  const [rowCount, setRowCount] = useState(MAX_ROWS);
  const [columnCount, setColumnCount] = useState(MAX_COLUMNS);
  const visibleLines = lines.slice(0, columnCount);
  const first = Math.max(0, labels.length - rowCount);
  return (
    <>
      {first > 0 ? (
        <button type="button" className={styles['listButton']} onClick={() => setRowCount(rowCount * 4)}>
          Show {first} earlier rows
        </button>
      ) : null}
      {visibleLines.length < lines.length ? (
        <button type="button" className={styles['listButton']} onClick={() => setColumnCount(columnCount * 4)}>
          Show {lines.length - visibleLines.length} more columns
        </button>
      ) : null}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <div className={styles['scroll']} role="region" aria-label={`Table of ${title}`} tabIndex={0}>
        <table className={`${styles['table']} num`}>
          <thead>
            <tr>
              <th scope="col">{tickName}</th>
              {visibleLines.map(({ name }) => (
                <th key={name} scope="col" dir="auto">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.slice(first).map((label, index) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {visibleLines.map(({ name, values }) => (
                  <td key={name}>{formatValue(values[first + index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Max lines in the tooltip. */
const MAX_NAMED_LINES = 12;
/** Distance between the crosshair and the tooltip. */
const TOOLTIP_GAP_PX = 14;

/** Returns the visible lines with a value at a tick, greatest first. */
export function listLinesAt(
  lines: readonly ChartLine[],
  hidden: ReadonlySet<string>,
  index: number,
): readonly { readonly line: ChartLine; readonly value: number }[] {
  return lines
    .filter(({ name }) => !hidden.has(name))
    .map((line) => ({ line, value: line.values[index] ?? 0 }))
    .filter(({ value }) => value !== 0)
    .toSorted((a, b) => b.value - a.value);
}

function createElement(tag: string, text: string, className = ''): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  element.className = className;
  return element;
}

interface TooltipContent {
  readonly label: string;
  readonly lines: ReturnType<typeof listLinesAt>;
  readonly formatValue: (value: number) => string;
}

/**
 * Shows values at the crosshair. Updates the DOM directly, because React renders would be too slow for pointer moves.
 */
export function showTooltip(box: HTMLElement, { label, lines, formatValue }: TooltipContent, x: number): void {
  const rows = lines.slice(0, MAX_NAMED_LINES).map(({ line, value }) => {
    const row = createElement('span', '');
    const dot = createElement('i', '', 'dot');
    dot.style.background = line.colour;
    row.append(
      dot,
      createElement('span', line.name, `${styles['tipName']} ellipsis`),
      createElement('b', formatValue(value)),
    );
    return row;
  });
  const note = lines.length > MAX_NAMED_LINES ? `and ${lines.length - MAX_NAMED_LINES} more` : 'No values';
  const notes = lines.length > MAX_NAMED_LINES || lines.length === 0 ? [createElement('small', note)] : [];
  box.replaceChildren(createElement('b', label), ...rows, ...notes);
  box.hidden = false;
  const availableWidth = box.parentElement?.clientWidth ?? 0;
  const isRight = x + TOOLTIP_GAP_PX + box.offsetWidth <= availableWidth || x < availableWidth / 2;
  const left = isRight ? x + TOOLTIP_GAP_PX : x - TOOLTIP_GAP_PX - box.offsetWidth;
  box.style.left = `${Math.max(0, Math.min(left, availableWidth - box.offsetWidth))}px`;
}

/** Max lines that the slider announces at each tick. */
const MAX_ANNOUNCED_LINES = 5;

interface LineChartProps {
  readonly title: string;
  readonly level?: 2 | 3;
  /** What a tick is: 'Day'. */
  readonly tickName: string;
  /** Short labels of the axis: '11 Nov'. */
  readonly ticks: readonly string[];
  /** Full labels: 'Wed 11 Nov 2026'. They are unique. */
  readonly labels: readonly string[];
  /** Must be the same list at every render; another list redraws the chart. */
  readonly lines: readonly ChartLine[];
  /** Minimum upper end of the y axis, which starts at 0. */
  readonly minTop?: number;
  /** Must be the same function at every render. */
  readonly formatTick: (value: number) => string;
  /** Formats a single value: '5.7 h'. */
  readonly formatValue: (value: number) => string;
  /** Height in px. */
  readonly height?: number;
  /** Whether the legend is shown; false if the title names the only line. */
  readonly hasLegend?: boolean;
  /** Renders the chart while the browser is idle, even outside the viewport. For single charts with final data. */
  readonly rendersWhenIdle?: boolean;
}

/** Returns the text that describes the chart to screen readers: its range and highest value. */
function describeHighest({ title, labels, lines, formatValue }: LineChartProps): string {
  let highest: { readonly name: string; readonly value: number; readonly index: number } | undefined;
  for (const { name, values } of lines)
    for (const [index, value] of values.entries()) if (value > (highest?.value ?? 0)) highest = { name, value, index };
  const range = `${title}, ${labels[0] ?? ''} to ${labels.at(-1) ?? ''}.`;
  return highest
    ? `${range} Highest: ${highest.name}, ${formatValue(highest.value)}, ${labels[highest.index] ?? ''}.`
    : range;
}

interface UsePlotOptions {
  readonly data: PlotData;
  readonly height: number;
  readonly hidden: ReadonlySet<string>;
  readonly rendersWhenIdle: boolean;
}

/** Draws the plot into `host` once it is near the viewport, and updates it. Returns the plot. */
function usePlot(
  host: RefObject<HTMLDivElement | null>,
  { data, height, hidden, rendersWhenIdle }: UsePlotOptions,
  onCursor: (index: number | undefined, x: number) => void,
): RefObject<Plot | undefined> {
  const plot = useRef<Plot>(undefined);
  const scheme = useColourScheme();
  const firstWidth = useWidthNearViewport(host, rendersWhenIdle);
  const width = useRef<number>(undefined);
  const { ticks, lines, minTop, formatTick } = data;
  const handleCursor = useEffectEvent(onCursor);
  const draw = useEffectEvent((container: HTMLElement, options: Omit<PlotOptions, 'hidden' | 'onCursor'>) =>
    drawPlot(container, { ...options, hidden, onCursor: (index, x) => handleCursor(index, x) }),
  );
  useEffect(() => {
    if (firstWidth === undefined || !host.current) return undefined;
    const isFirst = width.current === undefined;
    width.current ??= firstWidth;
    const newPlot = draw(host.current, {
      data: { ticks, lines, minTop, formatTick },
      width: width.current,
      height,
      scheme,
      isFirst,
    });
    plot.current = newPlot;
    const observer = new ResizeObserver(([entry]) => {
      const newWidth = Math.floor(entry?.contentRect.width ?? 0);
      if (newWidth > 0 && newWidth !== width.current) newPlot.resize((width.current = newWidth));
    });
    observer.observe(host.current);
    return () => {
      observer.disconnect();
      newPlot.remove();
      plot.current = undefined;
    };
  }, [firstWidth, host, ticks, lines, minTop, formatTick, height, scheme]);
  useEffect(() => plot.current?.setHidden(hidden), [hidden]);
  return plot;
}

/** The plot with a crosshair that follows mouse, touch and arrow keys. */
function PlotWithCursor(props: LineChartProps & { readonly hidden: ReadonlySet<string> }) {
  const {
    title,
    ticks,
    labels,
    lines,
    minTop = 0,
    formatTick,
    formatValue,
    height = 280,
    hidden,
    rendersWhenIdle = false,
  } = props;
  const host = useRef<HTMLDivElement>(null);
  const tooltip = useRef<HTMLDivElement>(null);
  const cursorIndex = useRef<number>(undefined);
  function handleCursor(index: number | undefined, x: number): void {
    if (!tooltip.current) return;
    cursorIndex.current = index;
    if (index === undefined) tooltip.current.hidden = true;
    else
      showTooltip(
        tooltip.current,
        { label: labels[index] ?? '', lines: listLinesAt(lines, hidden, index), formatValue },
        x,
      );
  }
  const plot = usePlot(
    host,
    { data: { ticks, lines, minTop, formatTick }, height, hidden, rendersWhenIdle },
    handleCursor,
  );
  const last = Math.max(0, labels.length - 1);
  function moveCrosshair(slider: HTMLInputElement): void {
    const index = Number(slider.value);
    const announcedLines = listLinesAt(lines, hidden, index).slice(0, MAX_ANNOUNCED_LINES);
    slider.setAttribute(
      'aria-valuetext',
      [labels[index] ?? '', ...announcedLines.map(({ line, value }) => `${line.name} ${formatValue(value)}`)].join(
        ', ',
      ),
    );
    plot.current?.moveCrosshair(index);
  }
  return (
    <div className={styles['plot']}>
      <div ref={host} style={{ height }} role="img" aria-label={describeHighest(props)} />
      <div ref={tooltip} className={`${styles['tip']} num`} hidden aria-hidden="true" />
      <input
        type="range"
        className={styles['walk']}
        aria-label={`Values of ${title}`}
        min={0}
        max={last}
        defaultValue={last}
        onFocus={(event) => moveCrosshair(event.currentTarget)}
        onInput={(event) => moveCrosshair(event.currentTarget)}
        onBlur={() => plot.current?.moveCrosshair(undefined)}
      />
    </div>
  );
}

const NO_HIDDEN_LINES: ReadonlySet<string> = new Set();

/**
 * A line chart with heading, legend, values at the pointer or by arrow keys, and a table of the same numbers. It is
 * drawn when it is near the viewport, and reserves its height before.
 */
export function LineChart(props: LineChartProps) {
  const { title, level = 2, tickName, labels, lines, formatValue, hasLegend = true } = props;
  const [hidden, setHidden] = useState(NO_HIDDEN_LINES);
  const [isTableShown, setIsTableShown] = useState(false);
  const id = useId();
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section className={styles['chart']} aria-labelledby={id}>
      <header className={styles['head']}>
        <Heading id={id} dir="auto">
          {title}
        </Heading>
        <Button
          variant="subtle"
          size="xs"
          aria-pressed={isTableShown}
          aria-label={`Table of ${title}`}
          leftSection={<IconTable size={16} stroke={1.75} />}
          onClick={() => setIsTableShown(!isTableShown)}
        >
          Table
        </Button>
      </header>
      {hasLegend ? (
        <PaintSlice position={2}>
          <Legend lines={lines} hidden={hidden} onHiddenChange={setHidden} />
        </PaintSlice>
      ) : null}
      <PaintSlice position={3}>
        {isTableShown ? (
          <ValuesTable
            title={title}
            tickName={tickName}
            labels={labels}
            lines={lines.filter(({ name }) => !hidden.has(name))}
            formatValue={formatValue}
          />
        ) : (
          <PlotWithCursor {...props} hidden={hidden} />
        )}
      </PaintSlice>
    </section>
  );
}
