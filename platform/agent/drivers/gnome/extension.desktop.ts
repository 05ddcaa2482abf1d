import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { getGnomeSkipReason, startGnome, type GnomeDesktop } from '#testing/kits/desktop/gnome.ts';
import type { DesktopSession } from '../desktopSession.ts';
import { openDesktopSession } from '../openDesktopSession.ts';
import { BUS_SERVICE, callBus } from '../sessionBus.ts';
import { getExtensionFolder } from './extensionInstaller.ts';
import { createExtensionFiles, EXTENSION_UUID } from './shellExtension.ts';

const skipReason = getGnomeSkipReason();

describeDesktop('GNOME without our extension', { missing: skipReason }, () => {
  let gnome: GnomeDesktop;
  let session: DesktopSession;
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-gnome-extension-'));
  beforeAll(async () => {
    gnome = await startGnome({ hasExtension: false });
    session = await openDesktopSession({ env: gnome.env, heldPath: join(folder, 'held.json') });
  });
  afterAll(async () => {
    await session?.[Symbol.asyncDispose]();
    await gnome?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const runAgent = (action: string): string =>
    execFileSync(process.execPath, ['apps/agent/main.ts', 'gnome-extension', action], {
      env: gnome.env,
      encoding: 'utf8',
    });
  const readEnabled = (): string => gnome.run('gsettings', ['get', 'org.gnome.shell', 'enabled-extensions']);

  test('windows and hotkeys say what to run, and everything else works', async () => {
    const reason = expect.stringContaining("Run 'agent gnome-extension install' on that computer");
    expect(session.windows.ability).toEqual({ able: false, reason });
    expect(session.keyboard.ability.able).toBe(true);
    const { promise, resolve } = Promise.withResolvers<ReadonlyMap<number, string>>();
    session.hotkeys.listen([{ modifiers: [], key: 'F9' }], { onPress: () => undefined, onStatus: resolve });
    expect((await promise).get(0)).toEqual(reason);
    expect(await session.windows.getIdleMs()).toBeGreaterThan(0);
    await gnome.setLayout('fr');
    await using window = await gnome.openTextWindow('gtk');
    await expect
      .poll(
        async () => {
          window.clear();
          await session.keyboard.type('Grüße 👋');
          await new Promise((done) => setTimeout(done, 300));
          return window.getText();
        },
        { timeout: 20_000 },
      )
      .toBe('Grüße 👋');
    await session.keyboard.press(['Ctrl', 'a']);
    await session.keyboard.press(['Ctrl', 'x']);
    await expect.poll(window.getText).toBe('');
  });

  test('the extension is installed by a command, which says that a sign-out is needed, and removed by another', () => {
    expect(runAgent('install')).toContain('Sign out of this computer and in again once');
    const extension = getExtensionFolder(gnome.env);
    for (const [name, text] of createExtensionFiles(43)) expect(readFileSync(join(extension, name), 'utf8')).toBe(text);
    expect(readEnabled()).toContain(EXTENSION_UUID);
    expect(session.windows.ability).toEqual({ able: false, reason: expect.stringContaining('Sign out') });
    expect(runAgent('uninstall')).toContain('Removed the GNOME extension');
    expect(readEnabled()).not.toContain(EXTENSION_UUID);
    expect(readEnabled()).toContain('testing@pegboard.local');
  });

  test('the end of the desktop is noticed', async () => {
    const closed = new Promise<void>((resolve) => session.onClosed(resolve));
    const call = { ...BUS_SERVICE, member: 'GetConnectionUnixProcessID', signature: 's', body: ['org.gnome.Shell'] };
    process.kill(Number(await callBus(gnome.bus, call)), 'SIGKILL');
    await closed;
    await expect(session.keyboard.type('a')).rejects.toThrow('Remote control of that computer ended');
    await expect(session.windows.getIdleMs()).rejects.toThrow("doesn't report idle time");
  });
});
