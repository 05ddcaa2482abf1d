import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createHeldInputs } from '../heldInputs.ts';
import type { InputSession } from './inputSession.ts';
import { createGnomePointer, type Point } from './pointer.ts';
import type { RemoteInput } from './remoteInput.ts';

const LEFT = 0x110;

function createPointer(readCentre: () => Promise<Point>) {
  const calls: (readonly unknown[])[] = [];
  const input = {
    sendButton: (...args: unknown[]) => void calls.push(args),
    flush: async () => undefined,
  } as unknown as RemoteInput;
  const session: InputSession = {
    ability: { able: true },
    open: async () => input,
    getOpen: () => input,
    onAbilityChange: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-pointer-'));
  const heldInputs = createHeldInputs({
    display: '',
    path: join(folder, 'held.json'),
    sendToGuardian: () => undefined,
    release: () => void mouse.releaseAll(),
  });
  onTestFinished(() => {
    heldInputs.close();
    rmSync(folder, { recursive: true });
  });
  const mouse = createGnomePointer({ session, heldInputs, readCentre });
  return { calls, mouse };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a button that is held for too long is released', async () => {
  const { calls, mouse } = createPointer(async () => ({ x: 0, y: 0 }));
  mouse.button('left', true);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(calls).toEqual([
    [LEFT, true],
    [LEFT, false],
  ]);
});

test('a button is released although the middle of the screen is unknown', async () => {
  const { calls, mouse } = createPointer(() => Promise.reject(new Error('no answer')));
  mouse.button('left', true);
  mouse.centre();
  mouse.button('left', false);
  await vi.advanceTimersByTimeAsync(100);
  expect(calls).toEqual([
    [LEFT, true],
    [LEFT, false],
  ]);
});
