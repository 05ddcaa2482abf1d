import { describe } from 'vitest';
import { getGnomeSkipReason, startGnome } from '#testing/kits/desktop/gnome.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '#testing/kits/desktop/kwin.ts';
import { testSelfcheck } from '#testing/kits/desktop/selfcheck.ts';
import { getSkipReason } from '#testing/machine.ts';
import { sampleTexts } from '../domain/sampleTexts.ts';

/** Labels of the texts that a German keyboard has. */
const GERMAN_TEXTS: readonly string[] = ['ASCII', '200 characters of prose', 'Lines', 'European'];

const explain = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);
const skipReason = getSkipReason('chromium');

const gnomeSkipReason = skipReason ?? getGnomeSkipReason();
describe.skipIf(gnomeSkipReason)(`agent try on GNOME${explain(gnomeSkipReason)}`, () => {
  testSelfcheck(startGnome);
});

describe.each(KWIN_SYSTEMS)('KWin $version', (system) => {
  const kwinSkipReason = skipReason ?? getSkipReason('dbus-run-session') ?? getKwinSkipReason(system);
  describe.skipIf(kwinSkipReason)(`agent try on KDE${explain(kwinSkipReason)}`, () => {
    const labels = sampleTexts.map(({ label }) => label);
    testSelfcheck(
      () => startKwin(system),
      system.version < 6.7 ? labels.filter((label) => !GERMAN_TEXTS.includes(label)) : [],
    );
  });
});
