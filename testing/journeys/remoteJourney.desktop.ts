import { describe } from 'vitest';
import { getGnomeSkipReason, GNOME_SYSTEMS, startGnome } from '../kits/desktop/gnome.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '../kits/desktop/kwin.ts';
import { getSkipReason } from '../machine.ts';
import { testRemoteJourney } from './remoteJourney.ts';

const explain = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);
const skipReason = getSkipReason('wl-copy', 'gi', 'Gtk-4.0.typelib', 'pulseaudio', 'pacat');

describe.each(GNOME_SYSTEMS)('GNOME $version', (system) => {
  const gnomeSkipReason = skipReason ?? getGnomeSkipReason(system);
  describe.skipIf(gnomeSkipReason)(`the remote journey on GNOME${explain(gnomeSkipReason)}`, () => {
    testRemoteJourney(() => startGnome({ system }));
  });
});

describe.each(KWIN_SYSTEMS)('KWin $version', (system) => {
  const kwinSkipReason = skipReason ?? getSkipReason('dbus-run-session') ?? getKwinSkipReason(system);
  describe.skipIf(kwinSkipReason)(`the remote journey on KDE${explain(kwinSkipReason)}`, () => {
    testRemoteJourney(async () => {
      const kwin = await startKwin(system);
      await kwin.setLayout('de,ru');
      return { ...kwin, ...(system.version < 6.7 && { text: 'Grüße, "мир"!' }) };
    });
  });
});
