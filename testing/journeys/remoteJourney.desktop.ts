import { describe } from 'vitest';
import { describeDesktop } from '../desktops/describeDesktop.ts';
import { getGnomeSkipReason, startGnome } from '../kits/desktop/gnome.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '../kits/desktop/kwin.ts';
import { getSkipReason } from '../machine.ts';
import { testRemoteJourney } from './remoteJourney.ts';

const skipReason = getSkipReason('wl-copy', 'gi', 'Gtk-4.0.typelib', 'pulseaudio', 'pacat');

const gnomeSkipReason = skipReason ?? getGnomeSkipReason();
describeDesktop('the remote journey on GNOME', { missing: gnomeSkipReason }, () => {
  testRemoteJourney(startGnome);
});

describe.each(KWIN_SYSTEMS)('KWin $version', (system) => {
  const kwinSkipReason = skipReason ?? getSkipReason('dbus-run-session') ?? getKwinSkipReason(system);
  describeDesktop(
    'the remote journey on KDE',
    { missing: kwinSkipReason, isExtra: system.variable !== undefined },
    () => {
      testRemoteJourney(async () => {
        const kwin = await startKwin(system);
        await kwin.setLayout('de,ru');
        return { ...kwin, ...(system.version < 6.7 && { text: 'Grüße, "мир"!' }) };
      });
    },
  );
});
