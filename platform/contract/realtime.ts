import * as z from 'zod/mini';
import { clientEvent, serverEvent } from './event.ts';

export const SOCKET_PATH = '/api/socket.io';

/** How pages and agents connect. Delays and timeout: docs/specification/platform.md section 6. */
export const SOCKET_OPTIONS = {
  path: SOCKET_PATH,
  transports: ['websocket'] as string[],
  autoConnect: false,
  reconnectionDelay: 1000,
  reconnectionDelayMax: 5000,
  randomizationFactor: 0.5,
  timeout: 20_000,
};

/** Names the part of the product that a client is. The answer is always 'ok'. */
export const connectEvent = clientEvent({
  name: '/api/connect',
  access: 'anyone',
  data: z.object({ message: z.optional(z.string().check(z.maxLength(100))) }),
});

/** Joins a room: a token joins the room of its account, and other ids join rooms of tools. */
export const roomInit = clientEvent({
  name: '/api/roominit',
  access: 'anyone',
  data: z.object({ id: z.string().check(z.maxLength(200)) }),
});

/**
 * Why the server closes a socket. `replaced`: another agent uses the same token. `nothing proven`: the client neither
 * sent a token nor joined a room. Clients must not reconnect after `session ended` and `replaced`.
 */
export const CLOSE_REASONS = [
  'session ended',
  'account suspended',
  'replaced',
  'too many events',
  'too many connections',
  'too slow',
  'nothing proven',
  'server restarting',
] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/** Last event on a socket that the server closes. */
export const closing = serverEvent({
  name: 'closing',
  delivery: 'all',
  data: z.object({ reason: z.enum(CLOSE_REASONS) }),
});
