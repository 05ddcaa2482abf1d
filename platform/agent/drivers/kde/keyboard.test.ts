// KWin 6.7 is in no Debian release yet, so a server that records requests takes its place here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createFakeBus } from '#testing/kits/desktop/fakeBus.ts';
import { startFakeCompositor } from '#testing/kits/desktop/fakeCompositor.ts';
import { createHeldInputs } from '../heldInputs.ts';
import { connectWayland } from '../wayland/connection.ts';
import { MODIFIER_CODES } from '../wayland/keyCodes.ts';
import { parseKeymap } from '../wayland/keymap.ts';
import { openFakeInput } from './fakeInput.ts';
import { createKdeKeyboard, createLayoutSwitch, type KdeKeyboardOptions, type LayoutSwitch } from './keyboard.ts';
import { openKeyStates } from './keyStates.ts';

const FAKE_INPUT = 'org_kde_kwin_fake_input';
/** Modifiers that somebody may hold; this server doesn't report any. */
const RELEASES = MODIFIER_CODES.map((code) => ['keyboard_key', code, 0] as const);

const tap = (request: 'keyboard_key' | 'keyboard_keysym', code: number) => [
  [request, code, 1],
  [request, code, 0],
];

const NO_LAYOUTS: LayoutSwitch = { getCurrent: async () => undefined, select: async () => undefined };

interface RecorderOptions extends Partial<Pick<KdeKeyboardOptions, 'layoutSwitch' | 'keyStates'>> {
  readonly keymapName?: string;
  /** A busy server answers the agent when this resolves. */
  readonly answered?: Promise<void>;
}

/** Starts a server that offers KWin's interface for input, and records its requests. */
async function startRecorder(version: number, options: RecorderOptions = {}) {
  const { keymapName, layoutSwitch = NO_LAYOUTS, keyStates, answered } = options;
  const requests: (readonly unknown[])[] = [];
  const down = new Set<unknown>();
  /** Codes of the keys that are down while the agent waits. */
  const downAtSync: unknown[] = [];
  let syncCount = 0;
  const compositor = await startFakeCompositor({
    globals: [[FAKE_INPUT, version]],
    onRequest: (name, request, args) => {
      if (request === 'sync') {
        syncCount += 1;
        downAtSync.push(...down);
      }
      if (name !== FAKE_INPUT) return;
      requests.push([request, ...args]);
      const [code, state] = args;
      if (state === 1) down.add(code);
      else down.delete(code);
    },
  });
  const connection = await connectWayland(compositor.path);
  onTestFinished(async () => {
    await connection[Symbol.asyncDispose]();
    await compositor[Symbol.asyncDispose]();
  });
  const input = openFakeInput(connection);
  if (!input) throw new Error('the server offers no input');
  const keymapPath = join(import.meta.dirname, '../wayland/keymaps', `${keymapName}.xkb`);
  const keymap = parseKeymap(keymapName === undefined ? '' : readFileSync(keymapPath, 'utf8'));
  const heldInputs = createHeldInputs({
    display: compositor.path,
    path: `${compositor.path}-held.json`,
    sendToGuardian: () => undefined,
    release: () => undefined,
  });
  const keyboard = createKdeKeyboard({
    connection: {
      sync: async () => {
        await connection.sync();
        await answered;
      },
    },
    input,
    getKeymap: () => keymap,
    keyStates: keyStates ?? openKeyStates(connection),
    layoutSwitch,
    heldInputs,
    getFocusedWindow: () => ({ id: 1, isX11: undefined }),
  });
  await connection.sync();
  requests.length = 0;
  return { compositor, heldInputs, requests, downAtSync, keyboard, countSyncs: () => syncCount };
}

test('version 6 types with the keys of the layout, and by keysyms what the layout lacks', async () => {
  const { requests, keyboard } = await startRecorder(6, { keymapName: 'us' });
  expect(await keyboard.type('a\nя👋b\u0007')).toEqual({ dropped: ['\u0007'] });
  expect(requests).toEqual([
    ...RELEASES,
    ...tap('keyboard_key', 30),
    ...tap('keyboard_key', 28),
    ...tap('keyboard_keysym', 0x1000000 + 0x44f),
    ...tap('keyboard_keysym', 0x1000000 + 0x1f44b),
    ...tap('keyboard_key', 48),
  ]);
});

test('KWin serves programs between a few keysyms, and gets requests afterwards, as only then programs get the keys', async () => {
  const { keyboard, countSyncs, requests } = await startRecorder(6, { keymapName: 'us' });
  const syncsBefore = countSyncs();
  await keyboard.type('я'.repeat(80));
  expect(requests.length).toBeGreaterThan(160);
  const syncs = countSyncs();
  expect(syncs - syncsBefore).toBeGreaterThanOrEqual(10);
  await expect.poll(countSyncs).toBeGreaterThan(syncs + 1);
});

