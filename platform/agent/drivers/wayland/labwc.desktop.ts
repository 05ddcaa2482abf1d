import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { startTestSession, testSession } from '#testing/kits/desktop/sessionSuite.ts';
import { getLabwcSkipReason, startLabwc } from '#testing/kits/desktop/sway.ts';
import { testWlrootsSession } from '#testing/kits/desktop/wlrootsSuite.ts';

describeDesktop('labwc', { missing: getLabwcSkipReason(), isExtra: true }, () => {
  const subject = startTestSession(startLabwc);
  testWlrootsSession(subject);
  testSession(subject, {
    layouts: ['us', 'de', 'fr', 'ru', 'us,ru'],
    programs: ['gtk', 'foot'],
    noHotkeysReason: "The desktop of that computer doesn't let the agent listen for hotkeys",
  });
});
