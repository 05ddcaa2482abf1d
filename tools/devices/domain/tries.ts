/** Wrong codes that one account has entered. */
export interface Tries {
  readonly wrong: number;
  /** Milliseconds since the epoch. */
  readonly last: number;
}

export const WRONG_LIMIT = 5;
export const WRONG_WAIT_MS = 600_000;

export const NO_TRIES: Tries = { wrong: 0, last: 0 };

/** Milliseconds for which the account has to wait; 0 where it may try. */
export const waitOf = ({ wrong, last }: Tries, now: number): number =>
  wrong >= WRONG_LIMIT ? Math.max(0, last + WRONG_WAIT_MS - now) : 0;

/** After another wrong code. Wrong ones are forgotten ten minutes after the last. */
export const afterWrong = ({ wrong, last }: Tries, now: number): Tries => ({
  wrong: now - last >= WRONG_WAIT_MS ? 1 : wrong + 1,
  last: now,
});
