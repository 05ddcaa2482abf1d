import type { SessionBus } from '@homebridge/dbus-native';

/** A desktop that answers nothing for this long hangs. */
const ANSWER_TIMEOUT_MS = 5000;

/** The remote input was ended by the desktop or the person at the computer. */
export class RemoteInputClosedError extends Error {
  override readonly name = 'RemoteInputClosedError';
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

/** A method with its arguments. */
interface InputCall {
  readonly member: string;
  readonly signature: string;
  readonly body: readonly unknown[];
}

/** Sends calls without waiting for each answer. */
interface CallPipe {
  readonly send: (call: InputCall) => void;
  readonly flush: () => Promise<void>;
  readonly close: () => void;
}

/** Creates a pipe to an object on the bus. */
export function createCallPipe(
  bus: SessionBus,
  target: { readonly destination: string; readonly path: string; readonly interface: string },
): CallPipe {
  let pendingCount = 0;
  let isClosed = false;
  let waiting: (() => void)[] = [];
  let firstError: unknown;
  function settle(): void {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback();
  }
  return {
    send: (call) => {
      if (isClosed) return;
      pendingCount += 1;
      bus.invoke({ ...target, ...call }, (error) => {
        pendingCount -= 1;
        if (error) firstError ??= error;
        if (pendingCount === 0) settle();
      });
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
    close: () => {
      isClosed = true;
      settle();
    },
  };
}
