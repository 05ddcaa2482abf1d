import { STATUSES, type Status } from '#tools/screentime/contract/limits.ts';
import { formatDuration } from '../../../usage/domain/formats.ts';
import { findIntervalAt } from '../../domain/lane.ts';
import type { Board, Plot } from './canvasBoard.ts';
import { getDayClock } from './dayClock.ts';

/** A position on the timeline: a lane of a day and a moment. */
export interface TimelinePoint {
  readonly plot: Plot;
  readonly lane: number;
  readonly percent: number;
}

export const STATUS_LABELS: Readonly<Record<Status, string>> = {
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
  const { formatTimeAt, length } = getDayClock(plot.date);
  const intervalIndex = row.lane ? findIntervalAt(row.lane, percent) : -1;
  const shared = { name: row.name, colour: row.colour, clock: formatTimeAt(percent) };
  if (!row.lane || intervalIndex < 0) return { ...shared, what: row.lane ? 'Not open' : 'Not loaded yet' };
  const [from, until] = [row.lane.froms[intervalIndex] ?? 0, row.lane.untils[intervalIndex] ?? 0];
  const statusLabel = STATUS_LABELS[STATUSES[row.lane.kinds[intervalIndex] ?? 0] ?? 'on'];
  const seconds = Math.round(((until - from) / 100) * (length / 1000));
  return {
    ...shared,
    what: `${statusLabel} ${formatTimeAt(from)} to ${formatTimeAt(until)}, ${formatDuration(seconds)}`,
  };
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
  const { from, until } = board.getView();
  const share = Math.min(1, Math.max(0, (x - box.left) / box.width));
  const lane = Math.min(plot.lanes.length - 1, Math.max(0, Math.floor((y - box.top) / plot.measures.lane)));
  return { plot, lane, percent: from + share * (until - from) };
}

/** Creates the tip and the cursor line. They bypass React, because they may move with every frame. */
export function createTooltip(
  board: Board,
  elements: { readonly root: HTMLElement; readonly tip: HTMLElement; readonly line: HTMLElement },
) {
  const { root, tip, line } = elements;
  const [name, clock, what] = ['name', 'clock', 'what'].map((part) => tip.querySelector(`[data-part=${part}]`));
  const dot = tip.querySelector<HTMLElement>('[data-part=dot]');
  function hide(): void {
    tip.hidden = true;
    line.hidden = true;
  }
  return {
    hide,
    show: (point: TimelinePoint): void => {
      const text = describePoint(point);
      if (!text) {
        hide();
        return;
      }
      if (name) name.textContent = text.name;
      if (clock) clock.textContent = text.clock;
      if (what) what.textContent = text.what;
      dot?.style.setProperty('background', text.colour);
      const { plot, lane, percent } = point;
      const [box, rootBox] = [plot.box.getBoundingClientRect(), root.getBoundingClientRect()];
      const { from, until } = board.getView();
      const x = box.left - rootBox.left + ((percent - from) / (until - from)) * box.width;
      const top = box.top - rootBox.top;
      line.hidden = false;
      line.style.translate = `${x}px ${top}px`;
      line.style.height = `${box.height}px`;
      tip.hidden = false;
      const left = Math.min(Math.max(4, x - tip.offsetWidth / 2), rootBox.width - tip.offsetWidth - 4);
      tip.style.translate = `${left}px ${top + lane * plot.measures.lane - tip.offsetHeight - 6}px`;
    },
  };
}
export type Tooltip = ReturnType<typeof createTooltip>;
