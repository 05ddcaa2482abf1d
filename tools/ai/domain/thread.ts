import type { Answer, AnswerState, AnswerEnd, AnswerPiece } from '../contract.ts';
import { isOpeningTagPrefix, separateThoughts, type SeparatedAnswer } from './thoughts.ts';

/** An answer as the page shows it. */
export interface ShownAnswer {
  readonly answerid: number;
  /** Empty where another page of this browser asked and this one does not know what. */
  readonly prompt: string;
  readonly text: string;
  /** Thoughts that came apart from the text; `separatedAnswer` adds those that the text marks. */
  readonly thoughts: string;
  readonly state: AnswerState;
  readonly error: string | undefined;
  readonly waiting: boolean;
}

/** What a piece continues. */
export type AnswerPart = 'text' | 'thoughts';

/** The answers of a visit, in the order of their questions. */
export type Thread = readonly ShownAnswer[];

const fresh = (answerid: number): ShownAnswer => ({
  answerid,
  prompt: '',
  text: '',
  thoughts: '',
  state: 'running',
  error: undefined,
  waiting: false,
});

/** Changes one answer, which is put in where it is new. */
const changed = (thread: Thread, answerid: number, change: (before: ShownAnswer) => ShownAnswer): Thread =>
  thread.some((shown) => shown.answerid === answerid)
    ? thread.map((shown) => (shown.answerid === answerid ? change(shown) : shown))
    : [...thread, change(fresh(answerid))].toSorted((one, other) => one.answerid - other.answerid);

const find = (thread: Thread, id: number): ShownAnswer | undefined => thread.find(({ answerid }) => answerid === id);

const isEnded = ({ state }: { readonly state: AnswerState }): boolean => state !== 'running';

/** A question of this page was taken in. Its first pieces, or its end, may have been faster. */
export function withQuestion(
  thread: Thread,
  { answerid, prompt, waiting }: { readonly answerid: number; readonly prompt: string; readonly waiting: number },
): Thread {
  return changed(thread, answerid, (before) => ({
    ...before,
    prompt,
    waiting: waiting > 0 && before.text === '' && !isEnded(before),
  }));
}

/** Whether something before this piece did not arrive: the server has to be asked. */
export function misses(thread: Thread, { answerid, at }: AnswerPiece, part: AnswerPart = 'text'): boolean {
  return at > (find(thread, answerid)?.[part].length ?? 0);
}

/** A piece that is there already, wholly or in part, is not put in again; one behind a gap waits for what the server says. */
export function withPiece(thread: Thread, piece: AnswerPiece, part: AnswerPart = 'text'): Thread {
  const { answerid, at, data } = piece;
  if (misses(thread, piece, part)) return thread;
  return changed(thread, answerid, (before) => ({
    ...before,
    waiting: false,
    [part]: before[part] + data.slice(before[part].length - at),
  }));
}

/** An answer that failed at once may have ended before its question was taken in. One that is done has text: a page that heard none of it has nothing to show. */
export function withEnding(thread: Thread, { answerid, state, error }: AnswerEnd): Thread {
  return state === 'done' && find(thread, answerid) === undefined
    ? thread
    : changed(thread, answerid, (before) => ({ ...before, state, error, waiting: false }));
}

/** What the server says of all answers. One that is new is shown while it runs; what has ended here does not run again, and no text gets shorter. */
export function withTold(thread: Thread, answers: readonly Answer[]): Thread {
  let told = thread;
  for (const { answerid, prompt, text, thoughts = '', state, error, waiting } of answers) {
    if (state !== 'running' && find(told, answerid) === undefined) continue;
    told = changed(told, answerid, (before) => ({
      answerid,
      prompt,
      text: text.length > before.text.length ? text : before.text,
      thoughts: thoughts.length > before.thoughts.length ? thoughts : before.thoughts,
      ...(isEnded(before) ? { state: before.state, error: before.error } : { state, error }),
      waiting: waiting && !isEnded(before) && before.text === '',
    }));
  }
  return told;
}

/** The answer apart from all thoughts, whichever way the AI server sent them. */
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

/** Everything that was answered in this visit, as the 'console' button writes it. */
export function wholeText(thread: Thread): string {
  return thread.map((shown) => separatedAnswer(shown).text).join('\n\n');
}
