import { resolveColour } from '#platform/web/theme/scheme.ts';
import type { Status } from '../domain/status.ts';
import type { ShownDay } from './dayViews.ts';

export const BAR_HEIGHT = 28;

/** Statuses are told by height and pattern as well as by colour. */
const SHARE: Readonly<Record<Status, number>> = { online: 1, idle: 0.62, dnd: 1, offline: 0.14, unknown: 1 };
const HOUR = 3600;
const RADIUS = 2;
/** The shortest is seen. */
const MIN_BAR_PX = 2;
const HATCH_PX = 10;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Slanted lines, the same all along the bar. */
const hatch = (context: CanvasRenderingContext2D, { x, y, width, height }: Box): void => {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.beginPath();
  const first = Math.floor((x - height) / HATCH_PX) * HATCH_PX;
  for (let at = first; at < x + width; at += HATCH_PX) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.lineWidth = 2;
  context.stroke();
  context.restore();
};

const fill = (context: CanvasRenderingContext2D, box: Box): void => {
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, Math.min(RADIUS, box.width / 2));
  context.fill();
};

interface Look {
  readonly colours: Readonly<Record<string, string>>;
  /** Light or dark: tokens have the values of now. */
  readonly scheme: string;
  /** On the page. */
  readonly width: number;
}

/** Draws a day's bar into a canvas. */
export const paintDay = (canvas: HTMLCanvasElement, day: ShownDay, { colours, width }: Look): void => {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(BAR_HEIGHT * ratio);
  context.scale(ratio, ratio);
  const at = (moment: number): number => ((moment - day.from) / day.length) * width;
  context.fillStyle = resolveColour('var(--line-2)');
  for (let hour = HOUR; hour < day.length; hour += HOUR)
    context.fillRect(Math.round(at(day.from + hour)), 0, 1, BAR_HEIGHT);
  for (const { from, until, status } of day.stretches) {
    const height = Math.max(3, BAR_HEIGHT * SHARE[status]);
    const box = { x: at(from), y: BAR_HEIGHT - height, width: Math.max(MIN_BAR_PX, at(until) - at(from) - 1), height };
    if (status === 'unknown') {
      context.strokeStyle = resolveColour('var(--text-3)');
      hatch(context, box);
      continue;
    }
    context.fillStyle = colours[status] ?? resolveColour('var(--text-3)');
    fill(context, box);
    if (status !== 'dnd' || box.width < 9) continue;
    context.fillStyle = '#ffffffd9';
    context.fillRect(box.x + 3, BAR_HEIGHT / 2 - 1, box.width - 6, 2);
  }
};
