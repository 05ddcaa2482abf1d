// Must run before uPlot, which reads the language while it loads.
import '../browser/language.ts';
import 'uplot/dist/uPlot.min.css';
import './plot.css';
import uPlot from 'uplot';
import { resolveColour } from '../theme/colourScheme.ts';

/** Readable steps between gridlines, to be multiplied by powers of ten. */
const STEPS = [1, 2, 2.5, 5, 10] as const;

export interface AxisScale {
  readonly top: number;
  readonly step: number;
}

/** Creates an axis from 0 to at least `max`, with about `stepCount` readable steps. */
export function createScale(max: number, stepCount = 5): AxisScale {
  const idealStep = Math.max(max, Number.EPSILON) / stepCount;
  const unit = 10 ** Math.floor(Math.log10(idealStep));
  const step = unit * (STEPS.find((factor) => factor * unit >= idealStep * (1 - 1e-9)) ?? 10);
  return { top: step * Math.ceil(max / step - 1e-9), step };
}

/** Returns the positions of the gridlines, from 0 to the top. */
export function listGridlines({ top, step }: AxisScale): readonly number[] {
  return Array.from({ length: Math.round(top / step) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Returns the stride between shown labels, so that at most `maxLabels` of them are shown. */
export function getLabelStride(labelCount: number, maxLabels: number): number {
  return Math.max(1, Math.ceil(labelCount / Math.max(1, Math.floor(maxLabels))));
}

const FIRST_HUE = 25;
const GOLDEN_RATIO_SHARE = (3 - Math.sqrt(5)) / 2;

const hasCommonFactor = (a: number, b: number): boolean => (b === 0 ? a > 1 : hasCommonFactor(b, a % b));

/** Returns a stride around the colour wheel that separates neighbours and visits every place once. */
function getHueStride(count: number): number {
  let stride = Math.max(1, Math.round(count * GOLDEN_RATIO_SHARE));
  while (hasCommonFactor(count, stride)) stride += 1;
  return stride;
}

/** Returns evenly spread hues in degrees, one for each line. */
export function createHues(count: number): readonly number[] {
  const stride = getHueStride(count);
  return Array.from({ length: count }, (_, index) => (FIRST_HUE + (((index * stride) % count) * 360) / count) % 360);
}

/** Returns the colour of a line. Its lightness depends on the scheme, for a contrast of 3:1 (`plot.test.ts`). */
export function getLineColour(hue: number): string {
  return `oklch(var(--line-light) 0.14 ${Number(hue.toFixed(2))})`;
}

/** One line of a chart, with a value for each tick. */
export interface ChartLine {
  readonly name: string;
  /** CSS colour; tokens are resolved when the line is drawn. */
  readonly colour: string;
  readonly values: readonly number[];
}

export interface PlotData {
  /** Labels of the axis, one per value. If they don't all fit, only some are shown. */
  readonly ticks: readonly string[];
  readonly lines: readonly ChartLine[];
  /** Minimum upper end of the y axis, which starts at 0. */
  readonly minTop: number;
  /** Formats a label of the y axis: '4' or '40%'. */
  readonly formatTick: (value: number) => string;
}

export interface PlotOptions {
  readonly data: PlotData;
  readonly hidden: ReadonlySet<string>;
  readonly width: number;
  readonly height: number;
  /** Colour scheme in which the plot is drawn. */
  readonly scheme: string;
  /** Whether this is the first plot in its place. It then draws the lines later than the axes, in a separate task. */
  readonly isFirst: boolean;
  /** Called with the tick under the pointer or cursor and its x within the host; undefined if it left. */
  readonly onCursor: (index: number | undefined, x: number) => void;
}

/** Space for a label of the x axis. */
const TICK_WIDTH_PX = 68;
const AXIS_WIDTH_PX = 44;
/** Min distance of gridlines. */
const GRID_HEIGHT_PX = 44;
const DIGIT_WIDTH_PX = 7;
/** Dots would hide a greater number of lines. */
const MAX_LINES_WITH_DOTS = 30;

function findMax(values: readonly number[]): number {
  let max = 0;
  for (const value of values) if (value > max) max = value;
  return max;
}

function createAxes({ ticks, formatTick }: PlotData): uPlot.Axis[] {
  const font = `11px ${resolveColour('var(--pb-font)')}`;
  const stroke = resolveColour('var(--text-3)');
  return [
    {
      font,
      stroke,
      size: 26,
      gap: 8,
      grid: { show: false },
      ticks: { show: false },
      splits: (plot) => {
        const stride = getLabelStride(ticks.length, (plot.width - AXIS_WIDTH_PX) / TICK_WIDTH_PX);
        return Array.from({ length: Math.ceil(ticks.length / stride) }, (_, index) => index * stride);
      },
      values: (_, splits) => splits.map((index) => ticks[index] ?? ''),
    },
    {
      font,
      stroke,
      gap: 8,
      size: (_, labels) => 14 + DIGIT_WIDTH_PX * Math.max(2, ...(labels ?? []).map((text) => text.length)),
      grid: { stroke: resolveColour('var(--line)'), width: 1 },
      ticks: { show: false },
      splits: (plot, _, __, top) => [
        ...listGridlines(createScale(top, Math.max(2, Math.floor(plot.height / GRID_HEIGHT_PX)))),
      ],
      values: (_, splits) => splits.map(formatTick),
    },
  ];
}

/** Makes the crosshair follow touches. Vertical moves still scroll the page (`touch-action`). */
function registerTouchCursor(plot: uPlot): void {
  function moveCursor(event: PointerEvent): void {
    if (event.pointerType === 'mouse') return;
    plot.setCursor({ left: event.clientX - plot.over.getBoundingClientRect().left, top: 0 });
  }
  plot.over.addEventListener('pointerdown', moveCursor);
  plot.over.addEventListener('pointermove', moveCursor);
}

/** Draws straight lines between ticks. uPlot's own path builders are too slow for many lines. */
const buildStraightPath: uPlot.Series.PathBuilder = ({ bbox, data, scales }, seriesIndex) => {
  const path = new Path2D();
  const values = data[seriesIndex] ?? [];
  const { min = 0, max = 1 } = scales['x'] ?? {};
  const xScale = bbox.width / (max - min);
  const yScale = bbox.height / (scales['y']?.max ?? 1);
  const bottom = bbox.top + bbox.height;
  for (const [index, value] of values.entries()) {
    // Skip points between equal values. Most lines are 0 nearly all the time.
    if (index > 0 && value === values[index - 1] && value === values[index + 1]) continue;
    path.lineTo(Math.round(bbox.left + (index - min) * xScale), Math.round(bottom - (value ?? 0) * yScale));
  }
  return { stroke: path };
};

/** Draws a plot into `host`, and returns functions that update it. Other data needs a new plot. */
export function drawPlot(host: HTMLElement, { data, hidden, width, height, isFirst, onCursor }: PlotOptions) {
  const { ticks, lines, minTop } = data;
  const tops = lines.map(({ values }) => findMax(values));
  const last = ticks.length - 1;
  const plotData = [
    ticks.map((_, index) => index),
    ...lines.map(({ values }) => [...values]),
  ] satisfies uPlot.AlignedData;
  const plot = new uPlot(
    {
      width,
      height,
      // Leaves space for the second half of the last label.
      padding: [8, 24, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: last > 0 ? [0, last] : [-1, 1] },
        y: {
          range: ({ series }) => {
            const max = Math.max(minTop, ...tops.filter((_, index) => series[index + 1]?.show === true));
            return [0, createScale(max > 0 ? max : 1, Math.max(2, Math.floor(height / GRID_HEIGHT_PX))).top];
          },
        },
      },
      axes: createAxes(data),
      cursor: {
        y: false,
        drag: { x: false, y: false },
        // Snap the crosshair to ticks.
        move: (self, left, top) => [left < 0 ? left : self.valToPos(self.posToIdx(left), 'x'), top],
        points: {
          size: 8,
          width: 1.5,
          stroke: resolveColour('var(--surface)'),
          ...(lines.length > MAX_LINES_WITH_DOTS && { show: false }),
        },
      },
      series: [
        {},
        ...lines.map((line) => ({
          stroke: resolveColour(line.colour),
          width: 1.75,
          paths: buildStraightPath,
          show: !hidden.has(line.name),
          points: { show: ticks.length === 1, size: 7, fill: resolveColour(line.colour) },
        })),
      ],
      hooks: {
        setCursor: [
          ({ cursor, bbox }) => {
            const { idx, left = -1 } = cursor;
            onCursor(left < 0 ? undefined : (idx ?? undefined), bbox.left / uPlot.pxRatio + left);
          },
        ],
      },
    },
    isFirst ? [] : plotData,
    host,
  );
  const timer = isFirst ? setTimeout(() => plot.setData(plotData)) : undefined;
  registerTouchCursor(plot);
  return {
    setHidden: (names: ReadonlySet<string>): void =>
      plot.batch(() => {
        for (const [index, { name }] of lines.entries())
          if (plot.series[index + 1]?.show !== !names.has(name)) plot.setSeries(index + 1, { show: !names.has(name) });
      }),
    resize: (newWidth: number): void => plot.setSize({ width: newWidth, height }),
    /** Moves the crosshair to a tick, or hides it. */
    moveCrosshair: (index: number | undefined): void =>
      plot.setCursor(index === undefined ? { left: -10, top: -10 } : { left: plot.valToPos(index, 'x'), top: 0 }),
    remove: (): void => {
      clearTimeout(timer);
      plot.destroy();
    },
  };
}

export type Plot = ReturnType<typeof drawPlot>;
