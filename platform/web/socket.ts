import type { Socket } from 'socket.io-client';
import { unreachable } from '#platform/contract/client.ts';
import type { AboutOf, ClientEvent, DataOf, EventAnswerOf, SentDataOf, ServerEvent } from '#platform/contract/event.ts';
import { INVALID_TOKEN, InvalidToken, Refusal } from '#platform/contract/refusal.ts';
import { account } from './account.ts';
import { reach } from './reach.ts';
import { session } from './session.ts';

/** State of the one socket of this page: `off` before anybody needed it. */
export type LineState = 'off' | 'connected' | 'reconnecting';

export interface Realtime {
  /** Sends and waits for the acknowledgement. @throws Refusal, or CallFailed where nothing came back in 5 s. */
  readonly ask: <E extends ClientEvent>(event: E, data: SentDataOf<E>) => Promise<EventAnswerOf<E>>;
  /** Sends and forgets; not kept for later while the line is down. */
  readonly emit: <E extends ClientEvent>(event: E, data: SentDataOf<E>) => void;
  /** Gives back how to stop listening. Opens the socket at the first use. `about` is there where the event declares one. */
  readonly on: <E extends ServerEvent>(event: E, then: (data: DataOf<E>, about: AboutOf<E>) => void) => () => void;
  readonly line: () => LineState;
  readonly onLine: (then: () => void) => () => void;
}

const PATIENCE_MS = 5000;
/** Where the server itself closed the line (a revoked session, a refused handshake), socket.io does not try again. */
const AGAIN_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;

let line: LineState = 'off';
let opening: Promise<Socket> | undefined;
let opened: Socket | undefined;
const lineListeners = new Set<() => void>();
const handlers = new Map<string, Set<(data: unknown, about: unknown) => void>>();

const setLine = (next: LineState): void => {
  if (next === line) return;
  line = next;
  for (const tell of lineListeners) tell();
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
const askWhoIAm = (): void => {
  if (session.current()) account.whoAmI().catch(() => undefined);
};

const make = async (): Promise<Socket> => {
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
    auth: (give) => give({ token: session.current()?.token ?? '' }),
  });
  const again = (): void => {
    setLine('reconnecting');
    if (!socket.active) setTimeout(() => socket.connect(), AGAIN_MS);
  };
  socket.on('connect', () => {
    setLine('connected');
    reach.set(true);
  });
  socket.on('disconnect', (reason) => {
    if (reason === 'io client disconnect') return;
    again();
    if (reason === 'io server disconnect') askWhoIAm();
  });
  socket.on('connect_error', (error) => {
    again();
    if (error.message === INVALID_TOKEN) askWhoIAm();
  });
  for (const name of handlers.keys()) attach(socket, name);
  let token = session.current()?.token;
  session.subscribe(() => {
    if (session.current()?.token === token) return;
    token = session.current()?.token;
    setLine('reconnecting');
    socket.disconnect().connect();
  });
  // A line that is being opened as the network goes is dead, and socket.io waits 20 s for it; and one that is back need not be waited for.
  for (const change of ['offline', 'online'])
    window.addEventListener(change, () => {
      if (!socket.connected) socket.disconnect().connect();
    });
  reach.subscribe(() => {
    if (reach.current() && !socket.connected) socket.disconnect().connect();
  });
  setLine('reconnecting');
  opened = socket;
  return socket.connect();
};

/** What did not load is asked for again at the next use. */
const open = (): Promise<Socket> => {
  opening ??= make().catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
};

let openingAgain: ReturnType<typeof setTimeout> | undefined;
let pause = AGAIN_MS;

/** For callers that do not wait: the line shows that it is down, and is opened once what it needs has come. */
const openSoon = (): void => {
  open().catch(() => {
    setLine('reconnecting');
    if (openingAgain !== undefined) return;
    openingAgain = setTimeout(() => {
      openingAgain = undefined;
      openSoon();
    }, pause);
    // After an upgrade it never comes.
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  });
};

/** The one socket of this page, as itself whichever tool asks. socket.io stays out of the first load. */
export const realtime: Realtime = {
  ask: async (event, data) => {
    const socket = await open();
    const answer = await socket
      .timeout(PATIENCE_MS)
      .emitWithAck(event.name, data)
      .catch((cause: unknown) => {
        // Where the line stands, the server was only slow with this one answer.
        if (!socket.connected) reach.set(false);
        throw unreachable(cause);
      });
    const { message } = answer as { readonly message: string };
    if (message === INVALID_TOKEN) throw new InvalidToken();
    if (message !== 'ok') throw new Refusal(message);
    return event.answer.parse(answer) as EventAnswerOf<typeof event>;
  },
  emit: (event, data) => {
    if (opened?.connected) opened.emit(event.name, data);
    else openSoon();
  },
  on: (event, then) => {
    const known = handlers.get(event.name);
    const mine = (data: unknown, about: unknown): void =>
      then(event.data.parse(data) as DataOf<typeof event>, event.about?.parse(about) as AboutOf<typeof event>);
    if (known) known.add(mine);
    else {
      handlers.set(event.name, new Set([mine]));
      if (opened) attach(opened, event.name);
    }
    openSoon();
    return () => void handlers.get(event.name)?.delete(mine);
  },
  line: () => line,
  onLine: (then) => {
    lineListeners.add(then);
    return () => lineListeners.delete(then);
  },
};
