import { expect, test } from 'vitest';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import type { SystemInput } from './inputs.ts';
import { createWindowsKeyboard, type FocusedWindow } from './keyboard.ts';
import type { KeyInjector } from './keyInjector.ts';
import { isHigherLevel, parseIntegrityLevel } from './privileges.ts';

/** A keyboard whose events are recorded. What Windows does with them is tested in session.desktop.ts. */
function createRecordedKeyboard(options: {
  readonly getFocusedWindow?: () => FocusedWindow | undefined;
  readonly down?: readonly number[];
}) {
  const sent: string[] = [];
  const held = new Set<HeldInput>();
  const injector: KeyInjector = {
    send: (inputs) => void sent.push(...inputs.map((input) => JSON.stringify(input))),
    getScanCode: () => 0,
    toKeyInput: ({ code }, isDown) => ({ virtualKey: code, scanCode: 0, flags: isDown ? 0 : 2 }),
    toButtonInput: (): SystemInput => ({ dx: 0, dy: 0, data: 0, flags: 0 }),
    toHeldInput: (): SystemInput => ({ dx: 0, dy: 0, data: 0, flags: 0 }),
    isDown: (code) => options.down?.includes(code) ?? false,
    findLayoutKey: () => undefined,
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
  return { keyboard: createWindowsKeyboard({ injector, heldInputs, getFocusedWindow }), sent, held };
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
  const press = keyboard.press(['Alt', 'x']);
  await expect.poll(() => [...held]).toEqual(['k18', 'k88']);
  await press;
  expect([...held]).toEqual([]);
  expect(listKeys(sent)).toEqual(['+11', '+10', '-10', '-11', '+12', '+58', '-58', '-12']);
});
