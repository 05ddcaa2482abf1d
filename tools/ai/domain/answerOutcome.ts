import { MAX_ANSWER_LENGTH, type AnswerState } from '../contract.ts';

/** The state of an answer that has ended, and a sentence if it is not complete. */
export interface AnswerOutcome {
  readonly state: Exclude<AnswerState, 'running'>;
  readonly error?: string;
}

export const STOPPED: AnswerOutcome = { state: 'stopped' };
export const TOO_SLOW: AnswerOutcome = { state: 'failed', error: 'The model took too long. Try again' };
export const TOO_LONG: AnswerOutcome = {
  state: 'cut',
  error: 'The answer took longer than 10 minutes and was cut off here',
};
export const TOO_LARGE: AnswerOutcome = {
  state: 'cut',
  error: `The answer reached ${MAX_ANSWER_LENGTH.toLocaleString('en')} characters and was cut off here`,
};
export const RESTARTED: AnswerOutcome = { state: 'failed', error: 'The server was restarted. Ask again' };

interface EndReason {
  /** The names that servers use for this reason. */
  readonly names: readonly string[];
  readonly error: string;
  /** Replaces `error` if the answer is empty. */
  readonly errorWithoutText?: string;
  /** The text is not an answer. */
  readonly isFailure?: true;
}

/** The reasons that mean an incomplete answer. */
const END_REASONS: readonly EndReason[] = [
  {
    names: ['length', 'max_tokens', 'model_length'],
    error: 'The answer reached the limit of the model and was cut off here',
    errorWithoutText: 'The model reached its limit before it answered. Try a shorter prompt',
  },
  {
    names: ['content_filter', 'content-filter', 'safety', 'recitation', 'refusal'],
    error: 'The AI server withheld the answer',
    isFailure: true,
  },
  {
    names: ['tool_calls', 'function_call', 'tool_use'],
    error: 'The model asked for a tool, but no tools are available here',
  },
  { names: ['damaged'], error: 'Part of the answer could not be read' },
  {
    names: ['error', 'abort', 'insufficient_system_resource'],
    error: 'The AI server stopped in the middle of the answer',
  },
];
const UNKNOWN_END_REASON: EndReason = {
  names: [],
  error: 'The AI server stopped here, so the answer may be incomplete',
  errorWithoutText: 'The AI server closed the connection without an answer. Try again',
};

/** Returns the outcome of a completion from the server's end reason and the text without reasoning. */
export function getOutcome(reason: string | undefined, text: string): AnswerOutcome {
  const isEmpty = text.trim() === '';
  const endReason = reason === undefined ? UNKNOWN_END_REASON : END_REASONS.find(({ names }) => names.includes(reason));
  // Servers have many names for a complete answer: stop, eos, end_turn, stop_sequence …
  if (!endReason)
    return isEmpty ? { state: 'failed', error: 'The AI server sent an empty answer. Try again' } : { state: 'done' };
  const error = isEmpty ? (endReason.errorWithoutText ?? endReason.error) : endReason.error;
  return { state: isEmpty || endReason.isFailure ? 'failed' : 'cut', error };
}
