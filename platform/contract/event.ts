import type * as z from 'zod/mini';
import type { Access } from './call.ts';

/** An event that a page or an agent sends to the server. Where the sender asks for an acknowledgement it is `{ message, ...answer }`. */
export interface ClientEvent<
  Data extends z.ZodMiniObject = z.ZodMiniObject,
  Answer extends z.ZodMiniObject = z.ZodMiniObject,
  Who extends Access = Access,
> {
  readonly from: 'client';
  readonly name: string;
  /** Whoever is not this is answered 'invalid token, please re-log' and dropped. A `token` field of the data proves the socket; the platform takes it. */
  readonly access: Who;
  readonly data: Data;
  readonly answer: Answer;
}

/** An event that the server sends to pages or agents. */
export interface ServerEvent<Data extends z.ZodMiniObject = z.ZodMiniObject> {
  readonly from: 'server';
  readonly name: string;
  readonly data: Data;
  /**
   * `newest`: of events that a slow receiver has not taken yet only the last is kept (reliability.md section 4); the receiver acknowledges
   * each, with the function that is the last argument. One that never does gets eight, and then the newest once for every heartbeat.
   * Beside its data such an event carries `sentAt`, the server's clock in milliseconds since the epoch.
   */
  readonly keep: 'all' | 'newest';
}

/** A device ignores an event kept `newest` that is older than this: what it says has passed. */
export const OUTDATED_MS = 250;

export type DataOf<E extends ClientEvent | ServerEvent> = z.output<E['data']>;
export type SentDataOf<E extends ClientEvent | ServerEvent> = z.input<E['data']>;
export type EventAnswerOf<E extends ClientEvent> = z.output<E['answer']>;

export const clientEvent = <Data extends z.ZodMiniObject, Answer extends z.ZodMiniObject, Who extends Access>(
  declared: Omit<ClientEvent<Data, Answer, Who>, 'from'>,
): ClientEvent<Data, Answer, Who> => ({ ...declared, from: 'client' });

export const serverEvent = <Data extends z.ZodMiniObject>(
  declared: Omit<ServerEvent<Data>, 'from'>,
): ServerEvent<Data> => ({ ...declared, from: 'server' });
