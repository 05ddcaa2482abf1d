import { io, type Socket } from 'socket.io-client';
import { deviceHello } from '#platform/contract/device.ts';
import { MAX_EVENT_AGE_MS } from '#platform/contract/event.ts';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { motionToDevice } from '#tools/remote/contract.ts';

/** Internals of engine.io's `ws` socket. */
interface Wire {
  readonly ws: { readonly pause: () => void; readonly resume: () => void };
}

/** A received motion event: its number, and whether an agent would act on it or ignore it as outdated. */
export interface ReceivedEvent {
  readonly number: number;
  readonly isFresh: boolean;
}

/** A computer that can stop reading its socket. */
export interface StallingComputer {
  readonly socket: Socket;
  readonly received: ReceivedEvent[];
  readonly stall: () => void;
  readonly resume: () => void;
}

/** Creates an event with its number in `alpha`, so that the receiver can identify it. */
export function createNumberedEvent(number: number) {
  return {
    orientation: { alpha: (number % 3600) / 10, beta: Math.floor(number / 3600), gamma: 0 },
    reset: { lmb: false, lift: false, scroll: false },
  };
}
type Numbered = ReturnType<typeof createNumberedEvent>;
const getNumber = ({ orientation }: Numbered): number => orientation.beta * 3600 + Math.round(orientation.alpha * 10);

export function openPlainSocket(origin: string, token: string): Socket {
  return io(origin, { path: SOCKET_PATH, transports: ['websocket'], forceNew: true, auth: { token } });
}

export async function openStallingComputer(origin: string, token: string): Promise<StallingComputer> {
  const socket = openPlainSocket(origin, token);
  const came: ReceivedEvent[] = [];
  const hello = { version: '0', system: 'load', abilities: { mouse: { able: true } } };
  socket.on(motionToDevice.name, (data: Numbered & { readonly sentAt: number }, acknowledge: () => void) => {
    acknowledge();
    came.push({ number: getNumber(data), isFresh: Date.now() - data.sentAt <= MAX_EVENT_AGE_MS });
  });
  await socket.emitWithAck(deviceHello.name, hello);
  socket.on('connect', () => socket.emit(deviceHello.name, hello));
  const wire = (): Wire['ws'] => (socket.io.engine.transport as unknown as Wire).ws;
  let stalled: Wire['ws'] | undefined;
  return {
    socket,
    received: came,
    stall: () => {
      stalled = wire();
      stalled.pause();
    },
    resume: () => stalled?.resume(),
  };
}
