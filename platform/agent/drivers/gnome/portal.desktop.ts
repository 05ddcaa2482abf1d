import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { getGnomeSkipReason, startGnome } from '#testing/kits/desktop/gnome.ts';
import { openFocusedWindow, startTestSession } from '#testing/kits/desktop/sessionSuite.ts';
import { KEY_CODES, tapKeys } from '#testing/kits/desktop/virtualDesktop.ts';
import { connectBus, getBusProperty } from '../sessionBus.ts';
import { openPortalInput, PORTAL } from './portalInput.ts';

const { Tab, Space } = KEY_CODES;

describeDesktop('a GNOME desktop', { missing: getGnomeSkipReason() }, () => {
  const subject = startTestSession(startGnome);

  test('the portal asks the user, and stores the permission where it can', async () => {
    const { desktop, session, folder } = subject;
    const bus = connectBus(desktop.env['DBUS_SESSION_BUS_ADDRESS'] ?? '');
    if (!bus) throw new Error('no session bus');
    const tokenPath = join(folder, 'token');
    const opening = openPortalInput(bus, tokenPath);
    const dialog = await waitFor('the dialog is open', async () => {
      const active = session.windows.getActive();
      return active?.application === 'xdg-desktop-portal-gnome' && active;
    });
    expect(await session.windows.getTitle(dialog.id)).toBe('Remote desktop');
    // To the switch, which allows it, and on to the button Share.
    for (const code of [Tab, Space, Tab, Tab, Space]) {
      await tapKeys(desktop, code);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    let input = await opening;
    const version = await getBusProperty(bus, PORTAL, 'version');
    // Debian 12's portal stores no permission, and asks each time.
    if (Number(version) >= 2) {
      await input[Symbol.asyncDispose]();
      expect(statSync(tokenPath).mode & 0o777).toBe(0o600);
      input = await openPortalInput(bus, tokenPath);
    }
    await using window = await openFocusedWindow(subject, 'foot');
    window.clear();
    for (const character of 'portal')
      for (const down of [true, false]) input.sendKeysym(character.codePointAt(0) ?? 0, down);
    await input.flush();
    await expect.poll(window.getText).toBe('portal');
    await input[Symbol.asyncDispose]();
    bus.connection.end();
  });
});
