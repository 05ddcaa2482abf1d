import * as z from 'zod/mini';
import { noFields, type NoFields, type ResultOf } from './call.ts';

/** Something that the server asks a device to do, and the answer of the device. */
export interface Command<
  Request extends z.ZodMiniObject = z.ZodMiniObject,
  Answer extends z.ZodMiniObject = z.ZodMiniObject,
> {
  readonly name: string;
  readonly request: Request;
  readonly answer: Answer;
  /** Only reads. The device runs it again if it is repeated, instead of storing the answer on disk. */
  readonly isRepeatable?: true;
}

export type CommandRequestOf<C extends Command> = z.output<C['request']>;
export type CommandInputOf<C extends Command> = z.input<C['request']>;
export type CommandAnswerOf<C extends Command> = z.output<C['answer']>;

export type CommandResultOf<C extends Command> = ResultOf<C['answer']>;

/** Declares a command. Its request and its answer have no fields by default. */
export function command<Request extends z.ZodMiniObject = NoFields, Answer extends z.ZodMiniObject = NoFields>(
  declaration: Omit<Command<Request, Answer>, 'request' | 'answer'> & Partial<Command<Request, Answer>>,
): Command<Request, Answer> {
  return { request: noFields as Request, answer: noFields as Answer, ...declaration };
}

/** Envelope of every command: one socket event `command`, acknowledged with `{ message, ...answer }`. */
export const commandEnvelope = z.object({
  /** Idempotency key: for a repeated command, the device returns its earlier answer and does nothing. */
  id: z.string(),
  name: z.string(),
  /** Server time in milliseconds. The device answers 'too late' to a command older than `MAX_COMMAND_AGE_MS`. */
  sentAt: z.number(),
  data: z.unknown(),
});
export type CommandEnvelope = z.output<typeof commandEnvelope>;
export const COMMAND_EVENT = 'command';
/** How long the server waits for an answer or for `commandProgress`. */
export const COMMAND_TIMEOUT_MS = 5000;
/** Devices don't run commands that are older than this when they arrive. */
export const MAX_COMMAND_AGE_MS = 4500;
export const COMMAND_TOO_LATE_MESSAGE = 'too late';
/** Shown to the user if a device did not answer, or received the command too late. */
export const NO_ANSWER_MESSAGE = 'device did not answer';
