import { formatClockTime } from '#platform/web/browser/formats.ts';
import type { Status } from '#tools/screentime/contract/limits.ts';
import type { StoryInterval } from '../../domain/dayStory.ts';
import { dayClock } from '../timeline/dayClock.ts';
import type { Computers } from '../viewTypes.ts';

/** What each status is for a person. */
export const statusWords: Readonly<Record<Status, string>> = {
  on: 'In focus',
  off: 'Open',
  s: 'Playing',
  r: 'Recording',
};

export const computerName = (computers: Computers, device: number): string =>
  Object.hasOwn(computers, String(device)) ? (computers[String(device)] ?? '') : 'a removed computer';

/** Tells it apart from all others of a day. */
export const keyOf = ({ device, application, status, from }: StoryInterval): string =>
  [device, status, from, application].join(' ');

/** `09:12 to 09:40`, as the clock of this day shows it; its end is 24:00. */
export const timesOf = ({ from, until }: Pick<StoryInterval, 'from' | 'until'>, date: string): string => {
  const { begin, length } = dayClock(date);
  return `${formatClockTime(from)} to ${until === begin + length ? '24:00' : formatClockTime(until)}`;
};

const two = (value: number): string => String(value).padStart(2, '0');

/** A moment as a field of date and time has it: `2026-11-22T09:12:30`. */
export const fieldText = (moment: number): string => {
  const date = new Date(moment);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
};

/** The moment that such a field shows; undefined while it shows none. */
export const momentIn = (text: string): number | undefined => {
  const moment = new Date(text).getTime();
  return text === '' || Number.isNaN(moment) ? undefined : moment;
};
