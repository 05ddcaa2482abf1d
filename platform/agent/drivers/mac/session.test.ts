import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { createFakeMac, type FakeMac } from '#testing/kits/desktop/mac.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { getFfi } from '../native/ffi.ts';
import { createFoundationReader } from './coreFoundation.ts';
import { openFrameworks } from './frameworks.ts';
import { readMainScreen } from './screenRecording.ts';
import { openMacPasswordFocus, openMacSystemAudio } from './services.ts';
import { openMacSession } from './session.ts';

const skipReason = getSkipReason('gcc');

describe.skipIf(skipReason)(`macOS, as fakes${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let mac: FakeMac;
  let session: DesktopSession;
  const heldPath = (): string => join(mac.folder, 'held.json');
  const open = (): Promise<DesktopSession> =>
    openMacSession({
      env: {},
      heldPath: heldPath(),
      libraries: mac.libraries,
      permissionCheckIntervalMs: 10,
      windowListIntervalMs: 100,
    });

  beforeAll(async () => {
    mac = createFakeMac();
    mac.fakes.fake_set_front(500);
    session = await open();
    mac.takeLog();
  });
  afterAll(async () => {
    await session?.[Symbol.asyncDispose]();
    mac?.[Symbol.dispose]();
  });

  describe('windows', () => {
    test('the window in front and all others are known, by application, process and title', async () => {
      mac.fakes.fake_add_window(11, 500, 25, 1, 'Control Centre', '');
      mac.fakes.fake_add_window(12, 500, 0, 0, 'Safari', 'invisible');
      mac.fakes.fake_add_window(13, 500, 0, 1, 'Safari', 'Grüße 👋');
      mac.fakes.fake_add_window(14, 600, 0, 1, 'Terminal', '');
      mac.fakes.fake_add_window(15, 700, 0, 1, '', '');
      mac.fakes.fake_add_process(700, 1, '/Applications/Own program');
      await waitFor('they are listed', () => session.windows.listOpen().length === 3);
      expect(session.windows.listOpen().map(({ id, application, pid }) => [id, application, pid])).toEqual([
        [13, 'Safari', 500],
        [14, 'Terminal', 600],
        [15, 'Own program', 700],
      ]);
      expect(session.windows.getActive()).toEqual({ id: 13, application: 'Safari', pid: 500 });
      expect(await session.windows.getTitle(13)).toBe('Grüße 👋');
      expect(await session.windows.getTitle(14)).toBe('');
    });

    test('a change of the front application is reported, and nothing leaks', async () => {
      const liveCount = mac.countLiveObjects();
      const changed = Promise.withResolvers<void>();
      session.windows.onChange(changed.resolve);
      mac.fakes.fake_set_front(600);
      await changed.promise;
      expect(session.windows.getActive()?.application).toBe('Terminal');
      mac.fakes.fake_set_front(-1);
      await waitFor('nothing is in front', () => session.windows.getActive() === undefined);
      mac.fakes.fake_set_front(500);
      expect(mac.countLiveObjects()).toBe(liveCount);
    });

    test('the idle time is that of all devices, in milliseconds', async () => {
      mac.fakes.fake_set_idle(12.5);
      expect(await session.windows.getIdleMs()).toBe(12_500);
    });
  });

  test('values of a dictionary are read by their type, and others are undefined', () => {
    const frameworks = openFrameworks(mac.libraries);
    const reader = createFoundationReader(frameworks);
    const library = new (getFfi().DynamicLibrary)(mac.libraries.applicationServices);
    const getKey = (name: string): bigint => getFfi().getUint64(library.getSymbol(name), 0);
    const array = frameworks.graphics.CGWindowListCopyWindowInfo(17, 0);
    const [first] = reader.readDictionaries(array, {
      number: getKey('kCGWindowNumber'),
      owner: getKey('kCGWindowOwnerName'),
      isOnScreen: getKey('kCGWindowIsOnscreen'),
      bounds: getKey('kCGWindowBounds'),
      title: getKey('kCGWindowName'),
    });
    expect(first).toEqual({
      number: 11,
      owner: 'Control Centre',
      isOnScreen: undefined,
      bounds: undefined,
      title: undefined,
    });
    reader.release(array);
  });

  describe('hotkeys', () => {
    const CONTROL_OPTION = 0x1800;
    const PRESSED = 5;
    const RELEASED = 6;
    const presses: (readonly [number, boolean])[] = [];
    const statuses: (readonly number[])[] = [];
    const listener = {
      onPress: (index: number, isRepeated: boolean) => void presses.push([index, isRepeated]),
      onStatus: (refused: ReadonlyMap<number, string>) => void statuses.push([...refused.keys()]),
    };

    test('without hotkeys nothing is fetched', async () => {
      const count = mac.fakes.fake_get_run_loop_count();
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(mac.fakes.fake_get_run_loop_count()).toBe(count);
    });

    test('they are registered by code and modifiers, and those that can’t be are named', () => {
      mac.takeLog();
      session.hotkeys.listen(
        [
          { modifiers: ['Ctrl', 'Alt'], key: 'r' },
          { modifiers: [], key: 'F9' },
          { modifiers: ['Gui'], key: 'F12' },
          { modifiers: ['Ctrl'], key: 'NoSuchKey' },
          { modifiers: [], key: '+' },
        ],
        listener,
      );
      expect(statuses).toEqual([[2, 3]]);
      expect(mac.takeLog()).toEqual([
        'InstallEventHandler application=1 count=2 types=6b657962/5,6b657962/6 data=0',
        'RegisterEventHotKey code=15 modifiers=0x1800 signature=70656762 id=0 application=1 options=0',
        'RegisterEventHotKey code=101 modifiers=0x0 signature=70656762 id=1 application=1 options=0',
        'RegisterEventHotKey code=111 modifiers=0x100 signature=70656762 id=2 application=1 options=0',
        'RegisterEventHotKey code=24 modifiers=0x200 signature=70656762 id=4 application=1 options=0',
      ]);
      expect(mac.fakes.fake_get_hotkey_count()).toBe(3);
    });

    test.each([
      ['with the run loop', 0],
      ['in the event queue', 1],
    ])('presses that come %s are heard, and repeats of a held key are known', async (_, isQueued) => {
      presses.length = 0;
      mac.fakes.fake_send_hotkey(15, CONTROL_OPTION, PRESSED, isQueued);
      await waitFor('the press is heard', () => presses.length === 1);
      mac.fakes.fake_send_hotkey(15, CONTROL_OPTION, PRESSED, isQueued);
      await waitFor('the repeat is heard', () => presses.length === 2);
      mac.fakes.fake_send_hotkey(15, CONTROL_OPTION, RELEASED, isQueued);
      mac.fakes.fake_send_hotkey(101, 0, PRESSED, isQueued);
      mac.fakes.fake_send_hotkey(101, 0, RELEASED, isQueued);
      await waitFor('the other one is heard', () => presses.length === 3);
      expect(presses).toEqual([
        [0, false],
        [0, true],
        [1, false],
      ]);
    });

    test('they are not registered while the agent types, and again afterwards', async () => {
      const typing = session.keyboard.type('a'.repeat(400));
      expect(mac.fakes.fake_get_hotkey_count()).toBe(0);
      await typing;
      await waitFor('they are back', () => mac.fakes.fake_get_hotkey_count() === 3);
    });

    test('a press just before other hotkeys are set belongs to the old ones', async () => {
      presses.length = 0;
      const chord = { modifiers: [], key: 'F9' };
      const others: number[] = [];
      session.hotkeys.listen([chord], listener);
      mac.fakes.fake_send_hotkey(101, 0, PRESSED, 1);
      session.hotkeys.listen([chord], { ...listener, onPress: (index) => void others.push(index) });
      await waitFor('the press is heard', () => presses.length === 1);
      expect(others).toEqual([]);
    });

    test('without any, the run loop rests again', async () => {
      session.hotkeys.listen([], listener);
      expect(mac.fakes.fake_get_hotkey_count()).toBe(0);
      const count = mac.fakes.fake_get_run_loop_count();
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(mac.fakes.fake_get_run_loop_count()).toBe(count);
    });
  });

  test('if macOS accepts no handler of keys, every hotkey is refused with a sentence', async () => {
    await using other = await open();
    const { promise, resolve } = Promise.withResolvers<ReadonlyMap<number, string>>();
    mac.fakes.fake_set_handler_status(-9868);
    other.hotkeys.listen([{ modifiers: ['Gui'], key: 'F9' }], { onPress: () => undefined, onStatus: resolve });
    mac.fakes.fake_set_handler_status(0);
    expect([...(await promise)]).toEqual([[0, expect.stringContaining("macOS doesn't report keys")]]);
    expect(mac.fakes.fake_get_hotkey_count()).toBe(0);
  });

  test('at the end hotkeys and their handler are removed', async () => {
    await using other = await open();
    other.hotkeys.listen([{ modifiers: ['Gui'], key: 'F9' }], { onPress: () => undefined, onStatus: () => undefined });
    expect(mac.fakes.fake_get_hotkey_count()).toBe(1);
    await other[Symbol.asyncDispose]();
    expect(mac.fakes.fake_get_hotkey_count()).toBe(0);
    expect(mac.takeLog()).toContain('RemoveEventHandler known=1');
  });

  describe('permissions', () => {
    test('without them, typing is refused with what to do, the dialog is requested, and the change is noticed', async () => {
      mac.fakes.fake_set_permissions(0, 0, 0);
      mac.takeLog();
      await using strict = await open();
      expect(mac.takeLog()).toContain('CGRequestPostEventAccess');
      const reason = expect.stringContaining('Privacy & Security, Accessibility, and switch on node');
      expect(strict.keyboard.ability).toEqual({ able: false, reason });
      expect(strict.mouse.ability).toEqual({ able: false, reason });
      expect(strict.capture.ability.able).toBe(false);
      await expect(strict.keyboard.type('a')).rejects.toThrow('Accessibility');
      await expect(strict.keyboard.press(['a'])).rejects.toThrow('Accessibility');
      strict.mouse.move(1, 1);
      strict.mouse.button('left', true);
      expect(mac.takeLog()).toEqual([]);
      expect(strict.listSetupSteps?.().join('\n')).toContain('Screen');
      expect(await strict.windows.getTitle(13)).toBe('');
      const changed = Promise.withResolvers<void>();
      strict.onAbilityChange?.(changed.resolve);
      mac.fakes.fake_set_permissions(1, 1, 1);
      await changed.promise;
      expect(strict.keyboard.ability).toEqual({ able: true });
      expect(strict.listSetupSteps?.()).toEqual([]);
    });
  });

  test('a password field is known while a program protects the keyboard', async () => {
    await using focus = openMacPasswordFocus(openFrameworks(mac.libraries), 10);
    expect(focus.isFocused()).toBe(false);
    const changed = Promise.withResolvers<void>();
    focus.onChange(changed.resolve);
    mac.fakes.fake_set_secure(1);
    await changed.promise;
    expect(focus.isFocused()).toBe(true);
  });

  test('the screen is recorded in pixels, by ffmpeg’s own input for macOS', () => {
    const screen = readMainScreen(openFrameworks(mac.libraries));
    expect([screen.width, screen.height]).toEqual([2880, 1800]);
    expect(screen.listInputArgs({ x: 10, y: 20, width: 640, height: 480 }).join(' ')).toBe(
      '-f avfoundation -pixel_format uyvy422 -framerate 30 -capture_cursor 1 -i Capture screen 0:none -vf crop=640:480:10:20',
    );
    mac.fakes.fake_set_screen(0, 0, 0, 0, 0);
    expect(() => readMainScreen(openFrameworks(mac.libraries))).toThrow('no screen');
    mac.fakes.fake_set_screen(0, 0, 0, 1440, 900);
  });

  test('a Node without node:ffi is refused with a sentence', async () => {
    const getModule = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    onTestFinished(() => getModule.mockRestore());
    await expect(open()).rejects.toThrow('needs Node 26.10');
  });

  test('every function in the table is called with the types of its C declaration', async () => {
    using other = createFakeMac();
    other.fakes.fake_add_window(1, 500, 0, 1, '', 'Title');
    other.fakes.fake_set_front(500);
    other.fakes.fake_add_device(42, 'Speakers', 1, 1, 0);
    other.fakes.fake_add_sound(60, 500, 0, 1);
    await using audio = openMacSystemAudio(other.libraries);
    await audio.set('outputs', audio.getState().outputs[0]?.name ?? '', { level: 30, muted: true });
    {
      await using own = await openMacSession({ env: {}, heldPath: heldPath(), libraries: other.libraries });
      await own.keyboard.type('text');
      await own.keyboard.press(['Gui', 'c']);
      await own.keyboard.press(['Mute']);
      own.mouse.move(10_000, 1);
      own.mouse.centre();
      own.mouse.button('left', true);
      own.mouse.wheel(0, 1);
      await own.windows.getIdleMs();
      await own.windows.getTitle(1);
      own.hotkeys.listen([{ modifiers: [], key: 'F9' }], { onPress: () => undefined, onStatus: () => undefined });
      for (const isQueued of [0, 1]) other.fakes.fake_send_hotkey(101, 0, 5, isQueued);
      await waitFor('both are fetched', () => other.listCalled().has('ReleaseEvent'));
    }
    other.fakes.fake_set_permissions(0, 0, 0);
    await using _denied = await openMacSession({ env: {}, heldPath: heldPath(), libraries: other.libraries });
    const frameworks = openFrameworks(other.libraries);
    readMainScreen(frameworks);
    await using _focus = openMacPasswordFocus(frameworks);
    const { foundation, permissions, graphics, carbon, optional, system, getObjectiveC } = frameworks;
    const tables = [foundation, permissions, graphics, carbon, optional, frameworks.audio, system, getObjectiveC()];
    const names = tables.flatMap((table) => Object.keys(table ?? {})).filter((name) => name !== 'sendCreateEvent');
    const called = other.listCalled();
    expect(names.filter((name) => !called.has(name))).toEqual([]);
    expect(other.takeLog().filter((line) => line.includes('FAULT'))).toEqual([]);
  });
});
