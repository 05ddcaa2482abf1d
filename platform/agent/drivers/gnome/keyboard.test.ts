import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import type { HeldInputs } from '../heldInputs.ts';
import { parseKeymap } from '../wayland/keymap.ts';
import type { IbusConnection } from './ibus.ts';
import type { InputSession } from './inputSession.ts';
import { createGnomeKeyboard } from './keyboard.ts';
import type { RemoteInput } from './remoteInput.ts';

const keymap = parseKeymap(readFileSync(join(import.meta.dirname, '../wayland/keymaps/us.xkb'), 'utf8'));

/** A keyboard whose keys are recorded. */
function createRecordedKeyboard(options: {
  readonly getId?: () => number;
  readonly openTextField: IbusConnection['openTextField'];
}) {
  const sent: number[] = [];
  const input = {
    sendKeysym: (keysym: number) => void sent.push(keysym),
    isCapsLocked: async () => false,
    flush: async () => undefined,
  } as unknown as RemoteInput;
  const session = { open: async () => input, getOpen: () => input } as unknown as InputSession;
  const keyboard = createGnomeKeyboard({
    session,
    heldInputs: {} as HeldInputs,
    readLayout: async () => ({ keymap, group: 0 }),
    openIbus: async () => ({
      isOpen: () => true,
      sync: async () => undefined,
      openTextField: options.openTextField,
      [Symbol.dispose]: () => undefined,
    }),
    syncShell: async () => undefined,
    getFocused: () => ({ id: options.getId?.() ?? 1, application: 'test', isX11: false }),
  });
  return { keyboard, sent };
}

test('no text is typed into a window that took the focus while a text field was looked for', async () => {
  let id = 1;
  const { keyboard, sent } = createRecordedKeyboard({
    getId: () => id,
    openTextField: async () => {
      id = 2;
      return undefined;
    },
  });
  await expect(keyboard.type('a')).rejects.toThrow('Another window took the focus');
  expect(sent).toEqual([]);
});

test('an input method that hangs is named, and one that fails is replaced by keys', async () => {
  let error: Error = new Refusal('device.input_method_hangs', 'The input method hangs');
  const { keyboard, sent } = createRecordedKeyboard({ openTextField: () => Promise.reject(error) });
  await expect(keyboard.type('a')).rejects.toThrow('The input method hangs');
  expect(sent).toEqual([]);
  error = new Error('IBus has ended');
  await keyboard.type('a');
  expect(sent).toEqual([0x61, 0x61]);
});
