import { WHOLE_DAY, type View } from '../../domain/lane.ts';
import { dayClock } from './dayClock.ts';
import { queueRender, LANES_PER_FRAME } from './frameQueue.ts';
import { draw, type Measures, type Palette, type Picture } from './paint.ts';
import { isSameLanes, type RowLane } from './timelineRows.ts';

/** A day's place on the page, with a canvas for every few lanes, and what shall be drawn on them. */
export interface Plot {
  readonly date: string;
  readonly box: HTMLElement;
  lanes: readonly RowLane[];
  measures: Measures;
}

/** Of a canvas. What is new on it is copied whole for the screen, within its next drawing: as much as is drawn between two, and no more. */
export const LANES_A_CANVAS = LANES_PER_FRAME;

/** The first lane of each canvas of a day with so many lanes. */
export const canvasesOf = (lanes: number): readonly number[] =>
  Array.from({ length: Math.ceil(lanes / LANES_A_CANVAS) }, (_, at) => at * LANES_A_CANVAS);

const readPalette = (): Palette => {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(name);
  const isDark = document.documentElement.dataset['mantineColorScheme'] === 'dark';
  return { track: isDark ? token('--hover') : token('--sunken'), grid: token('--line-2'), now: token('--now') };
};

const isSame = (one: Picture, { lanes, ...rest }: Picture): boolean =>
  isSameLanes(one.lanes, lanes) && Object.entries(rest).every(([name, value]) => one[name as keyof Picture] === value);

/**
 * The drawn days of a timeline, and what of a day they show. React places the canvases; they are painted by this, one in each frame, and only when
 * what stands on them changes: neither scrolling nor hovering paints.
 */
export const createBoard = () => {
  const plots = new Map<Element, Plot>();
  /** Plots that wait for their turn, and the first lane of the canvas that it is for. */
  const stale = new Map<Plot, number>();
  const painted = new WeakMap<Element, Picture>();
  const listeners = new Set<() => void>();
  let palette: Palette | undefined;
  let view = WHOLE_DAY;
  let width = 0;
  let now: { readonly date: string; readonly percent: number } | undefined;

  const pictureOf = ({ date, lanes, measures }: Plot, first: number): Picture => {
    palette ??= readPalette();
    const passed = now?.date === date ? now.percent : undefined;
    const own = lanes.slice(first, first + LANES_A_CANVAS);
    const ratio = window.devicePixelRatio;
    return { lanes: own, measures, view, width, clock: dayClock(date), now: passed, palette, ratio };
  };
  const canvasOf = (plot: Plot, first: number): Element | undefined => plot.box.children[first / LANES_A_CANVAS];
  const isPainted = (plot: Plot, first: number): boolean => {
    const canvas = canvasOf(plot, first);
    const before = canvas && painted.get(canvas);
    return !canvas || (before !== undefined && isSame(before, pictureOf(plot, first)));
  };
  /** As what is shown is by then. */
  const paintOne = (plot: Plot): void => {
    const first = stale.get(plot);
    if (first === undefined) return;
    stale.delete(plot);
    const canvas = canvasOf(plot, first);
    if (canvas instanceof HTMLCanvasElement && !isPainted(plot, first)) {
      const picture = pictureOf(plot, first);
      draw(canvas, picture);
      painted.set(canvas, picture);
    }
    paintFrom(plot, first + LANES_A_CANVAS);
  };
  /** The next canvas that does not show what it shall, and after the last one the first: also what changes with each picture is painted whole. */
  const paintFrom = (plot: Plot, from: number): void => {
    if (stale.has(plot)) return;
    const all = canvasesOf(plot.lanes.length);
    const next = [...all.filter((first) => first >= from), ...all].find((first) => !isPainted(plot, first));
    if (next === undefined) return;
    stale.set(plot, next);
    const lanes = Math.min(LANES_A_CANVAS, plot.lanes.length - next);
    queueRender(() => paintOne(plot), { urgency: 'shown', lanes });
  };
  const repaint = (plot: Plot): void => paintFrom(plot, 0);
  const repaintAll = (): void => plots.forEach(repaint);
  const tell = (): void => listeners.forEach((each) => each());

  return {
    /** Takes a day in, or draws it anew. Gives back how to let go of it. */
    place: (plot: Plot): (() => void) => {
      plots.set(plot.box, plot);
      repaint(plot);
      return () => {
        plots.delete(plot.box);
        stale.delete(plot);
      };
    },
    /** Of the day's place or of a canvas in it. */
    plotOf: (element: Element): Plot | undefined =>
      plots.get(element) ?? (element.parentElement ? plots.get(element.parentElement) : undefined),
    view: (): View => view,
    width: (): number => width,
    setView: (next: View): void => {
      if (next.from === view.from && next.until === view.until) return;
      view = next;
      repaintAll();
      tell();
    },
    setWidth: (next: number): void => {
      if (next === width) return;
      width = next;
      repaintAll();
      tell();
    },
    /** The now-line stands on this day alone. */
    setNow: (date: string, percent: number): void => {
      const before = now?.date;
      now = { date, percent };
      for (const plot of plots.values()) if (plot.date === date || plot.date === before) repaint(plot);
    },
    /** After a change of the scheme, or of the size of a pixel. */
    refresh: (): void => {
      palette = undefined;
      repaintAll();
    },
    /** Told of a change of what is shown of a day, or of its width. */
    subscribe: (then: () => void): (() => void) => {
      listeners.add(then);
      return () => listeners.delete(then);
    },
  };
};

export type Board = ReturnType<typeof createBoard>;
