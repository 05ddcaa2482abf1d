import { UNREACHABLE_MESSAGE } from '#platform/contract/client.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import type { SentLine } from './lines.ts';

/** After that nobody answers any more (5 s) and the outcome was not written down either. */
const FORGOTTEN_MS = 20_000;

/** What became of a message: under way, done, or the sentence that says why not. */
export function outcomeOf(
  line: SentLine,
  now: number,
): { readonly state: 'pending' | 'ok' | 'failed'; readonly words: string } {
  if (line.outcome === 'ok') return { state: 'ok', words: 'ok' };
  // The notice says why; many lines that say the same say less.
  if (line.outcome === UNREACHABLE_MESSAGE) return { state: 'failed', words: 'Not sent' };
  if (line.outcome !== '') return { state: 'failed', words: line.outcome };
  return now - getReceivedMs(line) > FORGOTTEN_MS
    ? { state: 'failed', words: 'outcome not known' }
    : { state: 'pending', words: 'Sending' };
}
