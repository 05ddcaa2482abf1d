import { describe } from 'vitest';
import { getGnomeSkipReason, GNOME_SYSTEMS, startGnome } from '#testing/kits/desktop/gnome.ts';
import { testSelfcheck } from '#testing/kits/desktop/selfcheck.ts';
import { getSkipReason } from '#testing/machine.ts';

const explain = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);

describe.each(GNOME_SYSTEMS)('GNOME $version', (system) => {
  const skipReason = getSkipReason('chromium') ?? getGnomeSkipReason(system);
  describe.skipIf(skipReason)(`agent try on GNOME${explain(skipReason)}`, () => {
    testSelfcheck(() => startGnome({ system }));
  });
});
