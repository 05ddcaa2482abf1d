import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  waitFor,
  openInputRecorder,
  openTerminalSink,
  startDesktop,
  type TestDesktop,
  type InputRecorder,
} from '#testing/kits/desktop/desktop.ts';
import { getSkipReason } from '#testing/machine.ts';
import { hotkeyNames } from '#tools/screentime/sorting/domain/hotkeyNotation.ts';
import type { KeyChord } from '../drivers.ts';
import { openSystemDrivers } from '../liveDrivers.ts';
import { openXHotkeys, type XHotkeys } from './hotkeys.ts';
import { getKeysymByHotkey } from './keyboardLayout.ts';

const chord = (...keys: readonly string[]): KeyChord => ({ modifiers: keys.slice(0, -1), key: keys.at(-1) ?? '' });

/** Keycodes of the us layout. */
const codes = { ctrl: 37, alt: 64, shift: 50, gui: 133, caps: 66, num: 77, m: 58, b: 56, one: 10 } as const;

test('every key that a hotkey can have has a keysym, and no two keys share one', () => {
  const keysyms = [...hotkeyNames, 'm', '1', 'é', 'ж'].map(getKeysymByHotkey);
  expect(keysyms).not.toContain(undefined);
  expect(new Set(keysyms).size).toBe(hotkeyNames.length + 4);
  for (const none of ['Hyper', 'constructor', 'KP_Nothing', 'F99', '', '\u0000'])
    expect(getKeysymByHotkey(none), none).toBeUndefined();
});

const skipReason = getSkipReason('Xvfb', 'openbox', 'setxkbmap', 'xterm');

