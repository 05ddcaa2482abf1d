import type { Status } from '../../contract/limits.ts';
import { toIso } from '../../usage/domain/date.ts';
import { DAY_SECONDS } from '../../usage/domain/days.ts';

/** A stretch as an export writes it. */
export interface ExportedInterval {
  readonly computer: string;
  readonly application: string;
  readonly category: string;
  readonly status: Status;
  /** Seconds since the epoch. */
  readonly from: number;
  readonly until: number;
}

const WORDS: Readonly<Record<Status, string>> = { on: 'focused', off: 'open', s: 'playing', r: 'recording' };

const two = (value: number): string => String(value).padStart(2, '0');

/** ISO 8601, UTC: `2026-11-22T19:58:05Z`. A tenth of the time that Temporal takes, and an export has millions. */
export const instantText = (seconds: number): string => {
  const day = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds - day * DAY_SECONDS;
  const [hours, minutes] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60];
  return `${toIso(day)}T${two(hours)}:${two(minutes)}:${two(rest % 60)}Z`;
};

/** RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe, by which it stays a text. */
const field = (text: string): string => {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

const fieldsOf = ({ computer, application, category, status, from, until }: ExportedInterval) => ({
  computer,
  application,
  category,
  status: WORDS[status],
  from: instantText(from),
  until: instantText(until),
  seconds: until - from,
});

export const CSV_HEAD = 'computer,application,category,status,from,until,seconds\r\n';
export const csvLine = (stretch: ExportedInterval): string =>
  `${Object.values(fieldsOf(stretch))
    .map((value) => field(String(value)))
    .join(',')}\r\n`;
export const jsonOf = (stretch: ExportedInterval): string => JSON.stringify(fieldsOf(stretch));
