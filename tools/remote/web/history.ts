import type { Line } from './useHistory.ts';

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
