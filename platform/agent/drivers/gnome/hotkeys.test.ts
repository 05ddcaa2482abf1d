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
