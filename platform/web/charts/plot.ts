// Before uPlot, which reads it while it loads.
import '../browser/language.ts';
import 'uplot/dist/uPlot.min.css';
import './plot.css';
import uPlot from 'uplot';
import { resolveColour } from '../theme/scheme.ts';
import { listGridlines, createScale, getLabelStride } from './axis.ts';

/** One line of a chart: a value for each of the chart's ticks. */
export interface ChartLine {
  readonly name: string;
  /** CSS; tokens are read when it is drawn. */
  readonly colour: string;
  readonly values: readonly number[];
}

export interface PlotData {
  /** Under the axis, as many as each line has values; as many are written as fit. */
  readonly ticks: readonly string[];
  readonly lines: readonly ChartLine[];
  /** The y axis goes from 0 to this at least. */
  readonly minTop: number;
  /** A value beside the axis: '4' or '40%'. */
  readonly formatTick: (value: number) => string;
}

export interface PlotOptions {
  readonly data: PlotData;
  readonly hidden: ReadonlySet<string>;
  readonly width: number;
  readonly height: number;
  /** The colour scheme that it is drawn for. */
  readonly scheme: string;
  /** Nothing stood in its place before: the lines may come a moment later than what they are drawn on, so that neither is a long task. */
  readonly isFirst: boolean;
  /** The pointer or the cursor stands on a tick, at this x within the host; undefined where it left. */
  readonly onCursor: (index: number | undefined, x: number) => void;
}

const TICK_WIDTH = 68;
const AXIS_WIDTH = 44;
const LINE_HEIGHT = 44;
const DIGIT_WIDTH = 7;
/** Dots on more lines than these hide what they stand on. */
const MAX_LINES_WITH_DOTS = 30;

const greatest = (values: readonly number[]): number => {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
};

const axesOf = ({ ticks, formatTick }: PlotData): uPlot.Axis[] => {
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
        const stride = getLabelStride(ticks.length, (plot.width - AXIS_WIDTH) / TICK_WIDTH);
        return Array.from({ length: Math.ceil(ticks.length / stride) }, (_, index) => index * stride);
      },
      values: (_, splits) => splits.map((index) => ticks[index] ?? ''),
    },
    {
      font,
      stroke,
      gap: 8,
      size: (_, written) => 14 + DIGIT_WIDTH * Math.max(2, ...(written ?? []).map((text) => text.length)),
      grid: { stroke: resolveColour('var(--line)'), width: 1 },
      ticks: { show: false },
      splits: (plot, _, __, top) => [
        ...listGridlines(createScale(top, Math.max(2, Math.floor(plot.height / LINE_HEIGHT)))),
      ],
      values: (_, splits) => splits.map(formatTick),
    },
  ];
};

/** Touch moves the cross as the mouse does; a movement up or down goes on scrolling the page (`touch-action`). */
const followTouch = (plot: uPlot): void => {
  const follow = (event: PointerEvent): void => {
    if (event.pointerType === 'mouse') return;
    plot.setCursor({ left: event.clientX - plot.over.getBoundingClientRect().left, top: 0 });
  };
  plot.over.addEventListener('pointerdown', follow);
  plot.over.addEventListener('pointermove', follow);
};

/** Straight lines from tick to tick, on scales that begin at 0: what uPlot asks itself for each point takes longest of all where there are many lines. */
const straight: uPlot.Series.PathBuilder = ({ bbox, data, scales }, at) => {
  const path = new Path2D();
  const values = data[at] ?? [];
  const { min = 0, max = 1 } = scales['x'] ?? {};
  const across = bbox.width / (max - min);
  const down = bbox.height / (scales['y']?.max ?? 1);
  const bottom = bbox.top + bbox.height;
  for (const [index, value] of values.entries()) {
    // Between two of the same it is the same line. Most of thousands of lines are 0 nearly all the time.
    if (index > 0 && value === values[index - 1] && value === values[index + 1]) continue;
    path.lineTo(Math.round(bbox.left + (index - min) * across), Math.round(bottom - (value ?? 0) * down));
  }
  return { stroke: path };
};

/** Draws lines into `host`; what it draws is made anew for other data, and told of everything else. */
export function drawPlot(host: HTMLElement, { data, hidden, width, height, isFirst, onCursor }: PlotOptions) {
  const { ticks, lines, minTop } = data;
  const tops = lines.map(({ values }) => greatest(values));
  const last = ticks.length - 1;
  const drawn = [ticks.map((_, index) => index), ...lines.map(({ values }) => [...values])] satisfies uPlot.AlignedData;
  const plot = new uPlot(
    {
      width,
      height,
      // At the right for the half of the last label.
      padding: [8, 24, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: last > 0 ? [0, last] : [-1, 1] },
        y: {
          range: ({ series }) => {
            const most = Math.max(minTop, ...tops.filter((_, index) => series[index + 1]?.show === true));
            return [0, createScale(most > 0 ? most : 1, Math.max(2, Math.floor(height / LINE_HEIGHT))).top];
          },
        },
      },
      axes: axesOf(data),
      cursor: {
        y: false,
        drag: { x: false, y: false },
        // It stands on the ticks, not between them.
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
          paths: straight,
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
    isFirst ? [] : drawn,
    host,
  );
  const later = isFirst ? setTimeout(() => plot.setData(drawn)) : undefined;
  followTouch(plot);
  return {
    hide: (names: ReadonlySet<string>): void =>
      plot.batch(() => {
        for (const [index, { name }] of lines.entries())
          if (plot.series[index + 1]?.show !== !names.has(name)) plot.setSeries(index + 1, { show: !names.has(name) });
      }),
    resize: (to: number): void => plot.setSize({ width: to, height }),
    /** Puts the cross on a tick, or takes it away. */
    point: (index: number | undefined): void =>
      plot.setCursor(index === undefined ? { left: -10, top: -10 } : { left: plot.valToPos(index, 'x'), top: 0 }),
    remove: (): void => {
      clearTimeout(later);
      plot.destroy();
    },
  };
}

export type Plot = ReturnType<typeof drawPlot>;
