import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Ability } from '../drivers.ts';
import { RemoteInputDeniedError, type RemoteInput } from './remoteInput.ts';

/** The desktop shows a mark while remote input is open, so it is closed when it is not used. */
const UNUSED_TIMEOUT_MS = 5 * MINUTE_MS;
/** Somebody who ends or denies remote input at the computer has this long to pause the agent. */
const ENDED_BY_USER_MS = MINUTE_MS;
const RETRY_INTERVAL_MS = 5000;
/** A moved mouse asks many times in a second. */
const MIN_RETRY_INTERVAL_MS = 1000;
/** How long a caller waits for a permission. Must be shorter than the device command timeout of five seconds. */
const PERMISSION_TIMEOUT_MS = 4500;
/** Programs take this long to notice the first keyboard or pointer of a computer. */
const FIRST_DEVICE_DELAY_MS = 400;
const SHIFT_CODE = 42;

const ENDED_MESSAGE =
  'Somebody ended remote control at that computer. It is available again in a minute, unless the agent is paused there';
const DENIED_MESSAGE = 'Somebody denied remote control at that computer. Try again in a minute';
const PENDING_MESSAGE = 'That computer asks whether it may be controlled. Allow it there, then try again';
const LOCKED_MESSAGE = 'The screen of that computer is locked. Unlock it there';
const REFUSED_MESSAGE = "The desktop of that computer doesn't let the agent type now. The agent tries again";

/** Remote input that is opened when it is needed, and again after it was ended. */
export interface InputSession extends AsyncDisposable {
  readonly ability: Ability;
  /**
   * Returns the open remote input.
   * @throws Refusal if it was ended at the computer, or the desktop refuses.
   */
  readonly open: () => Promise<RemoteInput>;
  /** Returns the remote input if it is open, and can be used at once. */
  readonly getOpen: () => RemoteInput | undefined;
  readonly onAbilityChange: (listener: () => void) => void;
}

export interface InputSessionOptions {
  readonly openInput: () => Promise<RemoteInput>;
  readonly isScreenLocked: () => Promise<boolean>;
  /** Whether the computer has a keyboard and a pointer already. */
  readonly hasInputDevices: () => boolean;
  /** Whether something is held, so that remote input must stay open. */
  readonly isInUse: () => boolean;
  /** Called when remote input has ended, which releases all keys. */
  readonly onEnded: () => void;
  readonly endedByUserMs?: number | undefined;
}

export function createInputSession(options: InputSessionOptions): InputSession {
  const { openInput, isScreenLocked, hasInputDevices, isInUse, onEnded, endedByUserMs = ENDED_BY_USER_MS } = options;
  const listeners: (() => void)[] = [];
  let input: RemoteInput | undefined;
  let opening: Promise<RemoteInput> | undefined;
  let refusal: Refusal | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  let unusedTimer: NodeJS.Timeout | undefined;
  let isDisposed = false;
  let lastAttemptAt = -Infinity;

  function setRefusal(next: Refusal | undefined): void {
    if (refusal?.message === next?.message) return;
    refusal = next;
    for (const listener of listeners) listener();
  }
  function retryLater(delayMs: number): void {
    clearTimeout(retryTimer);
    if (isDisposed) return;
    retryTimer = setTimeout(() => void retry(), delayMs).unref();
  }
  function refuse(refused: Refusal, retryDelayMs: number): Refusal {
    setRefusal(refused);
    retryLater(retryDelayMs);
    return refused;
  }
  async function retry(): Promise<void> {
    // Open remote input shows a mark in the top bar, so it is opened only to find out whether that is allowed again.
    if (refusal?.code === 'device.input_refused') await openAgain().catch(() => undefined); // it is tried again
    else if (refusal?.code === 'device.screen_locked' && (await isScreenLocked())) retryLater(RETRY_INTERVAL_MS);
    else setRefusal(undefined);
  }
  async function handleClosed(): Promise<void> {
    input = undefined;
    onEnded();
    // Set before the lock is checked: a moved mouse would open remote input again.
    refuse(new Refusal('device.input_ended', ENDED_MESSAGE), endedByUserMs);
    if (await isScreenLocked()) refuse(new Refusal('device.screen_locked', LOCKED_MESSAGE), RETRY_INTERVAL_MS);
  }
  async function start(): Promise<RemoteInput> {
    const isFirstDevice = !hasInputDevices();
    lastAttemptAt = performance.now();
    let opened: RemoteInput;
    try {
      opened = await openInput();
    } catch (cause) {
      if (cause instanceof RemoteInputDeniedError)
        throw refuse(new Refusal('device.input_ended', DENIED_MESSAGE, { cause }), endedByUserMs);
      throw refuse(
        (await isScreenLocked())
          ? new Refusal('device.screen_locked', LOCKED_MESSAGE, { cause })
          : new Refusal('device.input_refused', REFUSED_MESSAGE, { cause }),
        RETRY_INTERVAL_MS,
      );
    }
    if (isDisposed) {
      await opened[Symbol.asyncDispose]();
      throw new Error('the session has ended');
    }
    setRefusal(undefined);
    input = opened;
    opened.onClosed(() => void handleClosed());
    postponeClosing();
    if (isFirstDevice) {
      for (const down of [true, false]) opened.sendKeycode(SHIFT_CODE, down);
      opened.movePointer(0, 0);
      await opened.flush();
      await sleep(FIRST_DEVICE_DELAY_MS);
    }
    return opened;
  }
  function openAgain(): Promise<RemoteInput> {
    opening ??= start().finally(() => {
      opening = undefined;
    });
    return opening;
  }
  /** Opens remote input, or refuses while the desktop asks the person at the computer. */
  async function openInTime(): Promise<RemoteInput> {
    const { promise: pending, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Refusal('device.input_pending', PENDING_MESSAGE)), PERMISSION_TIMEOUT_MS);
    try {
      return await Promise.race([openAgain(), pending]);
    } finally {
      clearTimeout(timer);
    }
  }
  function postponeClosing(): void {
    clearTimeout(unusedTimer);
    unusedTimer = setTimeout(() => {
      if (isInUse()) return postponeClosing();
      const unused = input;
      input = undefined;
      void unused?.[Symbol.asyncDispose]();
    }, UNUSED_TIMEOUT_MS).unref();
  }

  return {
    get ability(): Ability {
      return refusal ? { able: false, reason: refusal.message } : { able: true };
    },
    open: async () => {
      postponeClosing();
      if (input && !opening) return input;
      const isJustRefused = performance.now() - lastAttemptAt < MIN_RETRY_INTERVAL_MS;
      if (refusal && (refusal.code === 'device.input_ended' || isJustRefused)) throw refusal;
      return openInTime();
    },
    getOpen: () => (opening ? undefined : input),
    onAbilityChange: (listener) => void listeners.push(listener),
    [Symbol.asyncDispose]: async () => {
      // What is being opened is closed then. The person at the computer may take minutes to allow it.
      isDisposed = true;
      clearTimeout(retryTimer);
      clearTimeout(unusedTimer);
      await input?.[Symbol.asyncDispose]();
      input = undefined;
    },
  };
}
