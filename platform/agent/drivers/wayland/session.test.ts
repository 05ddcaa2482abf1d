import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ASCII, LATIN_1, SAMPLE_TEXTS } from '#testing/kits/desktop/sampleTexts.ts';
import { openFocusedWindow, startTestSession, testSession, typeAndRead } from '#testing/kits/desktop/sessionSuite.ts';
import { startSway } from '#testing/kits/desktop/sway.ts';
import { testWlrootsSession } from '#testing/kits/desktop/wlrootsSuite.ts';
import { getSkipReason } from '#testing/machine.ts';

const skipReason = getSkipReason('sway', 'wtype', 'foot', 'Xwayland', 'xterm', 'wl-copy', 'gi', 'xkbcli', 'setpriv');

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
});
