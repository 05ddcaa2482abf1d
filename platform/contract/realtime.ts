import * as z from 'zod/mini';
import { clientEvent } from './event.ts';

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
