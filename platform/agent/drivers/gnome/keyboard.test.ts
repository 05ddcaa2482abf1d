import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HeldInputs } from '../heldInputs.ts';
import { parseKeymap } from '../wayland/keymap.ts';
import type { InputSession } from './inputSession.ts';
import { createGnomeKeyboard } from './keyboard.ts';
import type { RemoteInput } from './remoteInput.ts';

const keymap = parseKeymap(readFileSync(join(import.meta.dirname, '../wayland/keymaps/us.xkb'), 'utf8'));

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
