import type { Answer, AnswerState, AnswerEnd, AnswerPiece } from '../contract.ts';
import { isOpeningTagPrefix, separateThoughts, type SeparatedAnswer } from './thoughts.ts';

/** An answer as the page shows it. */
export interface ShownAnswer {
  readonly answerid: number;
  /** Empty if another page of this browser sent the prompt. */
  readonly prompt: string;
  readonly text: string;
  /** Reasoning that arrived separately. `separatedAnswer` adds the reasoning marked in the text. */
  readonly thoughts: string;
  readonly state: AnswerState;
  readonly error: string | undefined;
  readonly waiting: boolean;
}

/** The text that a chunk continues. */
export type AnswerPart = 'text' | 'thoughts';

/** Answers since the page was opened, in the order of their questions. */
export type Thread = readonly ShownAnswer[];

const createAnswer = (answerid: number): ShownAnswer => ({
  answerid,
  prompt: '',
  text: '',
  thoughts: '',
  state: 'running',
  error: undefined,
  waiting: false,
});

/** Changes one answer, and adds it first if it is new. */
const withChange = (thread: Thread, answerid: number, change: (before: ShownAnswer) => ShownAnswer): Thread =>
  thread.some((shown) => shown.answerid === answerid)
    ? thread.map((shown) => (shown.answerid === answerid ? change(shown) : shown))
    : [...thread, change(createAnswer(answerid))].toSorted((one, other) => one.answerid - other.answerid);

const find = (thread: Thread, id: number): ShownAnswer | undefined => thread.find(({ answerid }) => answerid === id);

const isEnded = ({ state }: { readonly state: AnswerState }): boolean => state !== 'running';

/** Adds a question of this page that the server accepted. Its first chunks, or its end, may have arrived before. */
export function withQuestion(
  thread: Thread,
  { answerid, prompt, waiting }: { readonly answerid: number; readonly prompt: string; readonly waiting: number },
): Thread {
  return withChange(thread, answerid, (before) => ({
    ...before,
    prompt,
    waiting: waiting > 0 && before.text === '' && !isEnded(before),
  }));
}

/** Returns whether chunks before this one are missing, so the answer must be loaded. */
export function misses(thread: Thread, { answerid, at }: AnswerPiece, part: AnswerPart = 'text'): boolean {
  return at > (find(thread, answerid)?.[part].length ?? 0);
}

/** Adds a chunk. Ignores the part that is already known; a chunk after a gap waits until the answer is loaded. */
export function withPiece(thread: Thread, piece: AnswerPiece, part: AnswerPart = 'text'): Thread {
  const { answerid, at, data } = piece;
  if (misses(thread, piece, part)) return thread;
  return withChange(thread, answerid, (before) => ({
    ...before,
    waiting: false,
    [part]: before[part] + data.slice(before[part].length - at),
  }));
}

/**
 * Ends an answer, also if its question is not accepted yet. Ignores a complete answer without any chunk: there
 * is nothing to show.
 */
export function withEnding(thread: Thread, { answerid, state, error }: AnswerEnd): Thread {
  return state === 'done' && find(thread, answerid) === undefined
    ? thread
    : withChange(thread, answerid, (before) => ({ ...before, state, error, waiting: false }));
}

/**
 * Merges the answers that the server lists. New ones are added while they run; an ended answer never runs again, and no
 * text gets shorter.
 */
export function withAnswers(thread: Thread, answers: readonly Answer[]): Thread {
  let merged = thread;
  for (const { answerid, prompt, text, thoughts = '', state, error, waiting } of answers) {
    if (state !== 'running' && find(merged, answerid) === undefined) continue;
    merged = withChange(merged, answerid, (before) => ({
      answerid,
      prompt,
      text: text.length > before.text.length ? text : before.text,
      thoughts: thoughts.length > before.thoughts.length ? thoughts : before.thoughts,
      ...(isEnded(before) ? { state: before.state, error: before.error } : { state, error }),
      waiting: waiting && !isEnded(before) && before.text === '',
    }));
  }
  return merged;
}

/** Separates the answer from all reasoning, however the AI server sent it. */
export function separatedAnswer({
  text,
  thoughts,
  state,
}: Pick<ShownAnswer, 'text' | 'thoughts' | 'state'>): SeparatedAnswer {
  if (state === 'running' && isOpeningTagPrefix(text)) return { text: '', thoughts };
  const separated = separateThoughts(text);
  const all = [thoughts, separated.thoughts].filter((one) => one.trim() !== '');
  return { text: separated.text, thoughts: all.join('\n\n') };
}

/** Returns the text of all answers since the page was opened, for the 'console' button. */
export function wholeText(thread: Thread): string {
  return thread.map((shown) => separatedAnswer(shown).text).join('\n\n');
}
