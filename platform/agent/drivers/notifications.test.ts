import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startDesktop } from '#testing/kits/desktop/desktop.ts';
import { startNotificationService } from '#testing/kits/desktop/dunst.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { openNotifications } from './notifications.ts';

test.each([undefined, '', 'nonsense:', 'unix:path=/nowhere/bus'])(
  'without a bus (%j) notifications are unavailable, with a reason',
  async (address) => {
    const notifications = await openNotifications(address);
    expect(notifications.ability).toEqual({
      able: false,
      reason: expect.stringContaining("doesn't show notifications"),
    });
    await expect(notifications.show('a', 'b')).rejects.toThrow("doesn't show notifications");
  },
);

test('a bus that never answers does not block the agent', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'pegboard-bus-')), 'bus');
  const silentBus = createServer(() => undefined);
  await new Promise<void>((done) => silentBus.listen(path, done));
  onTestFinished(() => {
    silentBus.close();
    rmSync(join(path, '..'), { recursive: true });
  });
  expect((await openNotifications(`unix:path=${path}`)).ability.able).toBe(false);
});

const skipReason = getSkipReason('Xvfb', 'openbox', 'dunst', 'dbus-run-session');

describe.skipIf(skipReason)(
  `notifications of a real desktop${skipReason === undefined ? '' : `: ${skipReason}`}`,
  () => {
    test('a message is shown with its markup as text', async () => {
      await using desk = await startDesktop();
      await using dunst = await startNotificationService(desk.env);
      const { notifications, lines } = dunst;
      await notifications.show('Anna', 'Grüße & <b>not bold</b> 👋');
      await dunst.waitForNotification(/Anna/);
      expect(lines.join('\n')).toMatch(/Grüße (&|&amp;) (<|&lt;)b/);
    });

    test('a question is answered by its buttons, can be closed without an answer, and closes after its timeout', async () => {
      await using desk = await startDesktop();
      const folder = createTempFolderSync();
      // Replaces the menu in which a person selects a button.
      const chooser = join(folder, 'choose');
      const setChoice = (label: string): void =>
        writeFileSync(chooser, `#!/bin/sh\ngrep -m1 ${label}\n`, { mode: 0o755 });
      writeFileSync(join(folder, 'dunstrc'), `[global]\ndmenu = ${chooser}\n`);
      setChoice('Allow');
      await using dunst = await startNotificationService(desk.env, `-conf ${join(folder, 'dunstrc')}`);
      const { address, notifications, lines } = dunst;
      const question = {
        title: 'Pegboard',
        text: 'Anna <asks>',
        confirmLabel: 'Allow',
        rejectLabel: 'Refuse',
        timeoutMs: 60_000,
      };
      async function waitUntilShown(): Promise<void> {
        await dunst.waitForNotification(/asks/);
        lines.length = 0;
      }
      const runDunstctl = (...args: readonly string[]) =>
        spawnSync('dunstctl', args, { env: { ...desk.env, DBUS_SESSION_BUS_ADDRESS: address } });

      for (const [label, answer] of [
        ['Allow', true],
        ['Refuse', false],
      ] as const) {
        setChoice(label);
        const confirmation = notifications.confirm(question);
        await waitUntilShown();
        runDunstctl('context');
        expect(await confirmation).toBe(answer);
        runDunstctl('close-all');
      }
      const closed = notifications.confirm(question);
      await waitUntilShown();
      runDunstctl('close-all');
      expect(await closed).toBeUndefined();
      expect(await notifications.confirm({ ...question, timeoutMs: 1 })).toBeUndefined();
    });
  },
);
