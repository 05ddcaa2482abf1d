import { UNREACHABLE_MESSAGE } from '#platform/contract/client.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import type { SentLine } from './useHistory.ts';

/** After this time no answer can arrive any more (timeout 5 s), and no outcome was stored. */
const FORGOTTEN_MS = 20_000;

/** Describes the outcome of a message: pending, done, or failed with the reason. */
export function describeOutcome(
  line: SentLine,
  now: number,
): { readonly state: 'pending' | 'ok' | 'failed'; readonly words: string } {
  if (line.outcome === 'ok') return { state: 'ok', words: 'ok' };
  // The notice has the reason; repeating it on many lines does not help.
  if (line.outcome === UNREACHABLE_MESSAGE) return { state: 'failed', words: 'Not sent' };
  if (line.outcome !== '') return { state: 'failed', words: line.outcome };
  return now - getReceivedMs(line) > FORGOTTEN_MS
    ? { state: 'failed', words: 'Outcome unknown' }
    : { state: 'pending', words: 'Sending' };
}
