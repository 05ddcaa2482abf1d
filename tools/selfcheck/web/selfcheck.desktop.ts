import { describe } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { getGnomeSkipReason, GNOME_SYSTEMS, startGnome } from '#testing/kits/desktop/gnome.ts';
import { testSelfcheck } from '#testing/kits/desktop/selfcheck.ts';
import { getSkipReason } from '#testing/machine.ts';

describe.each(GNOME_SYSTEMS)('GNOME $version', (system) => {
  const missing = getSkipReason('chromium') ?? getGnomeSkipReason(system);
  describeDesktop('agent try on GNOME', { missing, isExtra: system.folder !== undefined }, () => {
    testSelfcheck(() => startGnome({ system }));
  });
});
