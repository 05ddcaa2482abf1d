import { describe, expect, test } from 'vitest';
import type { Drivers } from '#platform/agent/drivers/drivers.ts';
import { fakeDrivers } from '#platform/agent/drivers/fake.ts';
import type { AgentGround } from '#platform/agent/tool.ts';
import { startDesktop } from '#testing/desktop.ts';
import { startDunst } from '#testing/dunst.ts';
import { lacks } from '#testing/machine.ts';
import { noticeLimits } from './notice.ts';

const NOTICE = { title: 'Games: 80 % of the limit', text: '48 of 60 minutes & <b>no more</b>' };

const stage = (drivers: Drivers, notifications = true) => {
  const said: string[] = [];
  const allowed = { notifications } as AgentGround['allowed'];
  const { commands = [] } = noticeLimits({ drivers, allowed, say: (line) => void said.push(line) });
  return { said, show: async () => commands[0]?.run(NOTICE as never) };
};

test('where the desktop shows no notifications the terminal says it, and where its owner wants none nothing does', async () => {
  const drivers = fakeDrivers();
  drivers.behave({ gone: 'no desktop' });
  const { said, show } = stage(drivers);
  expect(await show()).toEqual({});
  expect(said).toEqual([`${NOTICE.title}: ${NOTICE.text}`]);
  const silent = stage(fakeDrivers(), false);
  await expect(silent.show()).rejects.toThrow('--no-notifications');
  expect(silent.said).toEqual([]);
});

const lack = lacks('Xvfb', 'openbox', 'dunst', 'dbus-run-session');

describe.skipIf(lack)(`limits on a real desktop${lack === undefined ? '' : `: ${lack}`}`, () => {
  test('a limit that is nearly reached is shown, with its markup as text', async () => {
    await using desk = await startDesktop();
    await using dunst = await startDunst(desk.env);
    await stage({ ...fakeDrivers(), notifications: dunst.notifications }).show();
    await dunst.shows(/Games: 80 % of the limit/);
    await dunst.shows(/48 of 60 minutes (&|&amp;) (<|&lt;)b/);
  });
});
