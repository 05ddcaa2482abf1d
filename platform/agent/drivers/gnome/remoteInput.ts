import type { DBusMessage, SessionBus } from '@homebridge/dbus-native';
import { callBus } from '../sessionBus.ts';

/** A desktop that has not answered for this long hangs. */
const ANSWER_TIMEOUT_MS = 5000;

/** The remote input was ended by the desktop or the person at the computer. */
export class RemoteInputClosedError extends Error {
  override readonly name = 'RemoteInputClosedError';
}

/** The person at the computer did not allow remote input. */
export class RemoteInputDeniedError extends Error {
  override readonly name = 'RemoteInputDeniedError';
}

/** Axes of the wheel, as both D-Bus interfaces number them. */
export const AXIS = { vertical: 0, horizontal: 1 } as const;

/** What presses keys and moves the pointer. The order of the calls is preserved. */
export interface RemoteInput extends AsyncDisposable {
  /** Presses or releases the key that has this keysym in the active layout, with the Shift or AltGr it needs. */
  readonly sendKeysym: (keysym: number, down: boolean) => void;
  /** @param code the kernel's number of the key. */
  readonly sendKeycode: (code: number, down: boolean) => void;
  readonly movePointer: (dx: number, dy: number) => void;
  /** @param code the kernel's number of the button. */
  readonly sendButton: (code: number, down: boolean) => void;
  readonly turnWheel: (axis: number, steps: number) => void;
  /**
   * Resolves when the desktop has accepted everything until now.
   * @throws RemoteInputClosedError
   */
  readonly flush: () => Promise<void>;
  /** Returns whether Caps Lock is on; undefined if the desktop doesn't report it. */
  readonly isCapsLocked: () => Promise<boolean | undefined>;
  /** Registers a listener for an end that the agent did not cause. */
  readonly onClosed: (listener: () => void) => void;
}

/** An object on the bus. */
interface BusObject {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
}

export interface InputPipeOptions {
  readonly bus: SessionBus;
  /** The object that receives the calls. */
  readonly target: BusObject;
  /** The session of the remote input, which reports its end. */
  readonly session: BusObject;
  /** The method that ends the session. */
  readonly endMember: string;
  /** How many calls may wait for their answer; unlimited by default. */
  readonly maxPendingCalls?: number;
}

interface InputCall {
  readonly member: string;
  readonly signature: string;
  readonly body: readonly unknown[];
}

/** Sends calls in their order, until the session is closed. */
interface InputPipe extends Pick<RemoteInput, 'flush' | 'onClosed'>, AsyncDisposable {
  readonly send: (call: InputCall) => void;
}

/** Creates the pipe of a session. The caller must subscribe to the session's signal `Closed`. */
export function createInputPipe(options: InputPipeOptions): InputPipe {
  const { bus, target, session, endMember, maxPendingCalls = Infinity } = options;
  const queue: InputCall[] = [];
  const listeners: (() => void)[] = [];
  let pendingCount = 0;
  let isClosed = false;
  let waiting: (() => void)[] = [];
  let firstError: unknown;
  function settle(): void {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback();
  }
  function sendQueued(): void {
    while (pendingCount < maxPendingCalls) {
      const call = queue.shift();
      if (!call) return;
      pendingCount += 1;
      bus.invoke({ ...target, ...call }, (error) => {
        pendingCount -= 1;
        if (error) firstError ??= error;
        sendQueued();
        if (pendingCount === 0) settle();
      });
    }
  }
  function close(): void {
    isClosed = true;
    queue.length = 0;
    bus.connection.off('message', handleMessage);
    settle();
  }
  function handleMessage({ path, interface: interfaceName, member }: DBusMessage): void {
    if (path !== session.path || interfaceName !== session.interface || member !== 'Closed') return;
    close();
    for (const listener of listeners) listener();
  }
  bus.connection.on('message', handleMessage);
  return {
    send: (call) => {
      if (isClosed) return;
      queue.push(call);
      sendQueued();
    },
    flush: async () => {
      if (!isClosed && pendingCount > 0) {
        const timeout = setTimeout(() => {
          firstError ??= new Error('the desktop does not answer');
          settle();
        }, ANSWER_TIMEOUT_MS);
        await new Promise<void>((resolve) => void waiting.push(resolve));
        clearTimeout(timeout);
      }
      const cause = firstError;
      firstError = undefined;
      if (cause !== undefined || isClosed)
        throw new RemoteInputClosedError('the desktop does not accept input', { cause });
    },
    onClosed: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: async () => {
      if (isClosed) return;
      close();
      await callBus(bus, { ...session, member: endMember }).catch(() => undefined); // the bus has ended
    },
  };
}
