import type * as z from 'zod/mini';
import { noFields, type Access, type NoFields, type ResultOf } from './call.ts';

/**
 * An event that a page or an agent sends to the server. The acknowledgement, if requested, is `{ message, ...answer }`.
 */
export interface ClientEvent<
  Data extends z.ZodMiniObject = z.ZodMiniObject,
  Answer extends z.ZodMiniObject = z.ZodMiniObject,
  Who extends Access = Access,
> {
  readonly from: 'client';
  readonly name: string;
  /**
   * Who may send it; others get 'invalid token, please re-log'. The platform removes a `token` field from the data and
   * uses it to authenticate the socket.
   */
  readonly access: Who;
  readonly data: Data;
  readonly answer: Answer;
}

/** Data of a server event: named fields, or a map. */
export type EventDataSchema = z.ZodMiniObject | z.ZodMiniRecord;

/** An event with its data and the argument after it. */
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
  /** Second argument, for events whose data is fixed by the specification (docs/specification/mixer.md section 2.2). */
  readonly about?: About;
  /**
   * `newest`: a slow receiver gets only the last unsent event, and `sentAt` (server time in milliseconds since the
   * epoch) beside the data or in `about`. Acknowledgements and limits: docs/design/reliability.md section 9.
   */
  readonly delivery: 'all' | 'newest';
  /**
   * Merges two unsent events of delivery `newest` that describe changes of a lasting state, such as levels. Pure. The
   * result must have the effect of both, at any age. A method, so that events of all kinds share one type.
   */
  merge?(this: void, older: SentEvent<Data, About>, newer: SentEvent<Data, About>): SentEvent<Data, About>;
  /** Groups events with `merge`: only events with the same key are merged. Without it, all events are. */
  key?(this: void, sent: SentEvent<Data, About>): string;
}

/** Devices ignore older events of delivery `newest`, because their moment has passed. Merged events are exempt. */
export const MAX_EVENT_AGE_MS = 250;

export type EventDataOf<E extends ClientEvent | ServerEvent> = z.output<E['data']>;
export type EventInputOf<E extends ClientEvent | ServerEvent> = z.input<E['data']>;
export type EventMetadataOf<E extends ServerEvent> = z.output<NonNullable<E['about']>>;
export type EventMetadataInputOf<E extends ServerEvent> = z.input<NonNullable<E['about']>>;
export type EventAnswerOf<E extends ClientEvent> = z.output<E['answer']>;
export type EventResultOf<E extends ClientEvent> = ResultOf<E['answer']>;

/** Declares an event of a client. Its acknowledgement has no fields by default. */
export function clientEvent<
  Data extends z.ZodMiniObject,
  Answer extends z.ZodMiniObject = NoFields,
  Who extends Access = Access,
>(
  declaration: Omit<ClientEvent<Data, Answer, Who>, 'from' | 'answer'> & { readonly answer?: Answer },
): ClientEvent<Data, Answer, Who> {
  return { answer: noFields as Answer, ...declaration, from: 'client' };
}

export function serverEvent<Data extends EventDataSchema, About extends z.ZodMiniObject>(
  declaration: Omit<ServerEvent<Data, About>, 'from'>,
): ServerEvent<Data, About> {
  return { ...declaration, from: 'server' };
}
