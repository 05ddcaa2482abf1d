import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { parseKeymap } from '../wayland/keymap.ts';
import type { InputSession } from './inputSession.ts';
import { createGnomeKeyboard } from './keyboard.ts';
import type { RemoteInput } from './remoteInput.ts';

const readKeymap = (name: string) =>
  parseKeymap(readFileSync(join(import.meta.dirname, '../wayland/keymaps', `${name}.xkb`), 'utf8'));
const keymap = readKeymap('us');

test('no text is typed into a window that took the focus while a text field was looked for', async () => {
  const sent: number[] = [];
  const input = {
    sendKeysym: (keysym: number) => void sent.push(keysym),
    isCapsLocked: async () => false,
    flush: async () => undefined,
  } as unknown as RemoteInput;
  const session = { open: async () => input, getOpen: () => input } as unknown as InputSession;
  let id = 1;
  const keyboard = createGnomeKeyboard({
    session,
    heldInputs: {} as HeldInputs,
    readLayout: async () => ({ keymap, group: 0 }),
    openIbus: async () => ({
      isOpen: () => true,
      sync: async () => undefined,
      openTextField: async () => {
        id = 2;
        return undefined;
      },
      [Symbol.dispose]: () => undefined,
    }),
    syncShell: async () => undefined,
    getFocused: () => ({ id, application: 'test', isX11: false }),
  });
  await expect(keyboard.type('a')).rejects.toThrow('Another window took the focus');
  expect(sent).toEqual([]);
});

test('keys are those of a layout that came into use while a text field was looked for', async () => {
  const sent: number[] = [];
  const input = {
    sendKeysym: (keysym: number) => void sent.push(keysym),
    isCapsLocked: async () => false,
    flush: async () => undefined,
  } as unknown as RemoteInput;
  let group = 0;
  const keyboard = createGnomeKeyboard({
    session: { open: async () => input, getOpen: () => input } as unknown as InputSession,
    heldInputs: {} as HeldInputs,
    readLayout: async () => ({ keymap: readKeymap('us,ru'), group }),
    openIbus: async () => ({
      isOpen: () => true,
      sync: async () => undefined,
      openTextField: async () => {
        group = 1;
        return undefined;
      },
      [Symbol.dispose]: () => undefined,
    }),
    syncShell: async () => undefined,
    getFocused: () => undefined,
  });
  expect(await keyboard.type('aф')).toEqual({ dropped: ['a'] });
  expect(sent).toHaveLength(2);
});

test('a desktop that is too busy to answer sees the key of a shortcut released, and its modifiers later', async () => {
  const sent: string[] = [];
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const input = {
    sendKeycode: (code: number, isDown: boolean) => void sent.push(`${isDown ? '+' : '-'}${code}`),
    flush: () => answered,
  } as unknown as RemoteInput;
  const released: (readonly HeldInput[])[] = [];
  const keyboard = createGnomeKeyboard({
    session: { open: async () => input, getOpen: () => input } as unknown as InputSession,
    heldInputs: {
      add: () => undefined,
      remove: (inputs: readonly HeldInput[]) => void released.push(inputs),
    } as unknown as HeldInputs,
    readLayout: async () => ({ keymap, group: 0 }),
    openIbus: async () => undefined,
    syncShell: async () => undefined,
    getFocused: () => undefined,
  });
  const pressing = keyboard.press(['Ctrl', 'Shift', 'z']);
  await expect.poll(() => sent).toEqual(['+29', '+42', '+44', '-44']);
  expect(released).toEqual([]);
  answer();
  await pressing;
  expect(sent.slice(-2)).toEqual(['-42', '-29']);
  expect(released.flat().toSorted()).toEqual(['k29', 'k42', 'k44']);
});
