import { describe } from 'vitest';
import { getGnomeSkipReason, startGnome } from '#testing/kits/desktop/gnome.ts';
import { testSelfcheck } from '#testing/kits/desktop/selfcheck.ts';
import { getSkipReason } from '#testing/machine.ts';

const explain = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);
const gnomeSkipReason = getSkipReason('chromium') ?? getGnomeSkipReason();

describe.skipIf(gnomeSkipReason)(`agent try on GNOME${explain(gnomeSkipReason)}`, () => {
  testSelfcheck(startGnome);
});
