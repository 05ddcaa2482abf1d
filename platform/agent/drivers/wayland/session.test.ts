import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASCII, LATIN_1, SAMPLE_TEXTS } from '#testing/kits/desktop/sampleTexts.ts';
import { openFocusedWindow, testSession, typeAndRead } from '#testing/kits/desktop/sessionSuite.ts';
import { startSway, type SwayDesktop } from '#testing/kits/desktop/sway.ts';
import { testWlrootsSession } from '#testing/kits/desktop/wlrootsSuite.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openDesktopSession } from '../openDesktopSession.ts';

const skipReason = getSkipReason('sway', 'wtype', 'foot', 'Xwayland', 'xterm', 'wl-copy', 'gi', 'xkbcli', 'setpriv');

describe.skipIf(skipReason)(`a sway desktop${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  let sway: SwayDesktop;
  let session: DesktopSession;
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-wayland-'));
  beforeAll(async () => {
    sway = await startSway();
    session = await openDesktopSession({ env: sway.env, heldPath: join(folder, 'held.json') });
  });
  afterAll(async () => {
    await session[Symbol.asyncDispose]();
    await sway[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  testSession(() => ({ desktop: sway, session }), {
    layouts: ['us', 'de', 'fr', 'ru', 'us,ru'],
    programs: ['gtk', 'foot'],
    mainLayouts: ['us', 'us,ru'],
  });
  testWlrootsSession(() => ({ desktop: sway, session }));

  test('every text arrives exactly in a program for X11', async () => {
    await sway.setLayout('de');
    await using window = await openFocusedWindow({ desktop: sway, session }, 'xterm');
    for (const text of [ASCII, LATIN_1, 'hooh', 'wörld мир'])
      expect(await typeAndRead(session, window, text)).toEqual([]);
  });

  test('every text arrives exactly although somebody uses another keyboard in between', async () => {
    await using window = await openFocusedWindow({ desktop: sway, session }, 'foot');
    for (const text of [ASCII, 'wörld мир', 'ä👋\nβ']) {
      await sway.setLayout('fr');
      expect(await typeAndRead(session, window, text)).toEqual([]);
    }
  });

  test('every text arrives exactly after a program that brings its own keymap has typed', async () => {
    await sway.setLayout('de');
    await using window = await openFocusedWindow({ desktop: sway, session }, 'foot');
    for (const [, text] of SAMPLE_TEXTS) {
      window.clear();
      spawnSync('wtype', ['a b'], { env: sway.env });
      await expect.poll(window.getText).toBe('a b');
      expect(await typeAndRead(session, window, text)).toEqual([]);
    }
  });
});
