import { Button } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useId, useRef, useState, type RefObject } from 'react';
import { useColourScheme } from '../theme/scheme.ts';
import { PaintSlice } from '../windowing/PaintSlice.tsx';
import { useWidthNearViewport } from '../windowing/useNearViewport.ts';
import { Legend } from './Legend.tsx';
import { drawPlot, type ChartLine, type Plot, type PlotData, type PlotOptions } from './plot.ts';
import styles from './LineChart.module.css';

/** Rows of a year are drawn on request only. */
const MAX_ROWS = 62;
/** Columns of hundreds of lines, too. */
const MAX_COLUMNS = 60;

interface ValuesTableProps {
  readonly title: string;
  readonly per: string;
  readonly labels: readonly string[];
  readonly lines: readonly ChartLine[];
  readonly formatValue: (value: number) => string;
}

/** The numbers of a chart, the last rows first to be seen. */
export function ValuesTable({ title, per, labels, lines, formatValue }: ValuesTableProps) {
  const [shown, setShown] = useState(MAX_ROWS);
  const [columns, setColumns] = useState(MAX_COLUMNS);
  const drawn = lines.slice(0, columns);
  const first = Math.max(0, labels.length - shown);
  return (
    <>
      {first > 0 ? (
        <button type="button" className={styles['all']} onClick={() => setShown(shown * 4)}>
          Show earlier rows, {first} more
        </button>
      ) : null}
      {drawn.length < lines.length ? (
        <button type="button" className={styles['all']} onClick={() => setColumns(columns * 4)}>
          Show more columns, {lines.length - drawn.length} more
        </button>
      ) : null}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <div className={styles['scroll']} role="region" aria-label={`Table of ${title}`} tabIndex={0}>
        <table className={`${styles['table']} num`}>
          <thead>
            <tr>
              <th scope="col">{per}</th>
              {drawn.map(({ name }) => (
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
                {drawn.map(({ name, values }) => (
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

/** Lines that are named beside the cross. */
const MAX_NAMED_LINES = 12;
/** Room between the cross and the box, in px. */
const GAP = 14;

/** The lines that have something at a tick, greatest first, without those that are hidden. */
export function listLinesAt(
  lines: readonly ChartLine[],
  hidden: ReadonlySet<string>,
  index: number,
): readonly { readonly line: ChartLine; readonly value: number }[] {
  return lines
    .filter(({ name }) => !hidden.has(name))
    .map((line) => ({ line, value: line.values[index] ?? 0 }))
    .filter(({ value }) => value !== 0)
    .toSorted((one, other) => other.value - one.value);
}

const element = (tag: string, text: string, name?: string): HTMLElement => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name !== undefined) made.className = styles[name] ?? '';
  return made;
};

interface TooltipContent {
  readonly label: string;
  readonly lines: ReturnType<typeof listLinesAt>;
  readonly formatValue: (value: number) => string;
}

/** What stands at the cross. Moved by hand: nothing is drawn by React while the pointer moves. */
export function showTooltip(box: HTMLElement, { label, lines, formatValue }: TooltipContent, x: number): void {
  const rows = lines.slice(0, MAX_NAMED_LINES).map(({ line, value }) => {
    const row = element('span', '');
    const dot = element('i', '');
    dot.style.background = line.colour;
    row.append(dot, element('span', line.name, 'tipName'), element('b', formatValue(value)));
    return row;
  });
  const more = lines.length > MAX_NAMED_LINES ? `and ${lines.length - MAX_NAMED_LINES} more` : 'Nothing';
  const rest = lines.length > MAX_NAMED_LINES || lines.length === 0 ? [element('small', more)] : [];
  box.replaceChildren(element('b', label), ...rows, ...rest);
  box.hidden = false;
  const room = box.parentElement?.clientWidth ?? 0;
  const isRight = x + GAP + box.offsetWidth <= room || x < room / 2;
  const left = isRight ? x + GAP : x - GAP - box.offsetWidth;
  box.style.left = `${Math.max(0, Math.min(left, room - box.offsetWidth))}px`;
}

/** Lines that the slider names at each tick. */
const MAX_ANNOUNCED_LINES = 5;

interface LineChartProps {
  readonly title: string;
  readonly level?: 2 | 3;
  /** What a tick is: 'Day'. */
  readonly per: string;
  /** Under the axis, short: '11 Nov'. */
  readonly ticks: readonly string[];
  /** The same in full: 'Wed 11 Nov 2026'. Each occurs once. */
  readonly labels: readonly string[];
  /** The same list from drawing to drawing: another one is drawn anew. */
  readonly lines: readonly ChartLine[];
  /** The y axis goes from 0 to this at least. */
  readonly least?: number;
  /** Stays the same function from drawing to drawing. */
  readonly formatTick: (value: number) => string;
  /** A value by itself: '5.7 h'. */
  readonly formatValue: (value: number) => string;
  readonly height?: number;
  /** Without boxes, where the title names the only line. */
  readonly legend?: boolean;
  /** Drawn while the browser has nothing to do, though it is not near: who scrolls to it then is not held up. For a single chart that shows all that it will. */
  readonly atRest?: boolean;
}

/** Where the highest value stands, in words. */
const describeHighest = ({ title, labels, lines, formatValue }: LineChartProps): string => {
  let best: { readonly name: string; readonly value: number; readonly index: number } | undefined;
  for (const { name, values } of lines)
    for (const [index, value] of values.entries()) if (value > (best?.value ?? 0)) best = { name, value, index };
  const span = `${title}, ${labels[0] ?? ''} to ${labels.at(-1) ?? ''}.`;
  return best ? `${span} Highest: ${best.name}, ${formatValue(best.value)}, ${labels[best.index] ?? ''}.` : span;
};

interface UsePlotOptions {
  readonly data: PlotData;
  readonly height: number;
  readonly hidden: ReadonlySet<string>;
  readonly atRest: boolean;
}

/** The plot in `host`, drawn once it is near what is seen, and kept in step with everything that it shows. */
const usePlot = (
  host: RefObject<HTMLDivElement | null>,
  { data, height, hidden, atRest }: UsePlotOptions,
  onCursor: (index: number | undefined, x: number) => void,
): RefObject<Plot | undefined> => {
  const plot = useRef<Plot>(undefined);
  const scheme = useColourScheme();
  const firstWidth = useWidthNearViewport(host, atRest);
  const width = useRef<number>(undefined);
  const { ticks, lines, minTop, formatTick } = data;
  const pointed = useEffectEvent(onCursor);
  const draw = useEffectEvent((into: HTMLElement, shown: Omit<PlotOptions, 'hidden' | 'onCursor'>) =>
    drawPlot(into, { ...shown, hidden, onCursor: (index, x) => pointed(index, x) }),
  );
  useEffect(() => {
    if (firstWidth === undefined || !host.current) return undefined;
    const isFirst = width.current === undefined;
    width.current ??= firstWidth;
    const drawn = draw(host.current, {
      data: { ticks, lines, minTop, formatTick },
      width: width.current,
      height,
      scheme,
      isFirst,
    });
    plot.current = drawn;
    const watch = new ResizeObserver(([entry]) => {
      const now = Math.floor(entry?.contentRect.width ?? 0);
      if (now > 0 && now !== width.current) drawn.resize((width.current = now));
    });
    watch.observe(host.current);
    return () => {
      watch.disconnect();
      drawn.remove();
      plot.current = undefined;
    };
  }, [firstWidth, host, ticks, lines, minTop, formatTick, height, scheme]);
  useEffect(() => plot.current?.hide(hidden), [hidden]);
  return plot;
};

/** The drawn half: a cross with values at the pointer, by touch, and by the arrow keys. */
function PlotWithCursor(props: LineChartProps & { readonly hidden: ReadonlySet<string> }) {
  const {
    title,
    ticks,
    labels,
    lines,
    least = 0,
    formatTick,
    formatValue,
    height = 280,
    hidden,
    atRest = false,
  } = props;
  const host = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const at = useRef<number>(undefined);
  const onCursor = (index: number | undefined, x: number): void => {
    if (!tip.current) return;
    at.current = index;
    if (index === undefined) tip.current.hidden = true;
    else
      showTooltip(
        tip.current,
        { label: labels[index] ?? '', lines: listLinesAt(lines, hidden, index), formatValue },
        x,
      );
  };
  const plot = usePlot(host, { data: { ticks, lines, minTop: least, formatTick }, height, hidden, atRest }, onCursor);
  const last = Math.max(0, labels.length - 1);
  const point = (slider: HTMLInputElement): void => {
    const index = Number(slider.value);
    const said = listLinesAt(lines, hidden, index).slice(0, MAX_ANNOUNCED_LINES);
    slider.setAttribute(
      'aria-valuetext',
      [labels[index] ?? '', ...said.map(({ line, value }) => `${line.name} ${formatValue(value)}`)].join(', '),
    );
    plot.current?.point(index);
  };
  return (
    <div className={styles['drawn']}>
      <div ref={host} className={styles['plot']} style={{ height }} role="img" aria-label={describeHighest(props)} />
      <div ref={tip} className={`${styles['tip']} num`} hidden aria-hidden="true" />
      <input
        type="range"
        className={styles['walk']}
        aria-label={`Values of ${title}`}
        min={0}
        max={last}
        defaultValue={last}
        onFocus={(event) => point(event.currentTarget)}
        onInput={(event) => point(event.currentTarget)}
        onBlur={() => plot.current?.point(undefined)}
      />
    </div>
  );
}

const NONE: ReadonlySet<string> = new Set();

/**
 * A line chart with its heading: boxes that hide lines, values at the pointer and by the arrow keys, and the same numbers as a table.
 * It is drawn when it is scrolled near, and takes its full height before.
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
