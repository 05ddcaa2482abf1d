import { LONGEST, SECOND, SHORTEST, type Milliseconds } from './countdown.ts';

/** What a number field's text comes to: a length, or the sentence to show beside the field. */
export type Read = { readonly length: Milliseconds } | { readonly problem: string };

const MOST = LONGEST / SECOND;
const LEAST = SHORTEST / SECOND;

const problemOf = (text: string): string | undefined => {
  if (text === '') return 'Write how many seconds.';
  if (/^[-\u2212]\s*\d/u.test(text)) return 'Time cannot be negative: write 1 second or more.';
  if (/^\d*[.,]\d+$/.test(text)) return 'Write whole seconds, without a fraction.';
  if (/^\d+:\d+/.test(text)) return 'Write the time in seconds alone: 10:00 is 600.';
  if (!/^\+?\d+$/.test(text)) return 'Write a number of seconds in digits, such as 600.';
  if (Number(text) < LEAST) return 'Write 1 second or more.';
  if (Number(text) > MOST) return `Write at most ${MOST} seconds: that is 100 hours.`;
  return undefined;
};

/** The two fields 'change loop time' and 'change time left': whole seconds, in digits. */
export const readSeconds = (typed: string): Read => {
  const text = typed.trim();
  const problem = problemOf(text);
  return problem === undefined ? { length: Number(text) * SECOND } : { problem };
};
