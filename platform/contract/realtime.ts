import * as z from 'zod/mini';
import { clientEvent, serverEvent } from './event.ts';

export const SOCKET_PATH = '/api/socket.io';

/** Says which part of the product a client is; the answer is 'ok' whatever it says. */
export const connectEvent = clientEvent({
  name: '/api/connect',
  access: 'anyone',
  data: z.object({ message: z.optional(z.string().check(z.maxLength(100))) }),
  answer: z.object({}),
});

/** Joins a room: a token joins its account's own room, '0' the asking browser's own AI room, `<token>music` the music room of that token. */
export const roomInit = clientEvent({
  name: '/api/roominit',
  access: 'anyone',
  data: z.object({ id: z.string().check(z.maxLength(200)) }),
  answer: z.object({}),
});

/**
 * Why the server closes a socket. `session ended`: the token is worth nothing any more. `replaced`: another agent with the same token
 * has taken its place; it must not come back by itself, or the two would throw each other out for ever. `too slow`: it did not take
 * what was sent to it. `nothing proven`: it neither sent a token nor joined a room. After all but the first two it may come back.
 */
export const CLOSE_REASONS = [
  'session ended',
  'replaced',
  'too many events',
  'too many connections',
  'too slow',
  'nothing proven',
  'server restarting',
] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/** The last event on a socket that the server closes. */
export const closing = serverEvent({
  name: 'closing',
  delivery: 'all',
  data: z.object({ reason: z.enum(CLOSE_REASONS) }),
});
