/** What a person has said of an artist or an album. */
export interface Mark {
  /** Milliseconds since the epoch. */
  readonly starred: number | undefined;
  /** 1 to 5; 0 for none. */
  readonly rating: number;
}
