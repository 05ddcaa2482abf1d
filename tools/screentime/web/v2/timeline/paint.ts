import { statuses, type Status } from '../../../contract/limits.ts';
import { axisMinutes } from '../../../domain/dayView.ts';
import { eachBar, type View } from '../../../domain/lane.ts';
import type { DayClock } from './dayClock.ts';
import type { RowLane } from './rows.ts';
import { LANES_AT_ONCE } from './turns.ts';

/** In CSS pixels. */
export interface Measures {
  /** From one lane to the next. */
  readonly lane: number;
  readonly bar: number;
}
export const FULL: Measures = { lane: 22, bar: 13 };
export const COMPACT: Measures = { lane: 9, bar: 6 };

/** Colours of the scheme, read from the page. */
export interface Palette {
  readonly track: string;
  readonly grid: string;
  readonly now: string;
}

export interface Picture {
  readonly lanes: readonly RowLane[];
  readonly measures: Measures;
  readonly view: View;
  readonly width: number;
  readonly clock: DayClock;
  /** Percent of the day that has passed, of today. */
  readonly now: number | undefined;
}

/** How strong the ground of a status is, and where on it a full line lies: they differ without their colour too. */
const looks: Readonly<Record<Status, { readonly alpha: number; readonly lines: readonly ('top' | 'bottom')[] }>> = {
  on: { alpha: 1, lines: [] },
  off: { alpha: 0.26, lines: [] },
  s: { alpha: 0.26, lines: ['bottom'] },
  r: { alpha: 0.26, lines: ['top', 'bottom'] },
};

const paintLane = (
  context: CanvasRenderingContext2D,
  { lane, colours }: RowLane,
  top: number,
  picture: Picture,
): void => {
  if (!lane) return;
  const { bar } = picture.measures;
  const line = Math.max(1, Math.round(bar / 4));
  eachBar(lane, picture.view, picture.width, (kind, left, right) => {
    const status = statuses[kind] ?? 'on';
    const { alpha, lines } = looks[status];
    context.fillStyle = colours[status];
    context.globalAlpha = alpha;
    context.fillRect(left, top, right - left, bar);
    context.globalAlpha = 1;
    for (const side of lines) context.fillRect(left, side === 'top' ? top : top + bar - line, right - left, line);
  });
};

/** Gives the canvas its size, which empties it where that is another. */
const fit = (canvas: HTMLCanvasElement, { lanes, measures, width }: Picture, ratio: number): void => {
  const [across, down] = [Math.round(width * ratio), Math.round(lanes.length * measures.lane * ratio)];
  if (canvas.width !== across) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
};

/** Draws some lanes of a day, from `first` on; `ratio` is of device pixels to CSS pixels. */
export const paint = (
  canvas: HTMLCanvasElement,
  picture: Picture,
  palette: Palette,
  { first, ratio }: { readonly first: number; readonly ratio: number },
): void => {
  const { lanes, measures, view, width, clock, now } = picture;
  fit(canvas, picture, ratio);
  const context = canvas.getContext('2d');
  if (!context || width <= 0) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const last = Math.min(lanes.length, first + LANES_AT_ONCE);
  const [top, height] = [first * measures.lane, (last - first) * measures.lane];
  const margin = (measures.lane - measures.bar) / 2;
  const xOf = (percent: number): number => ((percent - view.from) / (view.until - view.from)) * width;
  // Ground and hours in one stroke over all lanes, and what is between the lanes cleared: fewer strokes than one for each.
  context.fillStyle = palette.track;
  context.fillRect(0, top, width, height);
  context.fillStyle = palette.grid;
  for (const minute of axisMinutes(view, width))
    context.fillRect(Math.min(Math.round(xOf(clock.percentOf(minute))), width - 1), top, 1, height);
  for (const [at, lane] of lanes.slice(first, last).entries())
    paintLane(context, lane, top + at * measures.lane + margin, picture);
  if (now !== undefined) {
    context.fillStyle = palette.now;
    context.fillRect(xOf(now) - 1, top, 2, height);
  }
  for (let at = first; at <= last; at += 1) context.clearRect(0, at * measures.lane - margin, width, 2 * margin);
};
