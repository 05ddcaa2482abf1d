/** What a browser shows. */
export interface PushMessage {
  readonly title: string;
  /** May have several lines. A message of more than 3 KB is cut. */
  readonly body: string;
  /** Page of this site that a click opens. */
  readonly path: `/${string}`;
  /** A later message with the same tag replaces the earlier one. */
  readonly tag: string;
}

/** Numbers of browsers. `failed` could not be reached now; expired subscriptions are not counted. */
export interface PushOutcome {
  readonly sent: number;
  readonly failed: number;
}

/** Sends notifications to subscribed browsers, also without an open page (Web Push: RFC 8030, 8291, 8292). */
export interface Push {
  /** Sends to all browsers of the account with a session, or to the one with this endpoint. */
  readonly send: (account: number, message: PushMessage, endpoint?: string) => Promise<PushOutcome>;
  /** Lists accounts with at least one subscribed browser. */
  readonly listAccounts: () => Promise<readonly number[]>;
}
