import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  waitFor,
  openInputRecorder,
  openTerminalSink,
  startDesktop,
  type TestDesktop,
  type InputRecorder,
} from '#testing/kits/desktop/desktop.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { hotkeyNames } from '#tools/screentime/sorting/domain/hotkeyNotation.ts';
import type { KeyChord } from '../drivers.ts';
import { getKeysymByHotkey } from '../keysyms.ts';
import { openSystemDrivers } from '../systemDrivers.ts';
import { openXHotkeys, type XHotkeys } from './hotkeys.ts';

const createChord = (...keys: readonly string[]): KeyChord => ({
  modifiers: keys.slice(0, -1),
  key: keys.at(-1) ?? '',
});

/** Keycodes of the us layout. */
const KEYCODES = { ctrl: 37, alt: 64, shift: 50, gui: 133, caps: 66, num: 77, m: 58, b: 56, one: 10 } as const;

test('every key that a hotkey can have has a keysym, and no two keys share it', () => {
  const keysyms = [...hotkeyNames, 'm', '1', 'é', 'ж'].map(getKeysymByHotkey);
  expect(keysyms).not.toContain(undefined);
  expect(new Set(keysyms).size).toBe(hotkeyNames.length + 4);
  for (const none of ['Hyper', 'constructor', 'KP_Nothing', 'F99', '', '\u0000'])
    expect(getKeysymByHotkey(none), none).toBeUndefined();
});

const skipReason = getSkipReason('Xvfb', 'openbox', 'setxkbmap', 'xterm');

/** Recorded presses: `0` is the first chord, `0+` a repetition while it is held. */
function createRecordingListener() {
  const presses: string[] = [];
  let refused: ReadonlyMap<number, string> | undefined;
  return {
    presses,
    refused: () => refused,
    listener: {
      onPress: (at: number, isRepeated: boolean) => void presses.push(`${at}${isRepeated ? '+' : ''}`),
      onStatus: (reasons: ReadonlyMap<number, string>) => {
        refused = reasons;
      },
    },
  };
}

