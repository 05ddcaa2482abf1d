import { STATUSES, type Status } from '#tools/screentime/contract/limits.ts';
import { prettyTime } from '../../../usage/domain/formats.ts';
import { findIntervalAt } from '../../domain/lane.ts';
import type { Board, Plot } from './canvasBoard.ts';
import { dayClock } from './dayClock.ts';

/** A position on the timeline: a lane of a day and a moment. */
export interface TimelinePoint {
  readonly plot: Plot;
  readonly lane: number;
  readonly percent: number;
}

export const words: Readonly<Record<Status, string>> = {
  on: 'In focus',
  off: 'Open',
  s: 'Playing sound',
  r: 'Recording sound',
};

export interface CursorText {
  readonly name: string;
  readonly colour: string;
  readonly clock: string;
  /** Formatted like `In focus 13:52 to 14:20, 28m`. */
  readonly what: string;
}

/** Describes a position. */
export function describePoint({ plot, lane, percent }: TimelinePoint): CursorText | undefined {
  const row = plot.lanes[lane];
  if (!row) return undefined;
  const { formatTimeAt, length } = dayClock(plot.date);
  const at = row.lane ? findIntervalAt(row.lane, percent) : -1;
  const base = { name: row.name, colour: row.colour, clock: formatTimeAt(percent) };
  if (!row.lane || at < 0) return { ...base, what: row.lane ? 'Not open' : 'Not loaded yet' };
  const [from, until] = [row.lane.froms[at] ?? 0, row.lane.untils[at] ?? 0];
  const word = words[STATUSES[row.lane.kinds[at] ?? 0] ?? 'on'];
  const seconds = Math.round(((until - from) / 100) * (length / 1000));
  return { ...base, what: `${word} ${formatTimeAt(from)} to ${formatTimeAt(until)}, ${prettyTime(seconds)}` };
}

/** Finds the position at a point of the window; undefined outside of the canvases. */
export function findPointAt(
  board: Board,
  element: EventTarget | null,
  x: number,
  y: number,
): TimelinePoint | undefined {
  const plot = element instanceof Element ? board.findPlot(element) : undefined;
  if (!plot) return undefined;
  const box = plot.box.getBoundingClientRect();
  const { from, until } = board.view();
  const share = Math.min(1, Math.max(0, (x - box.left) / box.width));
  const lane = Math.min(plot.lanes.length - 1, Math.max(0, Math.floor((y - box.top) / plot.measures.lane)));
  return { plot, lane, percent: from + share * (until - from) };
}

/** Creates the tip and the cursor line. They bypass React, because they may move with every frame. */
export function createTip(
  board: Board,
  parts: { readonly root: HTMLElement; readonly tip: HTMLElement; readonly line: HTMLElement },
) {
  const { root, tip, line } = parts;
  const [name, clock, what] = ['name', 'clock', 'what'].map((part) => tip.querySelector(`[data-part=${part}]`));
  const dot = tip.querySelector<HTMLElement>('[data-part=dot]');
  const hide = (): void => {
    tip.hidden = true;
    line.hidden = true;
  };
  return {
    hide,
    show: (spot: TimelinePoint): void => {
      const reading = describePoint(spot);
      if (!reading) {
        hide();
        return;
      }
      if (name) name.textContent = reading.name;
      if (clock) clock.textContent = reading.clock;
      if (what) what.textContent = reading.what;
      dot?.style.setProperty('background', reading.colour);
      const { plot, lane, percent } = spot;
      const [box, place] = [plot.box.getBoundingClientRect(), root.getBoundingClientRect()];
      const { from, until } = board.view();
      const x = box.left - place.left + ((percent - from) / (until - from)) * box.width;
      const top = box.top - place.top;
      line.hidden = false;
      line.style.translate = `${x}px ${top}px`;
      line.style.height = `${box.height}px`;
      tip.hidden = false;
      const left = Math.min(Math.max(4, x - tip.offsetWidth / 2), place.width - tip.offsetWidth - 4);
      tip.style.translate = `${left}px ${top + lane * plot.measures.lane - tip.offsetHeight - 6}px`;
    },
  };
}
export type TooltipPosition = ReturnType<typeof createTip>;
