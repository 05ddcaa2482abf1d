import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import type { HeldInput, HeldInputs } from '../heldInputs.ts';
import { parseKeymap } from '../wayland/keymap.ts';
import type { ActiveLayout } from './activeLayout.ts';
import type { IbusConnection } from './ibus.ts';
import type { InputSession } from './inputSession.ts';
import { createGnomeKeyboard } from './keyboard.ts';
import type { RemoteInput } from './remoteInput.ts';

const readKeymap = (name: string) =>
  parseKeymap(readFileSync(join(import.meta.dirname, '../wayland/keymaps', `${name}.xkb`), 'utf8'));
const keymap = readKeymap('us');

/** A keyboard whose keys are recorded. */
function createRecordedKeyboard(options: {
  readonly getId?: () => number;
  readonly openTextField: IbusConnection['openTextField'];
  readonly readLayout?: () => Promise<ActiveLayout>;
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
    readLayout: options.readLayout ?? (async () => ({ keymap, group: 0 })),
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

test.each([
  ['before', false, []],
  ['after', true, ['lost']],
] as const)(
  'a text is not called typed if another input method came into use %s it was inserted',
  async (_, isFocused, expected) => {
    const inserted: string[] = [];
    const { keyboard } = createRecordedKeyboard({
      openTextField: async () => ({
        insert: (text) => void inserted.push(text),
        sendKey: async () => undefined,
        expectKeyPress: async () => undefined,
        isFocused: () => isFocused,
        isReplaced: async () => true,
        [Symbol.asyncDispose]: async () => undefined,
      }),
    });
    await expect(keyboard.type('lost')).rejects.toThrow('The keyboard layout of that computer changed during typing');
    expect(inserted).toEqual(expected);
  },
);

test('keys are those of a layout that came into use while a text field was looked for', async () => {
  let group = 0;
  const { keyboard, sent } = createRecordedKeyboard({
    readLayout: async () => ({ keymap: readKeymap('us,ru'), group }),
    openTextField: async () => {
      group = 1;
      return undefined;
    },
  });
  expect(await keyboard.type('aф')).toEqual({ dropped: ['a'] });
  expect(sent).toHaveLength(2);
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
