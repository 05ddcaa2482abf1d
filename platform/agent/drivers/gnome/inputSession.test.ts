import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInputSession } from './inputSession.ts';
import { RemoteInputDeniedError, type RemoteInput } from './remoteInput.ts';

/** A recorder in place of the desktop; the real one is tested in session.desktop.ts. */
function createRecorder() {
  const calls: string[] = [];
  let closedListener: (() => void) | undefined;
  const input: RemoteInput = {
    sendKeysym: (keysym, down) => void calls.push(`keysym ${keysym} ${down}`),
    sendKeycode: (code, down) => void calls.push(`code ${code} ${down}`),
    movePointer: (dx, dy) => void calls.push(`motion ${dx} ${dy}`),
    sendButton: () => undefined,
    turnWheel: () => undefined,
    flush: async () => undefined,
    isCapsLocked: async () => undefined,
    onClosed: (listener) => {
      closedListener = listener;
    },
    [Symbol.asyncDispose]: async () => void calls.push('closed'),
  };
  return { calls, input, end: () => closedListener?.() };
}

interface TestOptions {
  readonly openInput: () => Promise<RemoteInput>;
  readonly isScreenLocked?: () => Promise<boolean>;
  readonly hasInputDevices?: boolean;
  readonly isInUse?: () => boolean;
}
const createSession = ({ openInput, isScreenLocked, hasInputDevices = true, isInUse = () => false }: TestOptions) =>
  createInputSession({
    openInput,
    isScreenLocked: isScreenLocked ?? (async () => false),
    hasInputDevices: () => hasInputDevices,
    isInUse,
    onEnded: () => undefined,
  });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the first events of a new keyboard and pointer type nothing, because programs miss them', async () => {
  const { calls, input } = createRecorder();
  await using session = createSession({ openInput: async () => input, hasInputDevices: false });
  const opening = session.open();
  await vi.advanceTimersByTimeAsync(500);
  expect(await opening).toBe(input);
  expect(calls).toEqual(['code 42 true', 'code 42 false', 'motion 0 0']);
});

test('no caller gets the first devices of a computer before programs have noticed them', async () => {
  const { input } = createRecorder();
  await using session = createSession({ openInput: async () => input, hasInputDevices: false });
  const opened: number[] = [];
  const opening = session.open().then(() => opened.push(1));
  await vi.advanceTimersByTimeAsync(100);
  const second = session.open().then(() => opened.push(2));
  await vi.advanceTimersByTimeAsync(100);
  expect(opened).toEqual([]);
  await Promise.all([opening, second]);
  expect(opened).toEqual([1, 2]);
});

test('the mouse waits for the first devices of a computer like the keyboard', async () => {
  const { input } = createRecorder();
  await using session = createSession({ openInput: async () => input, hasInputDevices: false });
  const opening = session.open();
  await vi.advanceTimersByTimeAsync(100);
  expect(session.getOpen()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(400);
  await opening;
  expect(session.getOpen()).toBe(input);
});

test('remote input that ended at once is an ability with a sentence', async () => {
  const { input } = createRecorder();
  const openInput = async (): Promise<RemoteInput> => ({ ...input, onClosed: (listener) => listener() });
  await using session = createSession({ openInput });
  await session.open();
  expect(session.ability).toEqual({ able: false, reason: expect.stringContaining('Somebody ended remote control') });
  expect(session.getOpen()).toBeUndefined();
});

test('the end of the agent waits for no permission, and what is permitted afterwards is closed', async () => {
  const { calls, input } = createRecorder();
  const { promise, resolve } = Promise.withResolvers<RemoteInput>();
  const session = createSession({ openInput: () => promise });
  const opening = session.open();
  await session[Symbol.asyncDispose]();
  expect(calls).toEqual([]);
  resolve(input);
  await expect(opening).rejects.toThrow('the session has ended');
  expect(calls).toEqual(['closed']);
});

test('callers are refused with a sentence while the desktop requests permission, and served afterwards', async () => {
  const { input } = createRecorder();
  const { promise, resolve } = Promise.withResolvers<RemoteInput>();
  await using session = createSession({ openInput: () => promise });
  const opening = session.open();
  await Promise.all([
    expect(opening).rejects.toThrow('That computer asks whether it may be controlled'),
    vi.advanceTimersByTimeAsync(5000),
  ]);
  expect(session.ability.able).toBe(true);
  resolve(input);
  expect(await session.open()).toBe(input);
});

test('somebody who denies the permission is left alone for a minute', async () => {
  let requestCount = 0;
  const openInput = async (): Promise<RemoteInput> => {
    requestCount += 1;
    throw new RemoteInputDeniedError();
  };
  await using session = createSession({ openInput });
  await expect(session.open()).rejects.toThrow('Somebody denied remote control at that computer');
  await vi.advanceTimersByTimeAsync(59_000);
  await expect(session.open()).rejects.toThrow('Somebody denied remote control at that computer');
  await vi.advanceTimersByTimeAsync(2000);
  expect(requestCount).toBe(1);
  expect(session.ability.able).toBe(true);
});

test('remote input is closed after five minutes without use, unless something is held', async () => {
  const { calls, input } = createRecorder();
  let isHeld = true;
  await using session = createSession({ openInput: async () => input, isInUse: () => isHeld });
  await session.open();
  await vi.advanceTimersByTimeAsync(301_000);
  expect(session.getOpen()).toBe(input);
  isHeld = false;
  await vi.advanceTimersByTimeAsync(301_000);
  expect(session.getOpen()).toBeUndefined();
  expect(calls).toEqual(['closed']);
});

test('a refusing desktop is an ability with a sentence, is tried again, and not for each motion', async () => {
  const { input } = createRecorder();
  let attemptCount = 0;
  let isRefusing = true;
  const openInput = async (): Promise<RemoteInput> => {
    attemptCount += 1;
    if (isRefusing) throw new Error('no');
    return input;
  };
  await using session = createSession({ openInput });
  for (let call = 0; call < 5; call++) await expect(session.open()).rejects.toThrow("doesn't let the agent type now");
  expect(attemptCount).toBe(1);
  expect(session.ability.able).toBe(false);
  isRefusing = false;
  await vi.advanceTimersByTimeAsync(5100);
  expect(session.ability.able).toBe(true);
});

test('a locked screen is an ability with a sentence until it is unlocked', async () => {
  const { input, end } = createRecorder();
  let isLocked = false;
  await using session = createSession({ openInput: async () => input, isScreenLocked: async () => isLocked });
  await session.open();
  isLocked = true;
  end();
  await vi.advanceTimersByTimeAsync(11_000);
  expect(session.ability).toEqual({ able: false, reason: 'The screen of that computer is locked. Unlock it there' });
  isLocked = false;
  await vi.advanceTimersByTimeAsync(5100);
  expect(session.ability.able).toBe(true);
  expect(await session.open()).toBe(input);
});

test('somebody who ends remote input at the computer is left alone for a minute', async () => {
  const { input, end } = createRecorder();
  await using session = createSession({ openInput: async () => input });
  await session.open();
  end();
  await expect(session.open()).rejects.toThrow('Somebody ended remote control at that computer');
  await vi.advanceTimersByTimeAsync(59_000);
  await expect(session.open()).rejects.toThrow('Somebody ended remote control at that computer');
  await vi.advanceTimersByTimeAsync(2000);
  expect(session.ability.able).toBe(true);
  expect(await session.open()).toBe(input);
});
