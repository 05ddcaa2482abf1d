import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { createHeldInputs, readLeftovers, type HeldInput, type HeldInputs } from '../heldInputs.ts';
import type { SystemInput } from './inputs.ts';
import { createWindowsKeyboard, type FocusedWindow } from './keyboard.ts';
import type { KeyInjector } from './keyInjector.ts';
import { isHigherLevel, parseIntegrityLevel } from './privileges.ts';

/** A keyboard whose events are recorded. What Windows does with them is tested in session.desktop.ts. */
function createRecordedKeyboard(options: {
  readonly getFocusedWindow?: () => FocusedWindow | undefined;
  readonly down?: readonly number[];
  readonly findLayoutKey?: KeyInjector['findLayoutKey'];
}) {
  const sent: string[] = [];
  const held = new Set<HeldInput>();
  let sendCount = 0;
  let isLocked = false;
  const injector: KeyInjector = {
    send: (inputs) => {
      if (inputs.length === 0) return;
      if (isLocked) throw new Refusal('device.locked', 'that computer is locked');
      sendCount += 1;
      sent.push(...inputs.map((input) => JSON.stringify(input)));
    },
    getScanCode: () => 0,
    toKeyInput: ({ code }, isDown) => ({ virtualKey: code, scanCode: 0, flags: isDown ? 0 : 2 }),
    toButtonInput: (): SystemInput => ({ dx: 0, dy: 0, data: 0, flags: 0 }),
    toHeldInput: (): SystemInput => ({ dx: 0, dy: 0, data: 0, flags: 0 }),
    isDown: (code) => options.down?.includes(code) ?? false,
    findLayoutKey: options.findLayoutKey ?? (() => undefined),
  };
  const heldInputs: HeldInputs = {
    add: (items) => items.forEach((item) => held.add(item)),
    remove: (items) => items.forEach((item) => held.delete(item)),
    setLent: () => undefined,
    setInputMethod: () => undefined,
    list: () => [...held],
    listGuardianLines: () => [],
    close: () => undefined,
  };
  const getFocusedWindow = options.getFocusedWindow ?? (() => ({ id: 1, isProtected: false }));
  return {
    keyboard: createWindowsKeyboard({ injector, heldInputs, getFocusedWindow }),
    sent,
    held,
    getSendCount: () => sendCount,
    setLocked: (now: boolean) => {
      isLocked = now;
    },
  };
}
const listKeys = (sent: readonly string[]): readonly string[] =>
  sent.map((line) => {
    const { virtualKey, flags } = JSON.parse(line) as { virtualKey: number; flags: number };
    return `${flags === 2 ? '-' : '+'}${virtualKey.toString(16)}`;
  });

test('a window with higher privileges gets no text and no shortcut, and the refusal says what to do', async () => {
  const { keyboard, sent } = createRecordedKeyboard({ getFocusedWindow: () => ({ id: 1, isProtected: true }) });
  const message = 'runs as administrator, and Windows lets the agent type only into windows with its own rights';
  await expect(keyboard.type('a')).rejects.toThrow(message);
  await expect(keyboard.press(['Ctrl', 'c'])).rejects.toThrow(message);
  expect(sent).toEqual([]);
});

test('levels are compared, and a program that we may not look at has higher privileges', () => {
  const [MEDIUM, HIGH] = [0x2000, 0x3000];
  expect(isHigherLevel(MEDIUM, HIGH)).toBe(true);
  expect(isHigherLevel(MEDIUM, MEDIUM)).toBe(false);
  expect(isHigherLevel(HIGH, MEDIUM)).toBe(false);
  expect(isHigherLevel(MEDIUM, undefined)).toBe(true);
  expect(isHigherLevel(undefined, undefined)).toBe(false);
});

test('the level is the last part of a label', () => {
  const label = Buffer.alloc(64);
  label.set([1, 1, 0, 0, 0, 0, 0, 16], 16);
  label.writeUInt32LE(0x3000, 24);
  expect(parseIntegrityLevel(label)).toBe(0x3000);
});

