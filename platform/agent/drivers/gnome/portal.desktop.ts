import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { getGnomeSkipReason, startGnome, type GnomeDesktop } from '#testing/kits/desktop/gnome.ts';
import { openDesktopSession } from '../openDesktopSession.ts';
import { connectBus, getBusProperty } from '../sessionBus.ts';
import { openPortalInput, PORTAL } from './portalInput.ts';

const skipReason = getGnomeSkipReason();
const TAB = 15;
const SPACE = 57;
const MATROSKA_MAGIC = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);

describeDesktop('a GNOME desktop', { missing: skipReason }, () => {
  let gnome: GnomeDesktop;
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-gnome-portal-'));
  beforeAll(async () => {
    gnome = await startGnome();
  });
  afterAll(async () => {
    await gnome?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test('the portal asks the user, and stores the permission where it can', async () => {
    const bus = connectBus(gnome.env['DBUS_SESSION_BUS_ADDRESS'] ?? '');
    if (!bus) throw new Error('no session bus');
    await using session = await openDesktopSession({ env: gnome.env, heldPath: join(folder, 'held.json') });
    const tokenPath = join(folder, 'token');
    const opening = openPortalInput(bus, tokenPath);
    const dialog = await waitFor('the dialog is open', async () => {
      const active = session.windows.getActive();
      return active?.application === 'xdg-desktop-portal-gnome' && active;
    });
    expect(await session.windows.getTitle(dialog.id)).toBe('Remote desktop');
    // To the switch, which allows it, and on to the button Share.
    for (const code of [TAB, SPACE, TAB, TAB, SPACE]) {
      for (const down of [true, false]) await gnome.sendKey(code, down);
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
    await using window = await gnome.openTextWindow('foot');
    await waitFor('the window has the focus', () => session.windows.getActive()?.pid === window.child.pid);
    window.clear();
    for (const character of 'portal') {
      for (const down of [true, false]) input.sendKeysym(character.codePointAt(0) ?? 0, down);
    }
    await input.flush();
    await expect.poll(window.getText).toBe('portal');
    await input[Symbol.asyncDispose]();
    bus.connection.end();
  });

  test('the screen is recorded as Matroska, also a part of it', async () => {
    await using session = await openDesktopSession({ env: gnome.env, heldPath: join(folder, 'held.json') });
    await waitFor('GNOME tells whether it can record', () => session.capture.ability.able);
    for (const region of [undefined, { x: 10, y: 10, width: 320, height: 240 }]) {
      const path = join(folder, '100% video.mkv.part');
      const recording = await session.capture.start(path, region);
      for (let step = 0; step < 20; step++) {
        session.mouse.move(10, 5);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await recording.stop();
      expect(await recording.whenEnded).toBeUndefined();
      const content = readFileSync(path);
      expect(content.subarray(0, MATROSKA_MAGIC.length)).toEqual(MATROSKA_MAGIC);
      expect(content.length).toBeGreaterThan(1000);
      rmSync(path);
    }
  });
});
