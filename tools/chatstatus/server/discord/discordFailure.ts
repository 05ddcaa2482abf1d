/** What is known of a connection that failed. */
export interface FailedConnection {
  /** The gateway's close code. */
  readonly closed?: number | undefined;
  /** HTTP status of the API. */
  readonly status?: number | undefined;
  /** What was said of it. */
  readonly said: string;
}

/** A failure in words, and when to try again. */
export interface Trouble {
  readonly sentence: string;
  readonly retryMs: number;
}

/** Nobody but the operator can mend it: often enough to see that they did. */
const MENDED_BY_HAND_MS = 5 * 60_000;
const PASSING_MS = 30_000;

const BAD_TOKEN: Trouble = {
  sentence: 'Discord refused the token of the bot, which DISCORD_TOKEN holds. Nothing is recorded meanwhile',
  retryMs: MENDED_BY_HAND_MS,
};
const NO_INTENT: Trouble = {
  sentence:
    'Discord does not let the bot see who is online: its owner switches on Presence Intent in the developer portal. Nothing is recorded meanwhile',
  retryMs: MENDED_BY_HAND_MS,
};
const OFFLINE: Trouble = {
  sentence: 'Discord cannot be reached; it is tried again by itself. Nothing is recorded meanwhile',
  retryMs: PASSING_MS,
};

const AUTHENTICATION_FAILED = 4004;
const DISALLOWED_INTENTS = 4014;

/** What is wrong, for the page. What Discord said itself is not quoted: it may hold the token. */
export const troubleOf = ({ closed, status, said }: FailedConnection): Trouble => {
  if (closed === DISALLOWED_INTENTS || /disallowed intents/i.test(said)) return NO_INTENT;
  if (closed === AUTHENTICATION_FAILED || status === 401 || /authentication failed|invalid token/i.test(said))
    return BAD_TOKEN;
  return OFFLINE;
};
