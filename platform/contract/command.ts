import * as z from 'zod/mini';

/** Something the server asks a device to do, and the device's answer. */
export interface Command<
  Request extends z.ZodMiniObject = z.ZodMiniObject,
  Answer extends z.ZodMiniObject = z.ZodMiniObject,
> {
  readonly name: string;
  readonly request: Request;
  readonly answer: Answer;
  /** Only looks: the device does it again where the same is asked again, and keeps no answer of it on its disk. */
  readonly isRepeatable?: true;
}

export type CommandRequestOf<C extends Command> = z.output<C['request']>;
export type CommandInputOf<C extends Command> = z.input<C['request']>;
export type CommandAnswerOf<C extends Command> = z.output<C['answer']>;

export function command<Request extends z.ZodMiniObject, Answer extends z.ZodMiniObject>(
  declared: Command<Request, Answer>,
): Command<Request, Answer> {
  return declared;
}

/**
 * How every command travels: one socket event `command`, acknowledged with `{ message, ...answer }`.
 * `id` is the same when the same thing is asked again: the device then gives the answer it gave before and does nothing.
 * `sentAt` is the server's clock in milliseconds: a device that gets it later than 4.5 s answers 'too late' and does nothing.
 */
export const commandEnvelope = z.object({ id: z.string(), name: z.string(), sentAt: z.number(), data: z.unknown() });
export type CommandEnvelope = z.output<typeof commandEnvelope>;
export const COMMAND_EVENT = 'command';
/** A device that has not answered by then did not answer. */
export const COMMAND_TIMEOUT_MS = 5000;
/** What is older than this on arrival is not done any more. */
export const MAX_COMMAND_AGE_MS = 4500;
export const COMMAND_TOO_LATE_MESSAGE = 'too late';
/** What the user is told of a device that was silent, or that got it too late. */
export const NO_ANSWER_MESSAGE = 'device did not answer';
