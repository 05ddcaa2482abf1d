import { describeDesktop, describeVersions } from '#testing/desktops/describeDesktop.ts';
import { getGnomeSkipReason, GNOME_SYSTEMS, startGnome } from '#testing/kits/desktop/gnome.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '#testing/kits/desktop/kwin.ts';
import { testSelfcheck } from '#testing/kits/desktop/selfcheck.ts';
import { getLabwcSkipReason, startLabwc } from '#testing/kits/desktop/sway.ts';
import { getSkipReason } from '#testing/machine.ts';
import { sampleTexts } from '../domain/sampleTexts.ts';

/** Labels of the texts that a German keyboard has. */
const GERMAN_TEXTS: readonly string[] = ['ASCII', '200 characters of prose', 'Lines', 'European'];
const skipReason = getSkipReason('chromium');

describeVersions(
  'agent try on GNOME',
  GNOME_SYSTEMS,
  (system) => skipReason ?? getGnomeSkipReason(system),
  (system) => testSelfcheck(() => startGnome({ system })),
);

describeDesktop('agent try on labwc', { missing: skipReason ?? getLabwcSkipReason(), isExtra: true }, () =>
  testSelfcheck(startLabwc),
);

describeVersions(
  'agent try on KDE',
  KWIN_SYSTEMS,
  (system) => skipReason ?? getKwinSkipReason(system),
  (system) => {
    const foreign = sampleTexts.map(({ label }) => label).filter((label) => !GERMAN_TEXTS.includes(label));
    // KWin 6.7 types them in a way that Chromium ignores. Older ones name their characters.
    testSelfcheck(() => startKwin(system), system.version < 6.7 ? { partly: foreign } : { failed: foreign });
  },
);
