import { describe } from 'vitest';
import { describeDesktop } from '../desktops/describeDesktop.ts';
import { getGnomeSkipReason, GNOME_SYSTEMS, startGnome } from '../kits/desktop/gnome.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '../kits/desktop/kwin.ts';
import { getLabwcSkipReason, startLabwc } from '../kits/desktop/sway.ts';
import { getSkipReason } from '../machine.ts';
import { testRemoteJourney } from './remoteJourney.ts';

const skipReason = getSkipReason('wl-copy', 'gi', 'Gtk-4.0.typelib', 'pulseaudio', 'pacat');

describe.each(GNOME_SYSTEMS)('GNOME $version', (system) => {
  describeDesktop(
    'the remote journey on GNOME',
    { missing: skipReason ?? getGnomeSkipReason(system), isExtra: system.folder !== undefined },
    () => testRemoteJourney(() => startGnome({ system })),
  );
});

describeDesktop(
  'the remote journey on labwc',
  { missing: skipReason ?? getSkipReason('xkbcli') ?? getLabwcSkipReason(), isExtra: true },
  () => testRemoteJourney(startLabwc),
);

describe.each(KWIN_SYSTEMS)('KWin $version', (system) => {
  const kwinSkipReason = skipReason ?? getSkipReason('dbus-run-session') ?? getKwinSkipReason(system);
  describeDesktop(
    'the remote journey on KDE',
    { missing: kwinSkipReason, isExtra: system.folder !== undefined },
    () => {
      testRemoteJourney(async () => {
        const kwin = await startKwin(system);
        await kwin.setLayout('de,ru');
        return { ...kwin, ...(system.version < 6.7 && { text: 'Grüße, "мир"!' }) };
      });
    },
  );
});
