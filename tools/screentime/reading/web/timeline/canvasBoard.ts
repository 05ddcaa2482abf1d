import { createListeners } from '#platform/web/store.ts';
import { MAX_COST_PER_FRAME, queueRender } from '#platform/web/windowing/frameQueue.ts';
import { STATUSES, type Status } from '#tools/screentime/contract/limits.ts';
import { WHOLE_DAY, type View, listAxisMinutes, forEachBar } from '../../domain/lane.ts';
import { getDayClock, type DayClock } from './dayClock.ts';
import { isSameLanes, type LabelledLane } from './timelineRows.ts';

/** In CSS pixels. */
export interface Measures {
  /** Distance from one lane to the next. */
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

/** Content of a canvas. */
export interface CanvasContent {
  readonly lanes: readonly LabelledLane[];
  readonly measures: Measures;
  readonly view: View;
  readonly width: number;
  readonly clock: DayClock;
  /** Percentage of today that has passed. */
  readonly now: number | undefined;
  readonly palette: Palette;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

interface StatusStyle {
  readonly alpha: number;
  readonly top?: true;
  readonly bottom?: true;
}

/** Background opacity and position of the solid line by status, so that statuses differ without colour too. */
const STYLE_BY_STATUS: Readonly<Record<Status, StatusStyle>> = {
  on: { alpha: 1 },
  off: { alpha: 0.26 },
  s: { alpha: 0.26, bottom: true },
  r: { alpha: 0.26, top: true, bottom: true },
};

/** Context of an offscreen or a visible canvas. */
type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D;

function paintLane(context: Context, { lane, colours }: LabelledLane, top: number, content: CanvasContent): void {
  if (!lane) return;
  const { bar } = content.measures;
  const lineHeight = Math.max(1, Math.round(bar / 4));
  let previousKind = -1;
  let style = STYLE_BY_STATUS.on;
  forEachBar(lane, content.view, content.width, (kind, left, right) => {
    if (kind !== previousKind) {
      const status = STATUSES[kind] ?? 'on';
      style = STYLE_BY_STATUS[status];
      context.fillStyle = colours[status];
      previousKind = kind;
    }
    context.globalAlpha = style.alpha;
    context.fillRect(left, top, right - left, bar);
    context.globalAlpha = 1;
    if (style.top) context.fillRect(left, top, right - left, lineHeight);
    if (style.bottom) context.fillRect(left, top + bar - lineHeight, right - left, lineHeight);
  });
}

/** Older browsers draw on the visible canvas. */
const canDrawOffscreen = 'OffscreenCanvas' in globalThis;

/** Returns a tiny bitmap. Transferring null, though allowed, leaves the old one in the browser's memory accounting. */
function createEmptyBitmap(): ImageBitmap | null {
  const pixel = new OffscreenCanvas(1, 1);
  return pixel.getContext('2d') ? pixel.transferToImageBitmap() : null;
}

/** Frees the bitmap of a canvas immediately. Otherwise it counts towards garbage and triggers collections earlier. */
export function freeCanvas(canvas: HTMLCanvasElement): void {
  if (canDrawOffscreen) canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(createEmptyBitmap());
  else canvas.width = 0;
}

function paint(context: Context, content: CanvasContent): void {
  const { lanes, measures, view, width, clock, now, palette, ratio } = content;
  const height = lanes.length * measures.lane;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const margin = (measures.lane - measures.bar) / 2;
  const toX = (percent: number): number => ((percent - view.from) / (view.until - view.from)) * width;
  // Fills background and hours across all lanes and clears the gaps: fewer calls than one per lane.
  context.fillStyle = palette.track;
  context.fillRect(0, 0, width, height);
  context.fillStyle = palette.grid;
  for (const minute of listAxisMinutes(view, width))
    context.fillRect(Math.min(Math.round(toX(clock.toPercent(minute))), width - 1), 0, 1, height);
  for (const [index, lane] of lanes.entries()) paintLane(context, lane, index * measures.lane + margin, content);
  if (now !== undefined) {
    context.fillStyle = palette.now;
    context.fillRect(toX(now) - 1, 0, 2, height);
  }
  for (let gap = 0; gap <= lanes.length; gap += 1)
    context.clearRect(0, gap * measures.lane - margin, width, 2 * margin);
}

/** Draws lanes offscreen. Canvases with direct drawing are copied to the screen at any change of the page. */
export function draw(canvas: HTMLCanvasElement, content: CanvasContent): void {
  const { lanes, measures, width, ratio } = content;
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(lanes.length * measures.lane * ratio)];
  if (pixelWidth <= 0 || pixelHeight <= 0) return;
  if (canvas.width !== pixelWidth || !canDrawOffscreen) canvas.width = pixelWidth;
  if (canvas.height !== pixelHeight) canvas.height = pixelHeight;
  const offscreen = canDrawOffscreen ? new OffscreenCanvas(pixelWidth, pixelHeight) : undefined;
  const context = (offscreen ?? canvas).getContext('2d');
  if (!context) return;
  paint(context, content);
  if (!offscreen) return;
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(offscreen.transferToImageBitmap());
  offscreen.width = 0;
}

/** Place of a day on the page, with a canvas per few lanes and their content. */
export interface Plot {
  readonly date: string;
  readonly box: HTMLElement;
  lanes: readonly LabelledLane[];
  measures: Measures;
}

/** Lanes per canvas. A changed canvas is copied to the screen as a whole, so it has no more than a frame can draw. */
export const LANES_PER_CANVAS = MAX_COST_PER_FRAME;

/** Returns the first lane of each canvas. */
export function listFirstLanes(laneCount: number): readonly number[] {
  return Array.from({ length: Math.ceil(laneCount / LANES_PER_CANVAS) }, (_, index) => index * LANES_PER_CANVAS);
}

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const readToken = (name: string): string => style.getPropertyValue(name);
  const isDark = document.documentElement.dataset['mantineColorScheme'] === 'dark';
  return {
    track: isDark ? readToken('--hover') : readToken('--sunken'),
    grid: readToken('--line-2'),
    now: readToken('--now'),
  };
}

