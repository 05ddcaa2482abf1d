import type { ClientEvent, DataOf, EventAnswerOf, SentDataOf, ServerEvent } from '#platform/contract/event.ts';

/** State of the one socket of this page: `off` before anybody needed it. */
export type LineState = 'off' | 'connected' | 'reconnecting';

export interface Realtime {
  /** Sends and waits for the acknowledgement. @throws Refusal, or CallFailed where nothing came back in 5 s. */
  readonly ask: <E extends ClientEvent>(event: E, data: SentDataOf<E>) => Promise<EventAnswerOf<E>>;
  /** Sends and forgets; not kept for later while the line is down. */
  readonly emit: <E extends ClientEvent>(event: E, data: SentDataOf<E>) => void;
  /** Gives back how to stop listening. Opens the socket at the first use. */
  readonly on: <E extends ServerEvent>(event: E, then: (data: DataOf<E>) => void) => () => void;
  readonly line: () => LineState;
  readonly onLine: (then: () => void) => () => void;
}
