/** What is known of a call to the AI server that failed. */
export interface FailedCall {
  /** Whether what came is no answer of an AI server at all, such as a web page. */
  readonly kind: 'failed' | 'not a completion';
  /** HTTP status; undefined where it gave none. */
  readonly status: number | undefined;
  /** What the AI server says itself. */
  readonly said: string;
  /** The code of the network's error, such as ECONNREFUSED. */
  readonly code: string | undefined;
}

const BROKEN_OFF = 'The connection to the AI server was lost before the answer was complete';
const NOT_A_COMPLETION =
  'What came back is not an answer of an AI server; check AI_BASE_URL, which usually ends with /v1';
const MAX_MESSAGE_LENGTH = 200;

/** The AI server's own words: one line, cut, without the key. */
const quoted = (said: string, key: string | undefined): string => {
  const hidden = key === undefined ? said : said.replaceAll(key, '***');
  const line = hidden.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}…` : line;
};

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'The AI server refused the key; AI_API_KEY holds it',
  403: 'The AI server refused the key; AI_API_KEY holds it',
  404: 'The AI server knows no such model or address; AI_MODEL and AI_BASE_URL hold them',
  429: 'The AI server has too much to do; try again in a moment',
};

/** Why there is no answer, in a sentence for whoever asked. */
export const sentenceOf = ({ kind, status, said, code }: FailedCall, key: string | undefined): string => {
  if (kind === 'not a completion') return NOT_A_COMPLETION;
  const sentence = status === undefined ? undefined : BY_STATUS[status];
  if (sentence !== undefined) return sentence;
  const words = quoted(said, key);
  const ending = words === '' ? '' : `: ${words}`;
  if (status !== undefined && status >= 400) return `The AI server answered ${status}${ending}`;
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'UND_ERR_BODY_TIMEOUT') return BROKEN_OFF;
  if (code !== undefined) return 'The AI server cannot be reached; it may not be running';
  return words === '' ? BROKEN_OFF : `The AI server could not answer${ending}`;
};