/** Recorded presses: `0` is the first chord, `0+` a repetition while it is held. */
const hearing = () => {
  const received: string[] = [];
  let refused: ReadonlyMap<number, string> | undefined;
  return {
    heard: received,
    refused: () => refused,
    listener: {
      onPress: (at: number, isRepeated: boolean) => void received.push(`${at}${isRepeated ? '+' : ''}`),
      onStatus: (reasons: ReadonlyMap<number, string>) => {
        refused = reasons;
      },
    },
  };
};

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
  const press = async (...keycodes: readonly number[]): Promise<void> => {
    for (const keycode of keycodes) desk.display.fakeKey(keycode, true);
    for (const keycode of keycodes.toReversed()) desk.display.fakeKey(keycode, false);
    await desk.display.sync();
  };
  /** Listens, and resolves once the status is known. */
  const listening = async (chords: readonly KeyChord[], on = hotkeys) => {
    const ears = hearing();
    on.listen(chords, ears.listener);
    await waitFor('it is known how it stands', () => ears.refused());
    return ears;
  };
  const seenKeys = (): readonly string[] => recorder.listSeen().map((one) => one.split('/')[0] ?? '');

  test('a hotkey fires once whatever locks are on, no other program gets it, and other combinations do not fire', async () => {
    const { heard: received, refused } = await listening([chord('Ctrl', 'Alt', 'm'), chord('b')]);
    expect(refused()).toEqual(new Map());
    const { ctrl, alt, shift, m, b } = codes;
    for (const locks of [[], [codes.num], [codes.caps], [codes.num, codes.caps]]) {
      received.length = 0;
      for (const lock of locks) await press(lock);
      recorder.clear();
      await press(ctrl, alt, m);
      await press(b);
      await press(ctrl, m);
      await press(ctrl, alt, shift, m);
      await recorder.waitFor(
        'what is no hotkey goes on',
        () => seenKeys().filter((one) => one === `-${m}`).length === 2,
      );
      expect(received, locks.join('-')).toEqual(['0', '1']);
      expect(seenKeys().filter((one) => one === `+${m}`)).toHaveLength(2);
      expect(seenKeys()).not.toContain(`+${b}`);
      for (const lock of locks) await press(lock);
    }
    await listening([]);
    recorder.clear();
    await press(b);
    await recorder.waitFor('it goes where it went before', () => seenKeys().includes(`+${b}`));
  });

  test('a held hotkey is reported as repeated', async () => {
    const { heard: received } = await listening([chord('m')]);
    desk.display.fakeKey(codes.m, true);
    await waitFor('it repeats', () => received.length > 2);
    desk.display.fakeKey(codes.m, false);
    await desk.display.sync();
    expect(received.slice(0, 3)).toEqual(['0', '0+', '0+']);
    await waitFor('a second press is one of its own', async () => {
      await press(codes.m);
      return received.at(-1) === '0';
    });
  });

  test('a hotkey of another program is refused completely, the others work, and it works when the other program ends', async () => {
    const other = await openXHotkeys(desk.name);
    await listening([chord('Ctrl', 'm')], other);
    const first = await listening([chord('Ctrl', 'm'), chord('F9'), chord('Hyper'), chord('Alt', 'Ctrl', 'F1')]);
    expect(first.refused()).toEqual(
      new Map([
        [2, "The keyboard of that computer has no key 'Hyper'. Choose another one"],
        [3, 'Alt-Ctrl-F1 is reserved by the system of that computer. Choose other keys'],
        [0, 'Another program on that computer already uses Ctrl-M. Choose other keys'],
      ]),
    );
    await other[Symbol.asyncDispose]();
    const second = await listening([chord('Ctrl', 'm'), chord('F9')]);
    expect(second.refused()).toEqual(new Map());
    await press(codes.ctrl, codes.m);
    await waitFor('it is heard', () => second.heard.length === 1);
    expect(first.heard).toEqual([]);
  });

  test('a change of the layout moves the hotkey', async () => {
    const { heard: received, refused } = await listening([chord('Ctrl', 'a'), chord('ж'), chord('!')]);
    expect(refused()).toEqual(new Map([[1, "The keyboard of that computer has no key 'ж'. Choose another one"]]));
    await press(codes.ctrl, 38);
    await press(codes.shift, codes.one);
    await waitFor('both are heard', () => received.length === 2);
    desk.setLayout('fr');
    await waitFor('it lies where the layout has it', async () => {
      received.length = 0;
      await press(codes.ctrl, 24);
      return received.length === 1;
    });
    desk.setLayout('us,ru');
    await waitFor('what was missing is there', () => refused()?.size === 0);
    received.length = 0;
    await desk.setGroup(1);
    await press(47);
    await press(codes.ctrl, 38);
    await waitFor('they are heard in either group', () => received.length === 2);
    expect(received).toEqual(['1', '0']);
    await desk.setGroup(0);
  });

  test('keys of the keypad, media keys, and two names for one key', async () => {
    const { heard: received, refused } = await listening([
      chord('KP_7'),
      chord('VolumeUp'),
      chord('Pause'),
      chord('F13'),
    ]);
    expect([...(refused()?.keys() ?? [])], 'such a keyboard ends at F12').toEqual([3]);
    await press(79);
    await press(123);
    await press(127);
    await waitFor('all are heard', () => received.length === 3);
    const twice = await listening([chord('!'), chord('Shift', '1')]);
    expect(twice.refused()?.get(1)).toBe('Shift-1 and ! are the same key on that computer. Change one of them');
  });

  test('typing by the agent triggers no hotkey and arrives; the next press works again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-hotkeys-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await listening([]);
    await using sink = await openTerminalSink(desk);
    await using drivers = await openSystemDrivers({ env: { DISPLAY: desk.name }, stateDir: folder });
    const ears = hearing();
    drivers.hotkeys.listen([chord('m'), chord('é'), chord('Ctrl', 'm')], ears.listener);
    await waitFor('it is known how it stands', () => ears.refused());
    // A key that is held right now would receive all keys.
    desk.display.fakeKey(codes.m, true);
    await desk.display.sync();
    await waitFor('it is heard', () => ears.heard.length > 0);
    await drivers.keyboard.type('bébé');
    desk.display.fakeKey(codes.m, false);
    await desk.display.sync();
    // X repeats a key that is held for more than 660 ms.
    await waitFor('it arrives', () => /^m*bébé$/.test(sink.getText()));
    sink.clear();
    await drivers.keyboard.type('mummy');
    await sink.waitForText('mummy');
    const before = ears.heard.length;
    await waitFor('it is heard again', async () => {
      await press(codes.m);
      return ears.heard.length > before;
    });
  });

  test('hotkeys survive the display: refused with a sentence without one, active on the next', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-hotkeys-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const first = await startDesktop();
    const env: NodeJS.ProcessEnv = { DISPLAY: first.name };
    await using drivers = await openSystemDrivers({ env, stateDir: folder, lookAgainMs: 20 });
    const ears = hearing();
    drivers.hotkeys.listen([chord('m')], ears.listener);
    await waitFor('it is ours', () => ears.refused()?.size === 0);
    await first[Symbol.asyncDispose]();
    await waitFor('it says that the display is gone', () => /display/.test(ears.refused()?.get(0) ?? ''));
    await listening([]);
    env['DISPLAY'] = desk.name;
    await waitFor('it is ours again', () => ears.refused()?.size === 0);
    await press(codes.m);
    await waitFor('it is heard', () => ears.heard.length === 1);
  });
});
