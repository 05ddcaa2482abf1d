import { io, type Socket } from 'socket.io-client';
import type { ClientEvent, EventDataOf, EventAnswerOf, EventInputOf, ServerEvent } from '#platform/contract/event.ts';
import { getOrCreateList } from '#platform/contract/groupBy.ts';
import { closing, type CloseReason, SOCKET_PATH } from '#platform/contract/realtime.ts';
import { INVALID_TOKEN_MESSAGE, InvalidTokenRefusal, Refusal, UNKNOWN_CODE } from '#platform/contract/refusal.ts';

export interface TestSocket extends AsyncDisposable {
  /** Socket.IO's own client, for what a correct client never does. */
  readonly raw: Socket;
  /** @throws InvalidToken, or Refusal with the server's message. A `token` can be sent beside the data. */
  readonly request: <E extends ClientEvent>(
    event: E,
    data: EventInputOf<E> & { readonly token?: string },
  ) => Promise<EventAnswerOf<E>>;
  /** Resolves with the next event of this kind that was not returned yet. Every event is acknowledged. */
  readonly nextEvent: <E extends ServerEvent>(event: E) => Promise<EventDataOf<E>>;
  /** Resolves when the socket is closed: with the server's reason, or 'lost'. */
  readonly closed: Promise<CloseReason | 'lost'>;
}

export interface TestSocketOptions {
  /** Token that the handshake sends. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Handlers by event name that acknowledge events or not. `nextEvent` does not return these. */
  readonly takes?: Readonly<Record<string, (data: never, acknowledge: (answer?: unknown) => void) => void>>;
}

const toRefusal = (message: unknown, code: unknown): Refusal =>
  message === INVALID_TOKEN_MESSAGE ? new InvalidTokenRefusal() : new Refusal(String(code), String(message));

/** Stores received events until they are requested. */
function createEventInbox() {
  const receivedByName = new Map<string, unknown[]>();
  const waitersByName = new Map<string, ((data: unknown) => void)[]>();
  return {
    put: (name: string, data: unknown): void => {
      const resolve = getOrCreateList(waitersByName, name).shift();
      if (resolve) resolve(data);
      else getOrCreateList(receivedByName, name).push(data);
    },
    take: async (name: string): Promise<unknown> => {
      const received = getOrCreateList(receivedByName, name);
      if (received.length > 0) return received.shift();
      return new Promise((resolve) => getOrCreateList(waitersByName, name).push(resolve));
    },
  };
}

/** Opens a connected socket. @throws InvalidToken or Refusal if the handshake is refused. */
export async function openSocket(
  { origin }: { readonly origin: string },
  { token, headers = {}, takes = {} }: TestSocketOptions = {},
): Promise<TestSocket> {
  const address = new URL(origin);
  const raw = io(address.origin, {
    path: address.pathname.replace(/\/$/, '') + SOCKET_PATH,
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    autoConnect: false,
    auth: token === undefined ? {} : { token },
    extraHeaders: { ...headers },
  });
  const inbox = createEventInbox();
  const closed = Promise.withResolvers<CloseReason | 'lost'>();
  let reason: CloseReason | 'lost' = 'lost';
  raw.onAny((name: string, data: unknown, acknowledge: unknown) => {
    if (name === closing.name) reason = closing.data.parse(data).reason;
    if (Object.hasOwn(takes, name)) return;
    inbox.put(name, data);
    if (typeof acknowledge === 'function') acknowledge();
  });
  for (const [name, handler] of Object.entries(takes)) raw.on(name, handler as (...values: unknown[]) => void);
  raw.on('disconnect', () => closed.resolve(reason));
  await new Promise<void>((resolve, reject) => {
    raw.once('connect', resolve);
    raw.once('connect_error', (error: Error & { readonly data?: { readonly message?: string } }) => {
      raw.disconnect();
      reject(toRefusal(error.data?.message ?? error.message, UNKNOWN_CODE));
    });
    raw.connect();
  });
  return {
    raw,
    request: async (event, data) => {
      const answer = (await raw.timeout(30_000).emitWithAck(event.name, data)) as {
        readonly message: string;
        readonly code?: string;
      };
      if (answer.message !== 'ok') throw toRefusal(answer.message, answer.code);
      return event.answer.parse(answer) as EventAnswerOf<typeof event>;
    },
    nextEvent: async (event) => event.data.parse(await inbox.take(event.name)) as EventDataOf<typeof event>,
    closed: closed.promise,
    [Symbol.asyncDispose]: async () => {
      raw.disconnect();
    },
  };
}
