import { expect, test } from 'vitest';
import type { ExtensionClient } from './extensionClient.ts';
import { createGnomeHotkeys } from './hotkeys.ts';

const STATE = { windows: [], layoutGroup: 0 };
const CHORD = { modifiers: ['Ctrl', 'Alt'], key: 'r' };

/** An extension that accepts everything, or doesn't answer. */
function createExtension() {
  const calls: (readonly string[])[] = [];
  let isAnswering = true;
  const extension: ExtensionClient = {
    getState: () => STATE,
    onChange: () => undefined,
    onHotkey: () => undefined,
    setHotkeys: async (accelerators) => {
      await new Promise(setImmediate);
      if (!isAnswering) throw new Error('no answer');
      calls.push(accelerators);
      return accelerators.map(() => true);
    },
    [Symbol.dispose]: () => undefined,
  };
  return { calls, extension, setAnswering: (value: boolean) => void (isAnswering = value) };
}

test('an extension that does not answer is reported for each hotkey, and stops no text', async () => {
  const { calls, extension, setAnswering } = createExtension();
  await using hotkeys = createGnomeHotkeys(extension, () => 'missing');
  const statuses: ReadonlyMap<number, string>[] = [];
  const listener = {
    onPress: () => undefined,
    onStatus: (status: ReadonlyMap<number, string>) => void statuses.push(status),
  };
  hotkeys.listen([CHORD], listener);
  await expect.poll(() => statuses).toEqual([new Map()]);
  setAnswering(false);
  expect(await hotkeys.runWithout(async () => 'typed')).toBe('typed');
  await expect.poll(() => statuses.at(-1)?.get(0)).toContain('does not answer');
  setAnswering(true);
  hotkeys.listen([CHORD], listener);
  await expect.poll(() => statuses.at(-1)).toEqual(new Map());
  expect(calls).toEqual([['<Control><Alt>r'], ['<Control><Alt>r']]);
});

test('keys of a text that follows another one at once trigger no hotkey', async () => {
  const { calls, extension } = createExtension();
  await using hotkeys = createGnomeHotkeys(extension, () => 'missing');
  await new Promise<void>((resolve) =>
    hotkeys.listen([CHORD], { onPress: () => undefined, onStatus: () => resolve() }),
  );
  for (let count = 0; count < 3; count++)
    await hotkeys.runWithout(async () => {
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      expect(calls.at(-1)).toEqual([]);
    });
  await expect.poll(() => calls.at(-1)).toEqual(['<Control><Alt>r']);
});
