import type { Answer, AnswerState, AnswerEnd, AnswerChunk } from '../contract.ts';
import { isOpeningTagPrefix, separateThoughts, type SeparatedAnswer } from './thoughts.ts';

/** An answer as the page shows it. */
export interface ThreadAnswer {
  readonly answerid: number;
  /** Empty if another page of this browser sent the prompt. */
  readonly prompt: string;
  readonly text: string;
  /** Reasoning that arrived separately. `separateAnswer` adds the reasoning marked in the text. */
  readonly thoughts: string;
  readonly state: AnswerState;
  readonly error: string | undefined;
  readonly waiting: boolean;
}

/** The field that a chunk continues. */
export type AnswerPart = 'text' | 'thoughts';

/** Answers since the page was opened, in the order of their questions. */
export type Thread = readonly ThreadAnswer[];

const createAnswer = (answerid: number): ThreadAnswer => ({
  answerid,
  prompt: '',
  text: '',
  thoughts: '',
  state: 'running',
  error: undefined,
  waiting: false,
});

/** Changes an answer, which is added if it is new. */
const updateAnswer = (thread: Thread, answerid: number, change: (current: ThreadAnswer) => ThreadAnswer): Thread =>
  thread.some((answer) => answer.answerid === answerid)
    ? thread.map((answer) => (answer.answerid === answerid ? change(answer) : answer))
    : [...thread, change(createAnswer(answerid))].toSorted((one, other) => one.answerid - other.answerid);

const findAnswer = (thread: Thread, id: number): ThreadAnswer | undefined =>
  thread.find(({ answerid }) => answerid === id);

const hasEnded = ({ state }: { readonly state: AnswerState }): boolean => state !== 'running';

/** Adds a question that the server accepted. Its first chunks, or its end, may have arrived already. */
export function addQuestion(
  thread: Thread,
  { answerid, prompt, waiting }: { readonly answerid: number; readonly prompt: string; readonly waiting: number },
): Thread {
  return updateAnswer(thread, answerid, (current) => ({
    ...current,
    prompt,
    waiting: waiting > 0 && current.text === '' && !hasEnded(current),
  }));
}

/** Returns whether chunks before this one are missing, so that the answer must be loaded. */
export function hasGapBefore(thread: Thread, { answerid, at }: AnswerChunk, part: AnswerPart = 'text'): boolean {
  return at > (findAnswer(thread, answerid)?.[part].length ?? 0);
}

/** Adds a chunk. Ignores text that the answer has already, and a chunk after a gap. */
export function addChunk(thread: Thread, chunk: AnswerChunk, part: AnswerPart = 'text'): Thread {
  const { answerid, at, data } = chunk;
  if (hasGapBefore(thread, chunk, part)) return thread;
  return updateAnswer(thread, answerid, (current) => ({
    ...current,
    waiting: false,
    [part]: current[part] + data.slice(current[part].length - at),
  }));
}

/** Ends an answer, also before its question is accepted. Ignores a complete answer that has no chunk. */
export function endAnswer(thread: Thread, { answerid, state, error }: AnswerEnd): Thread {
  return state === 'done' && findAnswer(thread, answerid) === undefined
    ? thread
    : updateAnswer(thread, answerid, (current) => ({ ...current, state, error, waiting: false }));
}

/** Merges the answers that the server lists. Adds new ones if they run. No answer restarts or gets shorter. */
export function mergeAnswers(thread: Thread, answers: readonly Answer[]): Thread {
  let merged = thread;
  for (const { answerid, prompt, text, thoughts = '', state, error, waiting } of answers) {
    if (state !== 'running' && findAnswer(merged, answerid) === undefined) continue;
    merged = updateAnswer(merged, answerid, (current) => ({
      answerid,
      prompt,
      text: text.length > current.text.length ? text : current.text,
      thoughts: thoughts.length > current.thoughts.length ? thoughts : current.thoughts,
      ...(hasEnded(current) ? { state: current.state, error: current.error } : { state, error }),
      waiting: waiting && !hasEnded(current) && current.text === '',
    }));
  }
  return merged;
}

/** Separates the text of an answer from all of its reasoning. */
export function separateAnswer(answer: Pick<ThreadAnswer, 'text' | 'thoughts' | 'state'>): SeparatedAnswer {
  const { text, thoughts, state } = answer;
  if (state === 'running' && isOpeningTagPrefix(text)) return { text: '', thoughts };
  const separated = separateThoughts(text);
  const allThoughts = [thoughts, separated.thoughts].filter((part) => part.trim() !== '');
  return { text: separated.text, thoughts: allThoughts.join('\n\n') };
}

/** Returns the text of all answers since the page was opened, for the 'console' button. */
export function getWholeText(thread: Thread): string {
  return thread.map((answer) => separateAnswer(answer).text).join('\n\n');
}
