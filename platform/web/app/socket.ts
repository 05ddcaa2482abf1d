import type { Socket } from 'socket.io-client';
import { createUnreachableError } from '#platform/contract/client.ts';
import type {
  EventMetadataOf,
  ClientEvent,
  EventDataOf,
  EventAnswerOf,
  EventInputOf,
  ServerEvent,
} from '#platform/contract/event.ts';
import { INVALID_TOKEN_MESSAGE, InvalidTokenRefusal, Refusal } from '#platform/contract/refusal.ts';
import { accountClient } from './account.ts';
import { reachability } from './reachability.ts';
import { session } from './session.ts';

/** State of the one socket of this page: `off` before anybody needed it. */
export type ConnectionState = 'off' | 'connected' | 'reconnecting';

export interface RealtimeClient {
  /** Sends and waits for the acknowledgement. @throws Refusal, or CallFailed where nothing came back in 5 s. */
  readonly request: <E extends ClientEvent>(event: E, data: EventInputOf<E>) => Promise<EventAnswerOf<E>>;
  /** Sends and forgets; not kept for later while the line is down. */
  readonly emit: <E extends ClientEvent>(event: E, data: EventInputOf<E>) => void;
  /** Gives back how to stop listening. Opens the socket at the first use. `about` is there where the event declares one. */
  readonly on: <E extends ServerEvent>(
    event: E,
    then: (data: EventDataOf<E>, about: EventMetadataOf<E>) => void,
  ) => () => void;
  readonly getConnectionState: () => ConnectionState;
  readonly onConnectionStateChange: (then: () => void) => () => void;
}

const REQUEST_TIMEOUT_MS = 5000;
/** Where the server itself closed the line (a revoked session, a refused handshake), socket.io does not try again. */
const MIN_RETRY_DELAY_MS = 2000;
const MAX_RETRY_DELAY_MS = 60_000;

let connectionState: ConnectionState = 'off';
let opening: Promise<Socket> | undefined;
let opened: Socket | undefined;
const stateListeners = new Set<() => void>();
const handlers = new Map<string, Set<(data: unknown, about: unknown) => void>>();

const setConnectionState = (next: ConnectionState): void => {
  if (next === connectionState) return;
  connectionState = next;
  for (const tell of stateListeners) tell();
};

/** One listener of the socket for each event name; it is there before the socket connects, so that nothing is missed. */
const attach = (socket: Socket, name: string): void => {
  socket.on(name, (data: unknown, ...rest: unknown[]) => {
    for (const then of handlers.get(name) ?? []) then(data, rest[0]);
    const acknowledge = rest.at(-1);
    if (typeof acknowledge === 'function') acknowledge();
  });
};

/** Perhaps the session has ended: the call says so and ends it here too. */
const checkSession = (): void => {
  if (session.getCurrent()) accountClient.fetchUsername().catch(() => undefined);
};

const createSocket = async (): Promise<Socket> => {
  const [{ io }, { SOCKET_PATH }] = await Promise.all([
    import('socket.io-client'),
    import('#platform/contract/realtime.ts'),
  ]);
  // Delays and timeout: specification 1, section 9.
  const socket = io({
    path: SOCKET_PATH,
    transports: ['websocket'],
    autoConnect: false,
    reconnectionDelay: 1000,
    reconnectionDelayMax: 5000,
    randomizationFactor: 0.5,
    timeout: 20_000,
    auth: (give) => give({ token: session.getCurrent()?.token ?? '' }),
  });
  const again = (): void => {
    setConnectionState('reconnecting');
    if (!socket.active) setTimeout(() => socket.connect(), MIN_RETRY_DELAY_MS);
  };
  socket.on('connect', () => {
    setConnectionState('connected');
    reachability.set(true);
  });
  socket.on('disconnect', (reason) => {
    if (reason === 'io client disconnect') return;
    again();
    if (reason === 'io server disconnect') checkSession();
  });
  socket.on('connect_error', (error) => {
    again();
    if (error.message === INVALID_TOKEN_MESSAGE) checkSession();
  });
  for (const name of handlers.keys()) attach(socket, name);
  let token = session.getCurrent()?.token;
  session.subscribe(() => {
    if (session.getCurrent()?.token === token) return;
    token = session.getCurrent()?.token;
    setConnectionState('reconnecting');
    socket.disconnect().connect();
  });
  // A line that is being opened as the network goes is dead, and socket.io waits 20 s for it; and one that is back need not be waited for.
  for (const change of ['offline', 'online'])
    window.addEventListener(change, () => {
      if (!socket.connected) socket.disconnect().connect();
    });
  reachability.subscribe(() => {
    if (reachability.isReachable() && !socket.connected) socket.disconnect().connect();
  });
  setConnectionState('reconnecting');
  opened = socket;
  return socket.connect();
};

/** What did not load is asked for again at the next use. */
const open = (): Promise<Socket> => {
  opening ??= createSocket().catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
};

let retryTimer: ReturnType<typeof setTimeout> | undefined;
let retryDelayMs = MIN_RETRY_DELAY_MS;

/** For callers that do not wait: the line shows that it is down, and is opened once what it needs has come. */
const openInBackground = (): void => {
  open().catch(() => {
    setConnectionState('reconnecting');
    if (retryTimer !== undefined) return;
    retryTimer = setTimeout(() => {
      retryTimer = undefined;
      openInBackground();
    }, retryDelayMs);
    // After an upgrade it never comes.
    retryDelayMs = Math.min(2 * retryDelayMs, MAX_RETRY_DELAY_MS);
  });
};

/** The one socket of this page, as itself whichever tool asks. socket.io stays out of the first load. */
export const realtime: RealtimeClient = {
  request: async (event, data) => {
    const socket = await open();
    const answer = await socket
      .timeout(REQUEST_TIMEOUT_MS)
      .emitWithAck(event.name, data)
      .catch((cause: unknown) => {
        // Where the line stands, the server was only slow with this one answer.
        if (!socket.connected) reachability.set(false);
        throw createUnreachableError(cause);
      });
    const { message } = answer as { readonly message: string };
    if (message === INVALID_TOKEN_MESSAGE) throw new InvalidTokenRefusal();
    if (message !== 'ok') throw new Refusal(message);
    return event.answer.parse(answer) as EventAnswerOf<typeof event>;
  },
  emit: (event, data) => {
    if (opened?.connected) opened.emit(event.name, data);
    else openInBackground();
  },
  on: (event, then) => {
    const known = handlers.get(event.name);
    const mine = (data: unknown, about: unknown): void =>
      then(
        event.data.parse(data) as EventDataOf<typeof event>,
        event.about?.parse(about) as EventMetadataOf<typeof event>,
      );
    if (known) known.add(mine);
    else {
      handlers.set(event.name, new Set([mine]));
      if (opened) attach(opened, event.name);
    }
    openInBackground();
    return () => void handlers.get(event.name)?.delete(mine);
  },
  getConnectionState: () => connectionState,
  onConnectionStateChange: (then) => {
    stateListeners.add(then);
    return () => stateListeners.delete(then);
  },
};
