import type { Line } from './useHistory.ts';

const DAY_MS = 86_400_000;
const dayOf = (moment: Date): number => new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime();

const two = (value: number): string => String(value).padStart(2, '0');

/** '19-11-2026'. */
export const shortDate = (milliseconds: number): string => {
  const moment = new Date(milliseconds);
  return `${two(moment.getDate())}-${two(moment.getMonth() + 1)}-${moment.getFullYear()}`;
};

/** 'Today', 'Yesterday' or 'Thursday 19-11-2026'. */
export const dayName = (seconds: number, now: number): string => {
  const moment = new Date(seconds * 1000);
  const days = Math.round((dayOf(new Date(now)) - dayOf(moment)) / DAY_MS);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return `${moment.toLocaleDateString('en', { weekday: 'long' })} ${shortDate(moment.getTime())}`;
};

/** '13:58'. */
export const clockTime = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });

/** After that nobody answers any more (5 s) and the outcome was not written down either. */
const FORGOTTEN_MS = 20_000;

/** What became of a message: under way, done, or the sentence that says why not. */
export const outcomeOf = (
  line: Extract<Line, { from: 'person' }>,
  now: number,
): { readonly state: 'pending' | 'ok' | 'failed'; readonly words: string } => {
  if (line.outcome === 'ok') return { state: 'ok', words: 'ok' };
  if (line.outcome !== '') return { state: 'failed', words: line.outcome };
  return now - line.timesent * 1000 > FORGOTTEN_MS
    ? { state: 'failed', words: 'outcome not known' }
    : { state: 'pending', words: 'Sending' };
};
