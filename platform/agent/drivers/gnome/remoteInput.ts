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
  /** Registers a listener for an end that the agent did not cause. If it has ended already, calls it at once. */
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
  /** Calls until now, and how many of them are answered. */
  let callCount = 0;
  let answerCount = 0;
  let isClosed = false;
  /** Called after each answer, and at the end. */
  const answerListeners = new Set<() => void>();
  let firstError: unknown;
  function sendQueued(): void {
    while (callCount - queue.length - answerCount < maxPendingCalls) {
      const call = queue.shift();
      if (!call) return;
      bus.invoke({ ...target, ...call }, (error) => {
        answerCount += 1;
        if (error) firstError ??= error;
        sendQueued();
        for (const listener of answerListeners) listener();
      });
    }
  }
  /** Waits until all calls until now are answered. A moved mouse may add calls all the time. */
  async function waitForAnswers(): Promise<void> {
    const count = callCount;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timeout = setTimeout(() => reject(new Error('the desktop does not answer')), ANSWER_TIMEOUT_MS);
    function check(): void {
      if (isClosed || answerCount >= count) resolve();
      else timeout.refresh();
    }
    answerListeners.add(check);
    check();
    try {
      await promise;
    } finally {
      clearTimeout(timeout);
      answerListeners.delete(check);
    }
  }
  function close(): void {
    isClosed = true;
    queue.length = 0;
    bus.connection.off('message', handleMessage);
    for (const listener of answerListeners) listener();
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
      callCount += 1;
      queue.push(call);
      sendQueued();
    },
    flush: async () => {
      const timeoutError: unknown = await waitForAnswers().catch((error: unknown) => error);
      const cause = firstError ?? timeoutError;
      firstError = undefined;
      if (cause !== undefined || isClosed)
        throw new RemoteInputClosedError('the desktop does not accept input', { cause });
    },
    onClosed: (listener) => {
      if (isClosed) listener();
      else listeners.push(listener);
    },
    [Symbol.asyncDispose]: async () => {
      if (isClosed) return;
      close();
      await callBus(bus, { ...session, member: endMember }).catch(() => undefined); // the bus has ended
    },
  };
}
