import { formatClockTime, formatShortDate } from '#platform/web/browser/formats.ts';
import type { Video } from './useGallery.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** '1:12', '1:02:03'. */
export const lengthText = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
};

/** '20-11-2026 21:04', from seconds since the epoch. */
export const momentText = (seconds: number): string =>
  `${formatShortDate(seconds * 1000)} ${formatClockTime(seconds * 1000)}`;

/** The day is named once where both lie in it. */
export const endText = (start: number, end: number): string =>
  formatShortDate(start * 1000) === formatShortDate(end * 1000) ? formatClockTime(end * 1000) : momentText(end);

export const countText = (count: number): string => `${count} ${count === 1 ? 'video' : 'videos'}`;

/** What a video is called: its time where nobody gave it a title. */
export const nameOf = ({ title, start }: Video): string => (title === '' ? formatClockTime(start * 1000) : title);

const UNFIT = /[\p{Cc}\p{Cf}"*/:<>?\\|]+/gu;

/** Under which it is downloaded. */
export const fileNameOf = (video: Video): string =>
  `${`${momentText(video.start).replace(':', '.')} ${video.title}`.replaceAll(UNFIT, '_').trim()}.webm`;

export const pictureAddress = ({ file, signature }: Video): string => `/api/cwservet/${file}.png${signature}`;
export const videoAddress = ({ file, signature }: Video): string => `/api/cwservev/${file}.webm${signature}`;
