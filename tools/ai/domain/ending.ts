import { ANSWER_LIMIT, type AnswerState } from '../contract.ts';

/** How an answer ended, with the sentence that says why where it did not end by itself. */
export interface Outcome {
  readonly state: Exclude<AnswerState, 'running'>;
  readonly error?: string;
}

export const STOPPED: Outcome = { state: 'stopped' };
export const TOO_SLOW: Outcome = { state: 'failed', error: 'The model took too long' };
export const TOO_LONG: Outcome = { state: 'cut', error: 'The answer took longer than 10 minutes and was cut here' };
export const TOO_LARGE: Outcome = {
  state: 'cut',
  error: `The answer reached ${ANSWER_LIMIT} characters and was cut here`,
};
export const RESTARTED: Outcome = { state: 'failed', error: 'the server was restarted' };
const BROKEN_OFF: Outcome = { state: 'failed', error: 'The AI server broke the answer off' };

/** What a stream that came to its end means, by the reason that the AI server gave for it. */
export const outcomeOf = (reason: string | undefined, text: string): Outcome => {
  const isEmpty = text.trim() === '';
  if (reason === 'stop')
    return isEmpty ? { state: 'failed', error: 'The AI server gave an empty answer' } : { state: 'done' };
  if (reason === 'length')
    return isEmpty
      ? { state: 'failed', error: 'The model reached its limit before it had answered' }
      : { state: 'cut', error: "The answer reached the model's limit and was cut here" };
  if (reason === 'content-filter') return { state: 'failed', error: 'The AI server withheld the answer' };
  return BROKEN_OFF;
};
