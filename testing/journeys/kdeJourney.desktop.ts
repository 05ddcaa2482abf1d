import { spawn } from 'node:child_process';
import { text as readText } from 'node:stream/consumers';
import { describe } from 'vitest';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '../kits/desktop/kwin.ts';
import { getSkipReason } from '../machine.ts';
import { testRemoteJourney } from './remoteJourney.ts';

describe.each(KWIN_SYSTEMS)('KWin $version', (system) => {
  const skipReason =
    getSkipReason('dbus-run-session', 'wl-copy', 'gi', 'Gtk-4.0.typelib', 'pulseaudio', 'pacat') ??
    getKwinSkipReason(system);

  describe.skipIf(skipReason)(`the remote journey on KDE${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
    testRemoteJourney(async () => {
      const kwin = await startKwin(system);
      await kwin.setLayouts('de,ru');
      return {
        env: kwin.env,
        name: 'KDE on Wayland',
        ...(system.version < 6.7 && { text: 'Grüße, "мир"!' }),
        openTextWindow: kwin.openTextWindow,
        copyText: async (text) => void kwin.spawn('wl-copy', [text]),
        pasteText: () =>
          readText(spawn('wl-paste', ['-n'], { env: kwin.env, stdio: ['ignore', 'pipe', 'ignore'] }).stdout),
        [Symbol.asyncDispose]: () => kwin[Symbol.asyncDispose](),
      };
    });
  });
});
