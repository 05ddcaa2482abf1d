import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startPrivateBus } from '#testing/kits/desktop/privateBus.ts';
import { ASCII, LATIN_1, SAMPLE_TEXTS } from '#testing/kits/desktop/sampleTexts.ts';
import {
  openFocusedWindow,
  registerHotkeys,
  startTestSession,
  testSession,
  typeAndRead,
} from '#testing/kits/desktop/sessionSuite.ts';
import { startSway } from '#testing/kits/desktop/sway.ts';
import { KEY_CODES, readTextFile, tapKeys } from '#testing/kits/desktop/virtualDesktop.ts';
import { testWlrootsSession } from '#testing/kits/desktop/wlrootsSuite.ts';
import { getSkipReason } from '#testing/machine.ts';
import { MUTTER_INPUT_NAME } from '../gnome/mutterInput.ts';
import { openDesktopSession } from '../openDesktopSession.ts';
import { hasNameOwner } from '../sessionBus.ts';
import { listWindows } from '../sway/windows.ts';

const skipReason = getSkipReason(
  'sway',
  'wtype',
  'foot',
  'fuzzel',
  'Xwayland',
  'xterm',
  'wl-copy',
  'gi',
  'xkbcli',
  'setpriv',
);

describe.skipIf(skipReason)(`a sway desktop${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  const subject = startTestSession(startSway);

  testSession(subject, {
    layouts: ['us', 'de', 'fr', 'ru', 'us,ru'],
    programs: ['gtk', 'foot'],
    mainLayouts: ['us', 'us,ru'],
  });
  testWlrootsSession(subject);

  test('every text arrives exactly in a program for X11', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('de');
    await using window = await openFocusedWindow(subject, 'xterm');
    for (const text of [ASCII, LATIN_1, 'hooh', 'wörld мир'])
      expect(await typeAndRead(session, window, text)).toEqual([]);
  });

  test('every text arrives exactly although somebody uses another keyboard in between', async () => {
    const { desktop, session } = subject;
    await using window = await openFocusedWindow(subject, 'foot');
    for (const text of [ASCII, 'wörld мир', 'ä👋\nβ']) {
      await desktop.setLayout('fr');
      expect(await typeAndRead(session, window, text)).toEqual([]);
    }
  });

  test('every text arrives exactly after a program that brings its own keymap has typed', async () => {
    const { desktop, session } = subject;
    await desktop.setLayout('de');
    await using window = await openFocusedWindow(subject, 'foot');
    for (const [, text] of SAMPLE_TEXTS) {
      window.clear();
      spawnSync('wtype', ['a b'], { env: desktop.env });
      await expect.poll(window.getText).toBe('a b');
      expect(await typeAndRead(session, window, text)).toEqual([]);
    }
  });

  test('hotkeys work in each mode of sway, but the keys that its configuration binds there are left alone', async () => {
    const { desktop, session } = subject;
    const presses: number[] = [];
    const chords = ['F9', 'F10', 'F11'].map((key) => ({ modifiers: [], key }));
    const refused = await registerHotkeys(session, chords, (index) => void presses.push(index));
    expect([...refused.keys()]).toEqual([1]);
    async function tapInMode(mode: string): Promise<readonly number[]> {
      await desktop.ipc.request('run_command', `mode "${mode}"`);
      await expect
        .poll(async () => {
          await tapKeys(desktop, KEY_CODES.F9);
          return presses;
        })
        .toContain(0);
      await tapKeys(desktop, KEY_CODES.F11);
      // Texts and shortcuts wait for sway, so everything that was tapped has been reported.
      await session.keyboard.press(['Esc']);
      const tapped = [...new Set(presses.splice(0))];
      await session.keyboard.press(['F9']);
      expect(presses).toEqual([]);
      return tapped;
    }
    expect(await tapInMode('second')).toEqual([0]);
    expect(await tapInMode('default')).toEqual([0, 2]);
    expect(await tapInMode('second')).toEqual([0]);
    await registerHotkeys(session, []);
    // Nothing is left behind in any mode.
    for (const mode of ['second', 'default']) {
      await desktop.ipc.request('run_command', `mode "${mode}"`);
      const reply = await desktop.ipc.request('run_command', 'unbindsym --to-code F9');
      expect(reply).toMatchObject([{ success: false }]);
    }
  });

  test('a launcher that has the keyboard focus gets texts and shortcuts', async () => {
    const { desktop, session } = subject;
    await using window = await openFocusedWindow(subject, 'foot');
    const path = join(desktop.env['XDG_RUNTIME_DIR'] ?? '', 'chosen');
    desktop.spawn('sh', ['-c', 'echo | fuzzel --dmenu > "$0"', path]);
    await waitFor(
      'the launcher has the focus',
      async () => !listWindows(await desktop.ipc.request('get_tree')).some(({ isFocused }) => isFocused),
    );
    expect(await session.keyboard.type('Grüße')).toEqual({ dropped: [] });
    await session.keyboard.press(['Ctrl', 'a']);
    await session.keyboard.type('мир ');
    await session.keyboard.press(['Enter']);
    await expect.poll(() => readTextFile(path)).toBe('мир Grüße\n');
    expect(await typeAndRead(session, window, 'back in the window')).toEqual([]);
  });

  test('sway in a window of GNOME, with which it shares the bus, is not taken for GNOME', async () => {
    const { address, connect } = await startPrivateBus();
    const mutter = connect();
    mutter.requestName(MUTTER_INPUT_NAME, 0, () => undefined);
    await waitFor('Mutter is on the bus', () => hasNameOwner(mutter, MUTTER_INPUT_NAME));
    const env = { ...subject.desktop.env, DBUS_SESSION_BUS_ADDRESS: address };
    await using nested = await openDesktopSession({ env, heldPath: join(subject.folder, 'nested-held.json') });
    expect(nested.name).toBe('sway on Wayland');
  });
});
