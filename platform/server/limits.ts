/** Rates by session and address (reliability.md section 3). */
export interface Limits {
  /** Counts one use. @throws TooMany when there were more than `times` in `seconds`. */
  readonly use: (name: string, key: string, rate: { readonly times: number; readonly seconds: number }) => Promise<void>;
}

/** Answered as 429 with `Retry-After`. */
export class TooMany extends Error {
  override readonly name = 'TooMany';
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, message = 'Too many requests, try again later') {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
