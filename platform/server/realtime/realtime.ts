import type { EventMetadataInputOf, EventInputOf, ServerEvent } from '#platform/contract/event.ts';

/**
 * Rooms of sockets. Names never contain a token. The platform joins `session:<id>`, `account:<id>` (pages of the
 * account) and `device:<id>`. Rooms of a tool start with its name (`StartedServerTool.rooms`).
 */
export type Room = `${string}:${string | number}`;

/** Data of a request to a socket. */
export interface RequestData {
  /** Server time in milliseconds since the epoch. */
  readonly sentAt: number;
}

/** Sends events to sockets. Send an event after the commit of the data that it reports. */
export interface Realtime {
  /**
   * Sends to each socket of the rooms once; the event is serialized once for all of them.
   * With `newest` delivery, it passes the ack window of each receiver.
   */
  readonly send: <E extends ServerEvent>(
    target: Room | readonly Room[],
    event: E,
    data: EventInputOf<E>,
    metadata?: EventMetadataInputOf<E>,
  ) => void;
  /** Sends an event of delivery `all` to the sockets of this instance, for changes that each instance notices. */
  readonly sendHere: <E extends ServerEvent>(target: Room, event: E, data: EventInputOf<E>) => void;
  /**
   * Sends a request to one socket of the room, and returns its answer.
   * @throws Refusal 'device did not answer' after `timeoutMs`, or immediately if the room is empty.
   */
  readonly request: (room: Room, event: string, data: RequestData, timeoutMs: number) => Promise<unknown>;
  /** Whether certainly no socket is in the room. Other instances may have some. */
  readonly isEmpty: (room: Room) => boolean;
}