const isSame = (a: CanvasContent, { lanes, ...rest }: CanvasContent): boolean =>
  isSameLanes(a.lanes, lanes) &&
  Object.entries(rest).every(([name, value]) => a[name as keyof CanvasContent] === value);

/**
 * Creates the board of all rendered days. React places the canvases; the board paints one per frame, and only after
 * changes, never for scrolling or hovering.
 */
export function createBoard() {
  const plots = new Map<Element, Plot>();
  /** Queued plots, with the first lane of the next canvas. */
  const queuedPlots = new Map<Plot, number>();
  const paintedContent = new WeakMap<Element, CanvasContent>();
  const listeners = createListeners();
  let palette: Palette | undefined;
  let view = WHOLE_DAY;
  let width = 0;
  let now: { readonly date: string; readonly percent: number } | undefined;

  function getContent({ date, lanes, measures }: Plot, first: number): CanvasContent {
    palette ??= readPalette();
    const nowPercent = now?.date === date ? now.percent : undefined;
    const canvasLanes = lanes.slice(first, first + LANES_PER_CANVAS);
    const ratio = window.devicePixelRatio;
    return { lanes: canvasLanes, measures, view, width, clock: getDayClock(date), now: nowPercent, palette, ratio };
  }
  const getCanvas = (plot: Plot, first: number): Element | undefined => plot.box.children[first / LANES_PER_CANVAS];
  function isPainted(plot: Plot, first: number): boolean {
    const canvas = getCanvas(plot, first);
    const previousContent = canvas && paintedContent.get(canvas);
    return !canvas || (previousContent !== undefined && isSame(previousContent, getContent(plot, first)));
  }
  /** Paints the current state, not that of the queueing. */
  function paintQueued(plot: Plot): void {
    const first = queuedPlots.get(plot);
    if (first === undefined) return;
    queuedPlots.delete(plot);
    const canvas = getCanvas(plot, first);
    if (canvas instanceof HTMLCanvasElement && !isPainted(plot, first)) {
      const content = getContent(plot, first);
      draw(canvas, content);
      paintedContent.set(canvas, content);
    }
    paintFrom(plot, first + LANES_PER_CANVAS);
  }
  /** Paints the next outdated canvas, and wraps around at the end: frequent changes still reach every canvas. */
  function paintFrom(plot: Plot, from: number): void {
    if (queuedPlots.has(plot)) return;
    const firstLanes = listFirstLanes(plot.lanes.length);
    const next = [...firstLanes.filter((first) => first >= from), ...firstLanes].find(
      (first) => !isPainted(plot, first),
    );
    if (next === undefined) return;
    queuedPlots.set(plot, next);
    const cost = Math.min(LANES_PER_CANVAS, plot.lanes.length - next);
    queueRender(() => paintQueued(plot), { urgency: 'visible', cost });
  }
  const repaint = (plot: Plot): void => paintFrom(plot, 0);
  const repaintAll = (): void => plots.forEach(repaint);
  const notify = (): void => listeners.notify();

  return {
    /** Adds or updates a day. Returns a function that removes it. */
    addPlot: (plot: Plot): (() => void) => {
      plots.set(plot.box, plot);
      repaint(plot);
      return () => {
        plots.delete(plot.box);
        queuedPlots.delete(plot);
      };
    },
    /** Finds the plot of a place or of a canvas in it. */
    findPlot: (element: Element): Plot | undefined =>
      plots.get(element) ?? (element.parentElement ? plots.get(element.parentElement) : undefined),
    getView: (): View => view,
    getWidth: (): number => width,
    setView: (next: View): void => {
      if (next.from === view.from && next.until === view.until) return;
      view = next;
      repaintAll();
      notify();
    },
    setWidth: (next: number): void => {
      if (next === width) return;
      width = next;
      repaintAll();
      notify();
    },
    /** Moves the line of now, which is on this day only. */
    setNow: (date: string, percent: number): void => {
      const previousDate = now?.date;
      now = { date, percent };
      for (const plot of plots.values()) if (plot.date === date || plot.date === previousDate) repaint(plot);
    },
    /** Repaints after a change of the scheme or the pixel ratio. */
    refresh: (): void => {
      palette = undefined;
      repaintAll();
    },
    /** Subscribes to changes of a day's content or width. */
    subscribe: listeners.subscribe,
  };
}

export type Board = ReturnType<typeof createBoard>;
