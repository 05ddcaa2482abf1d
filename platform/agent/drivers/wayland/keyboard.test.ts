import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HeldInputs } from '../heldInputs.ts';
import { createWaylandKeyboard, type FocusedWindow } from './keyboard.ts';
import { parseKeymap } from './keymap.ts';

const US = parseKeymap(readFileSync(join(import.meta.dirname, 'keymaps', 'us.xkb'), 'utf8'));
const WINDOW: FocusedWindow = { id: 1, isX11: false };
const heldInputs: HeldInputs = {
  add: () => undefined,
  remove: () => undefined,
  setLent: () => undefined,
  setInputMethod: () => undefined,
  list: () => [],
  listGuardianLines: () => [],
  close: () => undefined,
};

/** A keyboard whose presses are counted. Whether they arrive is tested on real compositors. */
function createCountedKeyboard(readFocusedWindow: () => Promise<FocusedWindow | undefined>) {
  let pressCount = 0;
  let modifiersAtSync = 0;
  let modifiers = 0;
  const keyboard = createWaylandKeyboard({
    connection: {
      sync: async () => {
        modifiersAtSync |= modifiers;
      },
    },
    keyboard: {
      getKeymap: () => US,
      hasKeymapText: () => true,
      setKeymapText: () => undefined,
      sendKey: (_code, isDown) => {
        if (isDown) pressCount += 1;
      },
      setModifiers: (mask) => {
        modifiers = mask;
      },
    },
    heldInputs,
    openTextField: async () => undefined,
    readFocusedWindow,
  });
  return { keyboard, getPressCount: () => pressCount, getModifiersAtSync: () => modifiersAtSync };
}

test('when another window takes the focus during a long text, the rest is not typed', async () => {
  const ids = [1, 1, 1, 2].values();
  const { keyboard, getPressCount } = createCountedKeyboard(async () => ({ ...WINDOW, id: ids.next().value ?? 2 }));
  await expect(keyboard.type('A'.repeat(1000))).rejects.toThrow('Another window took the focus');
  expect(getPressCount()).toBe(200);
});

test('a long text is typed completely, and no modifier is set while the agent waits in the middle of it', async () => {
  const { keyboard, getPressCount, getModifiersAtSync } = createCountedKeyboard(async () => WINDOW);
  let progressCount = 0;
  expect(await keyboard.type('A'.repeat(250), () => void progressCount++)).toEqual({ dropped: [] });
  expect([getPressCount(), progressCount, getModifiersAtSync()]).toEqual([250, 3, 0]);
});
