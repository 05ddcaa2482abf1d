/** What is known of a call to the AI server that failed. */
export interface FailedCall {
  /** HTTP status; undefined where it gave none. */
  readonly status: number | undefined;
  /** What the AI server says itself. */
  readonly said: string;
  /** The code of the network's error, such as ECONNREFUSED. */
  readonly code: string | undefined;
}

const BROKEN_OFF = 'The AI server broke the answer off';
const SAID_LIMIT = 200;

/** The AI server's own words: one line, cut, without the key. */
const quoted = (said: string, key: string | undefined): string => {
  const hidden = key === undefined ? said : said.replaceAll(key, '***');
  const line = hidden.replaceAll(/\s+/g, ' ').trim();
  return line.length > SAID_LIMIT ? `${line.slice(0, SAID_LIMIT).toWellFormed()}…` : line;
};

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'The AI server refused the key; AI_API_KEY holds it',
  403: 'The AI server refused the key; AI_API_KEY holds it',
  404: 'The AI server knows no such model or address; AI_MODEL and AI_BASE_URL hold them',
  429: 'The AI server has too much to do; try again in a moment',
};

/** Why there is no answer, in a sentence for whoever asked. */
export const sentenceOf = ({ status, said, code }: FailedCall, key: string | undefined): string => {
  const sentence = status === undefined ? undefined : BY_STATUS[status];
  if (sentence !== undefined) return sentence;
  const words = quoted(said, key);
  const ending = words === '' ? '' : `: ${words}`;
  if (status !== undefined && status >= 400) return `The AI server answered ${status}${ending}`;
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return BROKEN_OFF;
  if (code !== undefined) return 'The AI server cannot be reached; it may not be running';
  return words === '' ? BROKEN_OFF : `The AI server could not answer${ending}`;
};
