import { Button } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useId, useRef, useState, type RefObject } from 'react';
import { useColourScheme } from '../theme/scheme.ts';
import { useWidthNearViewport } from '../windowing/nearViewport.ts';
import { PaintSlice } from '../windowing/PaintSlice.tsx';
import { Legend } from './Legend.tsx';
import { drawPlot, type ChartLine, type Plot, type PlotData, type PlotOptions } from './plot.ts';
import styles from './LineChart.module.css';

/** Earlier rows are rendered on request only. */
const MAX_ROWS = 62;
/** More columns are rendered on request only. */
const MAX_COLUMNS = 60;

interface ValuesTableProps {
  readonly title: string;
  readonly per: string;
  readonly labels: readonly string[];
  readonly lines: readonly ChartLine[];
  readonly formatValue: (value: number) => string;
}

/** The numbers of a chart as a table, which starts with the last rows. */
export function ValuesTable({ title, per, labels, lines, formatValue }: ValuesTableProps) {
  const [rowCount, setRowCount] = useState(MAX_ROWS);
  const [columns, setColumns] = useState(MAX_COLUMNS);
  const visibleLines = lines.slice(0, columns);
  const first = Math.max(0, labels.length - rowCount);
  return (
    <>
      {first > 0 ? (
        <button type="button" className={styles['listButton']} onClick={() => setRowCount(rowCount * 4)}>
          Show {first} earlier rows
        </button>
      ) : null}
      {visibleLines.length < lines.length ? (
        <button type="button" className={styles['listButton']} onClick={() => setColumns(columns * 4)}>
          Show {lines.length - visibleLines.length} more columns
        </button>
      ) : null}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <div className={styles['scroll']} role="region" aria-label={`Table of ${title}`} tabIndex={0}>
        <table className={`${styles['table']} num`}>
          <thead>
            <tr>
              <th scope="col">{per}</th>
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

/** Lines that the tooltip names. */
const MAX_NAMED_LINES = 12;
/** Distance between the crosshair and the tooltip, in px. */
const GAP = 14;

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

function createElement(tag: string, text: string, name?: string): HTMLElement {
  const node = document.createElement(tag);
  node.textContent = text;
  if (name !== undefined) node.className = styles[name] ?? '';
  return node;
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
    const dot = createElement('i', '');
    dot.style.background = line.colour;
    row.append(dot, createElement('span', line.name, 'tipName'), createElement('b', formatValue(value)));
    return row;
  });
  const more = lines.length > MAX_NAMED_LINES ? `and ${lines.length - MAX_NAMED_LINES} more` : 'No values';
  const rest = lines.length > MAX_NAMED_LINES || lines.length === 0 ? [createElement('small', more)] : [];
  box.replaceChildren(createElement('b', label), ...rows, ...rest);
  box.hidden = false;
  const availableWidth = box.parentElement?.clientWidth ?? 0;
  const isRight = x + GAP + box.offsetWidth <= availableWidth || x < availableWidth / 2;
  const left = isRight ? x + GAP : x - GAP - box.offsetWidth;
  box.style.left = `${Math.max(0, Math.min(left, availableWidth - box.offsetWidth))}px`;
}

/** Lines that the slider announces at each tick. */
const MAX_ANNOUNCED_LINES = 5;

interface LineChartProps {
  readonly title: string;
  readonly level?: 2 | 3;
  /** What a tick is: 'Day'. */
  readonly per: string;
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
  readonly height?: number;
  /** Whether the legend is shown; off if the title names the only line. */
  readonly legend?: boolean;
  /** Renders the chart while the browser is idle, even outside the viewport. For single charts with final data. */
  readonly atRest?: boolean;
}

/** Describes the highest value in words. */
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
  readonly atRest: boolean;
}

/** Draws the plot into `host` once it is near the viewport, and updates it. */
function usePlot(
  host: RefObject<HTMLDivElement | null>,
  { data, height, hidden, atRest }: UsePlotOptions,
  onCursor: (index: number | undefined, x: number) => void,
): RefObject<Plot | undefined> {
  const plot = useRef<Plot>(undefined);
  const scheme = useColourScheme();
  const firstWidth = useWidthNearViewport(host, atRest);
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

/** The plot with a crosshair for mouse, touch and arrow keys. */
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
    atRest = false,
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
  const plot = usePlot(host, { data: { ticks, lines, minTop, formatTick }, height, hidden, atRest }, handleCursor);
  const last = Math.max(0, labels.length - 1);
  function moveCrosshair(slider: HTMLInputElement): void {
    const index = Number(slider.value);
    const announced = listLinesAt(lines, hidden, index).slice(0, MAX_ANNOUNCED_LINES);
    slider.setAttribute(
      'aria-valuetext',
      [labels[index] ?? '', ...announced.map(({ line, value }) => `${line.name} ${formatValue(value)}`)].join(', '),
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

const NONE: ReadonlySet<string> = new Set();

/**
 * A line chart with heading, legend, values at the pointer or by arrow keys, and a table of the same numbers. It is
 * drawn when it is near the viewport, and reserves its height before.
 */
export function LineChart(props: LineChartProps) {
  const { title, level = 2, per, labels, lines, formatValue, legend = true } = props;
  const [hidden, setHidden] = useState(NONE);
  const [isTable, setIsTable] = useState(false);
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
          aria-pressed={isTable}
          aria-label={`Table of ${title}`}
          leftSection={<IconTable size={16} stroke={1.75} />}
          onClick={() => setIsTable(!isTable)}
        >
          Table
        </Button>
      </header>
      {legend ? (
        <PaintSlice position={2}>
          <Legend lines={lines} hidden={hidden} onHide={setHidden} />
        </PaintSlice>
      ) : null}
      <PaintSlice position={3}>
        {isTable ? (
          <ValuesTable
            title={title}
            per={per}
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
