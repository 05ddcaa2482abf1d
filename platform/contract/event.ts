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

/** What an event of the server carries: named fields, or a map. */
export type EventDataSchema = z.ZodMiniObject | z.ZodMiniRecord;

/** An event as it is on its way: the data, and what stands behind it. */
export interface SentEvent<
  Data extends EventDataSchema = EventDataSchema,
  About extends z.ZodMiniObject = z.ZodMiniObject,
> {
  readonly data: z.output<Data>;
  readonly metadata: z.output<About> | undefined;
}

/** An event that the server sends to pages or agents. */
export interface ServerEvent<
  Data extends EventDataSchema = EventDataSchema,
  About extends z.ZodMiniObject = z.ZodMiniObject,
> {
  readonly from: 'server';
  readonly name: string;
  readonly data: Data;
  /** A second argument behind the data, for what the specification's shape of the data has no room for. */
  readonly about?: About;
  /**
   * `newest`: of events that a slow receiver has not taken yet only the last is kept (reliability.md section 4); the receiver acknowledges
   * each, with the function that is the last argument. One that never does gets eight, and then the newest once for every heartbeat.
   * Beside its data (in `about`, where it has one) such an event carries `sentAt`, the server's clock in milliseconds since the epoch.
   */
  readonly delivery: 'all' | 'newest';
  /**
   * For an event kept `newest` that tells differences of something that lasts (levels), not of a moment (motion): of two that a receiver
   * has not taken the newer is not put in the older one's place but both into one, which leaves whoever takes it as both would have. A
   * device obeys it however late it comes. Pure. (A method, so that events of all kinds are of one type.)
   */
  merge?(this: void, older: SentEvent<Data, About>, newer: SentEvent<Data, About>): SentEvent<Data, About>;
  /** Which ones belong together, for an event with `merge`: those of another key wait beside them. All do where it is not declared. */
  key?(this: void, sent: SentEvent<Data, About>): string;
}

/** A device ignores an event kept `newest` that is older than this, unless it is one that is merged: what it says has passed. */
export const MAX_EVENT_AGE_MS = 250;

export type EventDataOf<E extends ClientEvent | ServerEvent> = z.output<E['data']>;
export type EventInputOf<E extends ClientEvent | ServerEvent> = z.input<E['data']>;
export type EventMetadataOf<E extends ServerEvent> = z.output<NonNullable<E['about']>>;
export type EventMetadataInputOf<E extends ServerEvent> = z.input<NonNullable<E['about']>>;
export type EventAnswerOf<E extends ClientEvent> = z.output<E['answer']>;

export function clientEvent<Data extends z.ZodMiniObject, Answer extends z.ZodMiniObject, Who extends Access>(
  declared: Omit<ClientEvent<Data, Answer, Who>, 'from'>,
): ClientEvent<Data, Answer, Who> {
  return { ...declared, from: 'client' };
}

export function serverEvent<Data extends EventDataSchema, About extends z.ZodMiniObject>(
  declared: Omit<ServerEvent<Data, About>, 'from'>,
): ServerEvent<Data, About> {
  return { ...declared, from: 'server' };
}
