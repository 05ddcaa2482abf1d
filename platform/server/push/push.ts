/** What a browser shows. */
export interface PushMessage {
  readonly title: string;
  /** Lines are split by `\n`. What goes over 3 KB in all is cut off. */
  readonly body: string;
  /** What a click opens, of this site. */
  readonly path: `/${string}`;
  /** A later one with the same tag takes the place of the earlier. */
  readonly tag: string;
}

/** In browsers. `failed` could not be reached this time; those that have ended are in neither. */
export interface PushOutcome {
  readonly sent: number;
  readonly failed: number;
}

/** Notifications to browsers that asked for them, also while no page of ours is open (Web Push: RFC 8030, 8291, 8292). */
export interface Push {
  /** To all browsers of the account that are signed in, or to the one with this endpoint. */
  readonly send: (account: number, message: PushMessage, endpoint?: string) => Promise<PushOutcome>;
  /** Accounts that have a browser to notify. */
  readonly listAccounts: () => Promise<readonly number[]>;
}
