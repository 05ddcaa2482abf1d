import { statuses, type Status } from '../../../contract/limits.ts';
import { axisMinutes } from '../../../domain/dayView.ts';
import { eachBar, type View } from '../../../domain/lane.ts';
import type { DayClock } from './dayClock.ts';
import type { RowLane } from './rows.ts';

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

/** Draws a day at the size of its canvas; `ratio` is of device pixels to CSS pixels. */
export const paint = (canvas: HTMLCanvasElement, picture: Picture, palette: Palette, ratio: number): void => {
  const { lanes, measures, view, width, clock, now } = picture;
  const height = lanes.length * measures.lane;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (!context || width <= 0) return;
  context.scale(ratio, ratio);
  const margin = (measures.lane - measures.bar) / 2;
  const xOf = (percent: number): number => ((percent - view.from) / (view.until - view.from)) * width;
  const grid = axisMinutes(view, width).map((minute) => Math.round(xOf(clock.percentOf(minute))));
  context.fillStyle = palette.track;
  for (let at = 0; at < lanes.length; at += 1) context.fillRect(0, at * measures.lane + margin, width, measures.bar);
  context.fillStyle = palette.grid;
  for (let at = 0; at < lanes.length; at += 1)
    for (const x of grid) context.fillRect(Math.min(x, width - 1), at * measures.lane + margin, 1, measures.bar);
  for (const [at, lane] of lanes.entries()) paintLane(context, lane, at * measures.lane + margin, picture);
  if (now === undefined) return;
  context.fillStyle = palette.now;
  for (let at = 0; at < lanes.length; at += 1)
    context.fillRect(xOf(now) - 1, at * measures.lane + margin, 2, measures.bar);
};
