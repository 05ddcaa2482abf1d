import { describe } from 'vitest';
import { getGnomeSkipReason, startGnome } from '../kits/desktop/gnome.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '../kits/desktop/kwin.ts';
import { getLabwcSkipReason, startLabwc } from '../kits/desktop/sway.ts';
import { getSkipReason } from '../machine.ts';
import { testRemoteJourney } from './remoteJourney.ts';

const explain = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);
const skipReason = getSkipReason('wl-copy', 'gi', 'Gtk-4.0.typelib', 'pulseaudio', 'pacat');

const gnomeSkipReason = skipReason ?? getGnomeSkipReason();
describe.skipIf(gnomeSkipReason)(`the remote journey on GNOME${explain(gnomeSkipReason)}`, () => {
  testRemoteJourney(startGnome);
});

const labwcSkipReason = skipReason ?? getSkipReason('xkbcli') ?? getLabwcSkipReason();
describe.skipIf(labwcSkipReason)(`the remote journey on labwc${explain(labwcSkipReason)}`, () => {
  testRemoteJourney(startLabwc);
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
