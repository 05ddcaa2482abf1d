import type { EventMetadataInputOf, EventInputOf, ServerEvent } from '#platform/contract/event.ts';

/** Names never hold a token. `session:<id>`, `account:<id>` (pages of the account) and `device:<id>` are joined by the platform; tools may add rooms of their own. */
export type Room = `${'session' | 'account' | 'device' | 'music' | 'ai'}:${string | number}`;

/** Sending to sockets. Everything is sent after the commit of what it tells of. */
export interface Realtime {
  /**
   * To every socket of the room, or of several rooms, once each; it is written once for all of them. An event kept `newest` goes through the
   * acknowledgement window of each receiver.
   */
  readonly send: <E extends ServerEvent>(
    to: Room | readonly Room[],
    event: E,
    data: EventInputOf<E>,
    about?: EventMetadataInputOf<E>,
  ) => void;
  /** Asks one socket of the room and waits. @throws Refusal 'device did not answer' after `patienceMs`, or at once where the room is empty. */
  readonly request: (room: Room, event: string, data: unknown, patienceMs: number) => Promise<unknown>;
  readonly isEmpty: (room: Room) => boolean;
}
