import { statuses, type Status } from '#tools/screentime/contract/limits.ts';
import { axisMinutes } from '../../domain/dayView.ts';
import { eachBar, type View } from '../../domain/lane.ts';
import type { DayClock } from './dayClock.ts';
import type { RowLane } from './timelineRows.ts';

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

/** What a canvas shows. */
export interface Picture {
  readonly lanes: readonly RowLane[];
  readonly measures: Measures;
  readonly view: View;
  readonly width: number;
  readonly clock: DayClock;
  /** Percent of the day that has passed, of today. */
  readonly now: number | undefined;
  readonly palette: Palette;
  /** Of device pixels to CSS pixels. */
  readonly ratio: number;
}

interface Look {
  readonly alpha: number;
  readonly top?: true;
  readonly bottom?: true;
}

/** How strong the ground of a status is, and where on it a full line lies: they differ without their colour too. */
const looks: Readonly<Record<Status, Look>> = {
  on: { alpha: 1 },
  off: { alpha: 0.26 },
  s: { alpha: 0.26, bottom: true },
  r: { alpha: 0.26, top: true, bottom: true },
};

/** Of a canvas apart, or of the one that is seen. */
type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D;

const paintLane = (context: Context, { lane, colours }: RowLane, top: number, picture: Picture): void => {
  if (!lane) return;
  const { bar } = picture.measures;
  const line = Math.max(1, Math.round(bar / 4));
  let before = -1;
  let look = looks.on;
  eachBar(lane, picture.view, picture.width, (kind, left, right) => {
    if (kind !== before) {
      const status = statuses[kind] ?? 'on';
      look = looks[status];
      context.fillStyle = colours[status];
      before = kind;
    }
    context.globalAlpha = look.alpha;
    context.fillRect(left, top, right - left, bar);
    context.globalAlpha = 1;
    if (look.top) context.fillRect(left, top, right - left, line);
    if (look.bottom) context.fillRect(left, top + bar - line, right - left, line);
  });
};

/** Older browsers draw on the canvas that is seen. */
const canDrawApart = 'OffscreenCanvas' in globalThis;

/** A picture of next to nothing: none at all, which the name of the call would allow, leaves the one before on the browser's account. */
const emptyPicture = (): ImageBitmap | null => {
  const pixel = new OffscreenCanvas(1, 1);
  return pixel.getContext('2d') ? pixel.transferToImageBitmap() : null;
};

/** Gives the memory of a picture back at once: the browser counts it with all that it has to collect, and stops everything for that sooner. */
export const letGo = (canvas: HTMLCanvasElement): void => {
  if (canDrawApart) canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(emptyPicture());
  else canvas.width = 0;
};

const paint = (context: Context, picture: Picture): void => {
  const { lanes, measures, view, width, clock, now, palette, ratio } = picture;
  const height = lanes.length * measures.lane;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const margin = (measures.lane - measures.bar) / 2;
  const xOf = (percent: number): number => ((percent - view.from) / (view.until - view.from)) * width;
  // Ground and hours in one stroke over all lanes, and what is between the lanes cleared: fewer strokes than one for each.
  context.fillStyle = palette.track;
  context.fillRect(0, 0, width, height);
  context.fillStyle = palette.grid;
  for (const minute of axisMinutes(view, width))
    context.fillRect(Math.min(Math.round(xOf(clock.percentOf(minute))), width - 1), 0, 1, height);
  for (const [at, lane] of lanes.entries()) paintLane(context, lane, at * measures.lane + margin, picture);
  if (now !== undefined) {
    context.fillStyle = palette.now;
    context.fillRect(xOf(now) - 1, 0, 2, height);
  }
  for (let gap = 0; gap <= lanes.length; gap += 1)
    context.clearRect(0, gap * measures.lane - margin, width, 2 * margin);
};

/**
 * Draws the lanes of a canvas, elsewhere than on it: canvases that are drawn on themselves are copied for the screen whenever anything on the page
 * has changed.
 */
export const draw = (canvas: HTMLCanvasElement, picture: Picture): void => {
  const { lanes, measures, width, ratio } = picture;
  const [across, down] = [Math.round(width * ratio), Math.round(lanes.length * measures.lane * ratio)];
  if (across <= 0 || down <= 0) return;
  if (canvas.width !== across || !canDrawApart) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
  const drawn = canDrawApart ? new OffscreenCanvas(across, down) : undefined;
  const context = (drawn ?? canvas).getContext('2d');
  if (!context) return;
  paint(context, picture);
  if (!drawn) return;
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(drawn.transferToImageBitmap());
  drawn.width = 0;
};
