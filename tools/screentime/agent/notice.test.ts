import { describe, expect, test } from 'vitest';
import type { Drivers } from '#platform/agent/drivers/drivers.ts';
import { createFakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AgentContext } from '#platform/agent/tool.ts';
import { startDesktop } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startNotificationService } from '#testing/kits/desktop/dunst.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';
import { reportusage, settimetrackergoal } from '../contract.ts';
import { createLimitNotices } from './index.ts';

const NOTICE = { title: 'Games: 80 % of the limit', text: '48 of 60 minutes & <b>no more</b>' };

function startKit(drivers: Drivers, notifications = true) {
  const printed: string[] = [];
  const allowed = { notifications } as AgentContext['allowed'];
  const { commands = [] } = createLimitNotices({ drivers, allowed, print: (line) => void printed.push(line) });
  return { printed, show: async () => commands[0]?.run(NOTICE as never) };
}

test('without desktop notifications the terminal shows it, and nothing is shown if the owner turned it off', async () => {
  const drivers = createFakeDrivers();
  drivers.behave({ gone: 'no desktop' });
  const { printed, show } = startKit(drivers);
  await show();
  expect(printed).toEqual([`${NOTICE.title}: ${NOTICE.text}`]);
  const silent = startKit(createFakeDrivers(), false);
  await expect(silent.show()).rejects.toThrow('--no-notifications');
  expect(silent.printed).toEqual([]);
});

const skipReason = getSkipReason('Xvfb', 'openbox', 'dunst', 'dbus-run-session');

describe.skipIf(skipReason)(`limits on a real desktop${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
  test('a limit that is near is shown, with markup in names as text', async () => {
    await using desk = await startDesktop();
    await using dunst = await startNotificationService(desk.env);
    await using server = await startServer();
    const anna = await server.createAccount('anna');
    const drivers = { ...createFakeDrivers(), notifications: dunst.notifications };
    await using laptop = await startDevice(server, anna, { drivers });
    const until = Date.now();
    const app = 'Doom & <b>more</b>';
    const segments = [{ app, status: 'on' as const, from: until - 50 * 60_000, until }];
    const call = laptop.agent.call;
    await call(reportusage, { boot: 'of-this-test', seq: 1, segments });
    const limit = { goalid: '0', target: app, type: 'app', goalseconds: '3600', goaltype: '0', limit: '1' };
    // Two days, because the last 50 minutes may have started yesterday.
    await anna.call(settimetrackergoal, { ...limit, deviceid: '-1', daysaffected: '2', daysaffectedtype: '1' });
    await dunst.waitForNotification(/10m left until the limit/);
    await dunst.waitForNotification(/Doom (&|&amp;) (<|&lt;)b/);
  });
});
