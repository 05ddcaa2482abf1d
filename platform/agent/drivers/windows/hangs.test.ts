// What happens if something on the computer hangs or is lost. Windows itself is a library of fakes.
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { loadFakeWindows } from '#testing/kits/desktop/fakeWindows.ts';
import { getSkipReason } from '#testing/machine.ts';
import { runGuardian } from '../guardian.ts';
import type { HeldInputs } from '../heldInputs.ts';
import { openWindowsClipboard } from './clipboard.ts';
import type { MouseInput, SystemInput } from './inputs.ts';
import type { KeyInjector } from './keyInjector.ts';
import { openWindowsNotifications } from './notifications.ts';
import { createWindowsPointer } from './pointer.ts';

const skipReason = getSkipReason('gcc');

describe.skipIf(skipReason)(`Windows with a hung program${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  const fakes = skipReason === undefined ? loadFakeWindows() : undefined;

  test('a program that owns the clipboard and hangs blocks neither the agent nor later requests', async () => {
    const clipboard = openWindowsClipboard();
    expect(await clipboard.read()).toBe('copied');
    fakes?.user32.fake_set_owner_hung(1);
    let tickCount = 0;
    const timer = setInterval(() => (tickCount += 1), 50);
    const reading = clipboard.read();
    const hangs = 'is not responding. Close that program there, then copy again';
    await expect(reading).rejects.toThrow(hangs);
    clearInterval(timer);
    expect(tickCount).toBeGreaterThan(5);
    // The hung read itself keeps the clipboard open.
    await expect(clipboard.write('text')).rejects.toThrow(hangs);
    await expect(clipboard.read()).rejects.toThrow(hangs);
    fakes?.user32.fake_set_owner_hung(0);
    await expect.poll(() => clipboard.read().catch(() => '')).toBe('copied');
  });

  test.each([
    ['nobody can see', 0],
    ['is lost for good', 1],
  ])('a question that %s ends after its time, and the next one is shown', async (_, isLost) => {
    const question = { title: 'Allow?', text: '', confirmLabel: 'Yes', rejectLabel: 'No', timeoutMs: 200 };
    await using notifications = openWindowsNotifications();
    fakes?.user32.fake_set_box(isLost, -1);
    expect(await notifications.confirm(question)).toBeUndefined();
    expect(fakes?.user32.fake_get_quit_messages()).toBe(1);
    fakes?.user32.fake_set_box(isLost, 6);
    expect(await notifications.confirm({ ...question, timeoutMs: 10_000 })).toBe(true);
    expect(fakes?.user32.fake_get_quit_messages()).toBe(0);
  });

  test('a question whose thread starts only after its time is not shown', async () => {
    const question = { title: 'Allow?', text: '', confirmLabel: 'Yes', rejectLabel: 'No', timeoutMs: 100 };
    await using notifications = openWindowsNotifications();
    fakes?.user32.fake_set_box(0, 6);
    fakes?.kernel32.fake_set_thread_slow(1);
    expect(await notifications.confirm(question)).toBeUndefined();
    fakes?.kernel32.fake_set_thread_slow(0);
    await sleep(200);
    expect(fakes?.user32.fake_get_boxes()).toBe(0);
  });

  test('a question that Windows could not show is refused with a sentence', async () => {
    const question = { title: 'Allow?', text: '', confirmLabel: 'Yes', rejectLabel: 'No', timeoutMs: 10_000 };
    await using notifications = openWindowsNotifications();
    fakes?.user32.fake_set_box(0, 0);
    await expect(notifications.confirm(question)).rejects.toThrow("doesn't show notifications");
  });

  test.each([
    { from: [1919, 1000], by: [30, 0], to: [1919, 1000] },
    { from: [2000, 700], by: [0, 50], to: [2000, 719] },
    { from: [1900, 700], by: [100, 10], to: [2000, 710] },
    { from: [2000, 700], by: [5000, -5000], to: [3199, 0] },
  ])('the pointer never leaves two screens of different sizes: $from by $by', ({ from, by, to }) => {
    const sent: SystemInput[] = [];
    const injector = { send: (inputs: readonly SystemInput[]) => void sent.push(...inputs) } as unknown as KeyInjector;
    const mouse = createWindowsPointer(injector, {} as HeldInputs);
    fakes?.user32.fake_set_cursor(from[0] ?? 0, from[1] ?? 0);
    mouse.move(by[0] ?? 0, by[1] ?? 0);
    const { dx, dy } = sent[0] as MouseInput;
    expect([Math.floor((dx * 3200) / 65_536), Math.floor((dy * 1080) / 65_536)]).toEqual(to);
  });

  test.each([
    ['while the computer is locked', 5, 1, 2],
    ['for a while, if Windows refuses for another reason', 87, 5, 6],
  ])(
    'the guardian tries to release keys %s',
    async (_, lastError, refusalCount, attemptCount) => {
      fakes?.kernel32.fake_set_last_error(lastError);
      fakes?.user32.fake_refuse_input(refusalCount);
      const listenerCount = process.listenerCount('SIGTERM');
      await runGuardian({ heldPath: '/nonexistent' }, Readable.from(['+k17\n']));
      expect(process.listenerCount('SIGTERM')).toBe(listenerCount);
      expect(fakes?.user32.fake_get_attempts()).toBe(attemptCount);
    },
    20_000,
  );
});
