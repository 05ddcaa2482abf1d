import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { testSession } from '#testing/kits/desktop/sessionSuite.ts';
import { getLabwcSkipReason, startLabwc, type WlrootsDesktop } from '#testing/kits/desktop/sway.ts';
import { testWlrootsSession } from '#testing/kits/desktop/wlrootsSuite.ts';
import { getSkipReason } from '#testing/machine.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openDesktopSession } from '../openDesktopSession.ts';

const missing = getSkipReason('foot', 'wl-copy', 'gi', 'Gtk-4.0.typelib', 'xkbcli') ?? getLabwcSkipReason();

describeDesktop('a labwc desktop', { missing, isExtra: true }, () => {
  let labwc: WlrootsDesktop;
  let session: DesktopSession;
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-labwc-'));
  beforeAll(async () => {
    labwc = await startLabwc();
    session = await openDesktopSession({ env: labwc.env, heldPath: join(folder, 'held.json') });
  });
  afterAll(async () => {
    await session?.[Symbol.asyncDispose]();
    await labwc?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  testWlrootsSession(() => ({ desktop: labwc, session }));
  testSession(() => ({ desktop: labwc, session }), {
    layouts: ['us', 'de', 'fr', 'ru', 'us,ru'],
    programs: ['gtk', 'foot'],
    noHotkeysReason: "The desktop of that computer doesn't let the agent listen for hotkeys",
  });
});