test('version 6 presses shortcuts with the keys of the layout', async () => {
  const { requests, keyboard } = await startRecorder(6);
  await keyboard.press(['Ctrl', 'Shift', 'F4']);
  expect(requests).toEqual([
    ...RELEASES,
    ['keyboard_key', 29, 1],
    ['keyboard_key', 42, 1],
    ['keyboard_key', 62, 1],
    ['keyboard_key', 62, 0],
    ['keyboard_key', 42, 0],
    ['keyboard_key', 29, 0],
  ]);
});

test.each([
  ['a shortcut is sent when the person at the computer has released their keys', 2],
  ['a shortcut is refused while they hold one, which would be part of it', Infinity],
])('%s', async (_, checkCount) => {
  let checks = 0;
  const { requests, keyboard } = await startRecorder(6, {
    keymapName: 'us',
    keyStates: {
      canReportModifiers: true,
      isCapsLocked: async () => false,
      listHeldModifiers: async () => (++checks < checkCount ? ['Shift'] : []),
    },
  });
  const press = keyboard.press(['c']);
  if (checkCount === Infinity) await expect(press).rejects.toThrow('Somebody holds Shift on that computer');
  await press.catch(() => undefined);
  expect(requests).toEqual(checkCount === Infinity ? [] : tap('keyboard_key', 46));
});

test('a shortcut is released while the desktop is too busy to answer', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { requests, keyboard } = await startRecorder(6, { answered });
  const pressing = keyboard.press(['F4']);
  await expect.poll(() => requests).toEqual([...RELEASES, ...tap('keyboard_key', 62)]);
  answer();
  await pressing;
});

test('a shortcut for a desktop that has ended fails', async () => {
  const { compositor, keyboard } = await startRecorder(6);
  compositor.disconnect();
  await expect(keyboard.press(['F4'])).rejects.toThrow();
});

test('version 5 types no keysyms: what the layout lacks is named', async () => {
  const { requests, keyboard } = await startRecorder(5);
  expect(await keyboard.type('\n👋')).toEqual({ dropped: ['👋'] });
  expect(requests).toEqual([...RELEASES, ['keyboard_key', 28, 1], ['keyboard_key', 28, 0]]);
});

test('an agent that is killed while it waits in a long text leaves no key down', async () => {
  const { downAtSync, keyboard } = await startRecorder(5, { keymapName: 'us' });
  expect(await keyboard.type('A'.repeat(250))).toEqual({ dropped: [] });
  expect(downAtSync).toEqual([]);
});

test('a desktop that ends while a key is held leaves nothing held', async () => {
  const { compositor, heldInputs, keyboard } = await startRecorder(5, { keymapName: 'us' });
  await keyboard.holdModifiers(['Shift']);
  expect(heldInputs.list()).toEqual(['k42']);
  compositor.disconnect();
  await keyboard.releaseAll();
  expect(heldInputs.list()).toEqual([]);
});

test('nothing is typed in a layout that may not be the one in use', async () => {
  const layoutSwitch = createLayoutSwitch(createFakeBus(() => undefined));
  const { requests, keyboard } = await startRecorder(5, { keymapName: 'us,ru', layoutSwitch });
  await expect(keyboard.type('a')).rejects.toThrow("doesn't report which keyboard layout is in use. Try again");
  expect(requests).toEqual(RELEASES);
});

test('a text that was typed is no failure if its layout stays in use', async () => {
  const getCurrent = vi.fn<LayoutSwitch['getCurrent']>().mockResolvedValueOnce(0).mockResolvedValue(1);
  const select = vi.fn<LayoutSwitch['select']>().mockRejectedValue(new Error('no'));
  const { keyboard } = await startRecorder(5, { keymapName: 'us,ru', layoutSwitch: { getCurrent, select } });
  expect(await keyboard.type('a')).toEqual({ dropped: [] });
  expect(getCurrent).toHaveBeenCalledTimes(2);
});

test('a desktop that offers no layouts has one, and one that does not change its layout is named', async () => {
  const refusing = createLayoutSwitch(createFakeBus((_call, answer) => answer({ name: 'ServiceUnknown' })));
  expect(await refusing.getCurrent()).toBeUndefined();
  await expect(refusing.select(1)).rejects.toThrow('did not change its keyboard layout. Check the text there');
  const ignoring = createLayoutSwitch(createFakeBus((_call, answer) => answer(null, false)));
  await expect(ignoring.select(1)).rejects.toThrow('did not change its keyboard layout');
});
