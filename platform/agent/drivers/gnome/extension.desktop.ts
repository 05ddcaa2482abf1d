import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeDesktop } from '#testing/desktops/describeDesktop.ts';
import { getGnomeSkipReason, startGnome } from '#testing/kits/desktop/gnome.ts';
import { registerHotkeys, startTestSession } from '#testing/kits/desktop/sessionSuite.ts';
import { BUS_SERVICE, callBus } from '../sessionBus.ts';
import { getExtensionFolder } from './extensionInstaller.ts';
import { createExtensionFiles, EXTENSION_UUID } from './shellExtension.ts';

describeDesktop('GNOME without our extension', { missing: getGnomeSkipReason() }, () => {
  const subject = startTestSession(() => startGnome({ hasExtension: false }));
  const runAgent = (action: string): string =>
    execFileSync(process.execPath, ['apps/agent/main.ts', 'gnome-extension', action], {
      env: subject.desktop.env,
      encoding: 'utf8',
    });
  const readEnabled = (): Promise<string> =>
    subject.desktop.run('gsettings', ['get', 'org.gnome.shell', 'enabled-extensions']);

  test('windows and hotkeys name the command that installs it, and everything else works', async () => {
    const { desktop, session } = subject;
    const reason = expect.stringContaining('"gnome-extension install" instead of "run"');
    expect(session.windows.ability).toEqual({ able: false, reason });
    expect(session.keyboard.ability.able).toBe(true);
    const refused = await registerHotkeys(session, [{ modifiers: [], key: 'F9' }]);
    expect(refused.get(0)).toEqual(reason);
    expect(await session.windows.getIdleMs()).toBeGreaterThan(0);
    await desktop.setLayout('fr');
    await using window = await desktop.openTextWindow('gtk');
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

  test('the extension is installed by a command, which says that a sign-out is needed, and removed by another', async () => {
    expect(runAgent('install')).toContain('Sign out of this computer and in again once');
    const extension = getExtensionFolder(subject.desktop.env);
    for (const [name, text] of createExtensionFiles(43)) expect(readFileSync(join(extension, name), 'utf8')).toBe(text);
    expect(await readEnabled()).toContain(EXTENSION_UUID);
    expect(subject.session.windows.ability).toEqual({ able: false, reason: expect.stringContaining('Sign out') });
    expect(runAgent('uninstall')).toContain('Removed the GNOME extension');
    expect(await readEnabled()).not.toContain(EXTENSION_UUID);
    expect(await readEnabled()).toContain('testing@pegboard.local');
  });

  test('after the end of the desktop, text is refused with a sentence', async () => {
    const { desktop, session } = subject;
    const closed = new Promise<void>((resolve) => session.onClosed(resolve));
    const call = { ...BUS_SERVICE, member: 'GetConnectionUnixProcessID', signature: 's', body: ['org.gnome.Shell'] };
    process.kill(Number(await callBus(desktop.bus, call)), 'SIGKILL');
    await closed;
    await expect(session.keyboard.type('a')).rejects.toThrow('Remote control of that computer ended');
    await expect(session.windows.getIdleMs()).rejects.toThrow("doesn't report idle time");
  });
});