test('when another window takes the focus during a long text, the rest is not typed', async () => {
  const windows = [1, 1, 2].values();
  const { keyboard, sent } = createRecordedKeyboard({
    getFocusedWindow: () => ({ id: windows.next().value ?? 2, isProtected: false }),
  });
  await expect(keyboard.type('a'.repeat(1000))).rejects.toThrow('Another window took the focus');
  expect(sent).toHaveLength(2 * 500);
});

test('modifiers that somebody holds are released before the text, and Alt without opening a menu', async () => {
  const { keyboard, sent } = createRecordedKeyboard({ down: [0xa0, 0xa4] });
  await keyboard.type('\n');
  expect(listKeys(sent)).toEqual(['+e8', '-e8', '-a0', '-a4', '+d', '-d']);
});

test('modifiers held for the mouse are released by a shortcut, and everything is known while it is down', async () => {
  const { keyboard, sent, held } = createRecordedKeyboard({});
  await keyboard.holdModifiers(['Ctrl', 'Shift', 'NoSuchKey']);
  expect([...held]).toEqual(['k17', 'k16']);
  const press = keyboard.press(['Shift', 'x']);
  await expect.poll(() => [...held]).toEqual(['k16', 'k88']);
  await press;
  expect([...held]).toEqual([]);
  expect(listKeys(sent)).toEqual(['+11', '+10', '-10', '-11', '+10', '+58', '-58', '-10']);
});

test('a shortcut is pressed and released in one call, as it may bring a protected window to the front', async () => {
  const { keyboard, sent, held, getSendCount } = createRecordedKeyboard({ down: [0xa0] });
  await keyboard.press(['Gui', 'd']);
  expect(listKeys(sent)).toEqual(['-a0', '+5b', '+44', '-44', '-5b']);
  expect(getSendCount()).toBe(1);
  expect([...held]).toEqual([]);
});

test('a digit is its key in a shortcut, and the character alone, which needs Shift in a French layout', async () => {
  const { keyboard, sent } = createRecordedKeyboard({
    findLayoutKey: (character) => (character === '1' ? { code: 0x31, modifiers: ['Shift'] } : undefined),
  });
  await keyboard.press(['Ctrl', '1']);
  expect(listKeys(sent.splice(0))).toEqual(['+11', '+31', '-31', '-11']);
  await keyboard.press(['1']);
  expect(listKeys(sent.splice(0))).toEqual(['+10', '+31', '-31', '-10']);
  await keyboard.press(['2']);
  expect(listKeys(sent)).toEqual(['+32', '-32']);
});

test('a locked computer is named as the reason, although no window has the focus there', async () => {
  const { keyboard, setLocked } = createRecordedKeyboard({ getFocusedWindow: () => undefined });
  setLocked(true);
  await expect(keyboard.type('a')).rejects.toThrow('that computer is locked');
  setLocked(false);
  await expect(keyboard.type('a')).rejects.toThrow('No window on that computer has the keyboard focus');
});

test('keys that can’t be released while the computer is locked stay in the list of held keys', async () => {
  const { keyboard, held, setLocked } = createRecordedKeyboard({});
  await keyboard.holdModifiers(['Ctrl']);
  setLocked(true);
  await keyboard.releaseAll();
  expect([...held]).toEqual(['k17']);
});

test('what is held for too long is released again and again, until it is accepted', () => {
  vi.useFakeTimers();
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-held-'));
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'held.json');
  let isLocked = true;
  const heldInputs = createHeldInputs({
    display: 'windows',
    path,
    sendToGuardian: () => undefined,
    release: () => {
      if (isLocked) throw new Refusal('device.locked', 'that computer is locked');
    },
  });
  heldInputs.add(['k17']);
  vi.advanceTimersByTime(30_000);
  expect(readLeftovers(path)?.held).toEqual(['k17']);
  isLocked = false;
  vi.advanceTimersByTime(1000);
  expect(readLeftovers(path)?.held).toEqual([]);
  heldInputs.close();
});
