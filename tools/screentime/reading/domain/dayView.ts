import { WHOLE_DAY, type View } from './lane.ts';

/** Half an hour of a day of 24. */
const MIN_SPAN_PERCENT = 100 / 48;
/** Labels of the axis stand at least so far apart, in px. */
const LABEL_PX = 46;
/** In minutes. */
const STEPS = [5, 10, 15, 30, 60, 120, 180, 240, 360, 720] as const;
const DAY = 1440;

const placed = (from: number, span: number): View => {
  const begin = Math.min(Math.max(0, from), 100 - span);
  return { from: begin, until: begin + span };
};

/** The view drawn together (`factor` under 1) or apart round the place `at`, 0 to 1 within it, which stays where it is. */
export const zoomed = ({ from, until }: View, at: number, factor: number): View => {
  const span = until - from;
  const next = Math.min(100, Math.max(MIN_SPAN_PERCENT, span * factor));
  return next === 100 ? WHOLE_DAY : placed(from + at * (span - next), next);
};

/** Moved by a share of itself, within the day. */
export const panned = ({ from, until }: View, share: number): View =>
  placed(from + share * (until - from), until - from);

/** Minutes of the clock at which the axis has a label. */
export const axisMinutes = ({ from, until }: View, width: number): readonly number[] => {
  const minutes = ((until - from) / 100) * DAY;
  const step = STEPS.find((each) => (each / minutes) * width >= LABEL_PX) ?? 720;
  const first = Math.ceil((from / 100) * (DAY / step) - 1e-9);
  const last = Math.floor((until / 100) * (DAY / step) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) * step);
};

const two = (value: number): string => String(value).padStart(2, '0');

/** `09`, or `09:30` where it is no full hour. */
export const axisLabel = (minute: number): string =>
  minute % 60 === 0 ? two(minute / 60) : `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