describe.skipIf(skipReason)(`hotkeys on X11${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let desk: TestDesktop;
  let recorder: InputRecorder;
  let hotkeys: XHotkeys;

  beforeAll(async () => {
    desk = await startDesktop();
    recorder = await openInputRecorder(desk);
    hotkeys = await openXHotkeys(desk.name);
  });
  afterAll(async () => {
    await hotkeys?.[Symbol.asyncDispose]();
    await recorder?.[Symbol.asyncDispose]();
    await desk?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    desk.setLayout('us');
    await recorder.focus();
    recorder.clear();
  });

  /** Simulates a person: presses the keys in order, and releases them in reverse. */
  async function press(...keycodes: readonly number[]): Promise<void> {
    for (const keycode of keycodes) desk.display.fakeKey(keycode, true);
    for (const keycode of keycodes.toReversed()) desk.display.fakeKey(keycode, false);
    await desk.display.sync();
  }
  /** Listens, and resolves once the status is known. */
  async function listen(chords: readonly KeyChord[], driver = hotkeys) {
    const recording = createRecordingListener();
    driver.listen(chords, recording.listener);
    await waitFor('the status is reported', () => recording.refused());
    return recording;
  }
  const listSeenKeys = (): readonly string[] => recorder.listSeen().map((one) => one.split('/')[0] ?? '');

  test('a hotkey fires once whatever locks are on, no other program gets it, and other combinations do not fire', async () => {
    const { presses, refused } = await listen([createChord('Ctrl', 'Alt', 'm'), createChord('b')]);
    expect(refused()).toEqual(new Map());
    const { ctrl, alt, shift, m, b } = KEYCODES;
    for (const locks of [[], [KEYCODES.num], [KEYCODES.caps], [KEYCODES.num, KEYCODES.caps]]) {
      presses.length = 0;
      for (const lock of locks) await press(lock);
      recorder.clear();
      await press(ctrl, alt, m);
      await press(b);
      await press(ctrl, m);
      await press(ctrl, alt, shift, m);
      await recorder.waitFor(
        'other chords reach the program',
        () => listSeenKeys().filter((one) => one === `-${m}`).length === 2,
      );
      expect(presses, locks.join('-')).toEqual(['0', '1']);
      expect(listSeenKeys().filter((one) => one === `+${m}`)).toHaveLength(2);
      expect(listSeenKeys()).not.toContain(`+${b}`);
      for (const lock of locks) await press(lock);
    }
    await listen([]);
    recorder.clear();
    await press(b);
    await recorder.waitFor('the key reaches the program again', () => listSeenKeys().includes(`+${b}`));
  });

  test('a held hotkey is reported as repeated', async () => {
    const { presses } = await listen([createChord('m')]);
    desk.display.fakeKey(KEYCODES.m, true);
    await waitFor('it repeats', () => presses.length > 2);
    desk.display.fakeKey(KEYCODES.m, false);
    await desk.display.sync();
    expect(presses.slice(0, 3)).toEqual(['0', '0+', '0+']);
    await waitFor('a second press is no repetition', async () => {
      await press(KEYCODES.m);
      return presses.at(-1) === '0';
    });
  });

  test('a hotkey of another program is refused completely, the others work, and it works when the other program ends', async () => {
    const other = await openXHotkeys(desk.name);
    await listen([createChord('Ctrl', 'm')], other);
    const first = await listen([
      createChord('Ctrl', 'm'),
      createChord('F9'),
      createChord('Hyper'),
      createChord('Alt', 'Ctrl', 'F1'),
    ]);
    expect(first.refused()).toEqual(
      new Map([
        [2, "The keyboard of that computer has no key 'Hyper'. Choose another one"],
        [3, 'Alt-Ctrl-F1 is reserved by the system of that computer. Choose other keys'],
        [0, 'Another program on that computer already uses Ctrl-M. Choose other keys'],
      ]),
    );
    await other[Symbol.asyncDispose]();
    const second = await listen([createChord('Ctrl', 'm'), createChord('F9')]);
    expect(second.refused()).toEqual(new Map());
    await press(KEYCODES.ctrl, KEYCODES.m);
    await waitFor('it is reported', () => second.presses.length === 1);
    expect(first.presses).toEqual([]);
  });

  test('a change of the layout moves the hotkey', async () => {
    const { presses, refused } = await listen([createChord('Ctrl', 'a'), createChord('ж'), createChord('!')]);
    expect(refused()).toEqual(new Map([[1, "The keyboard of that computer has no key 'ж'. Choose another one"]]));
    await press(KEYCODES.ctrl, 38);
    await press(KEYCODES.shift, KEYCODES.one);
    await waitFor('both are reported', () => presses.length === 2);
    desk.setLayout('fr');
    await waitFor('it moves to the key of the new layout', async () => {
      presses.length = 0;
      await press(KEYCODES.ctrl, 24);
      return presses.length === 1;
    });
    desk.setLayout('us,ru');
    await waitFor('the missing character is available', () => refused()?.size === 0);
    presses.length = 0;
    await desk.setGroup(1);
    await press(47);
    await press(KEYCODES.ctrl, 38);
    await waitFor('they are reported in either group', () => presses.length === 2);
    expect(presses).toEqual(['1', '0']);
    await desk.setGroup(0);
  });

  test('keys of the keypad, media keys, and two names for one key', async () => {
    const { presses, refused } = await listen([
      createChord('KP_7'),
      createChord('VolumeUp'),
      createChord('Pause'),
      createChord('F13'),
    ]);
    expect([...(refused()?.keys() ?? [])], 'this keyboard has no F13').toEqual([3]);
    await press(79);
    await press(123);
    await press(127);
    await waitFor('all are reported', () => presses.length === 3);
    const twice = await listen([createChord('!'), createChord('Shift', '1')]);
    expect(twice.refused()?.get(1)).toBe('Shift-1 and ! are the same key on that computer. Change one of them');
  });

  test('typing by the agent triggers no hotkey and arrives; the next press works again', async () => {
    const folder = createTempFolderSync();
    await listen([]);
    await using sink = await openTerminalSink(desk);
    await using drivers = await openSystemDrivers({ env: { DISPLAY: desk.name }, stateDir: folder });
    const recording = createRecordingListener();
    drivers.hotkeys.listen([createChord('m'), createChord('é'), createChord('Ctrl', 'm')], recording.listener);
    await waitFor('the status is reported', () => recording.refused());
    // While a hotkey is held, its grab would receive all keys.
    desk.display.fakeKey(KEYCODES.m, true);
    await desk.display.sync();
    await waitFor('it is reported', () => recording.presses.length > 0);
    await drivers.keyboard.type('bébé');
    desk.display.fakeKey(KEYCODES.m, false);
    await desk.display.sync();
    // X repeats a key that is held for more than 660 ms.
    await waitFor('it arrives', () => /^m*bébé$/.test(sink.getText()));
    sink.clear();
    await drivers.keyboard.type('mummy');
    await sink.waitForText('mummy');
    const before = recording.presses.length;
    await waitFor('it is reported again', async () => {
      await press(KEYCODES.m);
      return recording.presses.length > before;
    });
  });

  test('hotkeys survive the display: refused with a sentence without one, active on the next', async () => {
    const folder = createTempFolderSync();
    const first = await startDesktop();
    const env: NodeJS.ProcessEnv = { DISPLAY: first.name };
    await using drivers = await openSystemDrivers({ env, stateDir: folder, retryIntervalMs: 20 });
    const recording = createRecordingListener();
    drivers.hotkeys.listen([createChord('m')], recording.listener);
    await waitFor('it is granted', () => recording.refused()?.size === 0);
    await first[Symbol.asyncDispose]();
    await waitFor('it says that the display is gone', () => /display/.test(recording.refused()?.get(0) ?? ''));
    await listen([]);
    env['DISPLAY'] = desk.name;
    await waitFor('it is granted again', () => recording.refused()?.size === 0);
    await press(KEYCODES.m);
    await waitFor('it is reported', () => recording.presses.length === 1);
  });
});
