import { describe, expect, test } from 'vitest';
import type { Drivers } from '#platform/agent/drivers/drivers.ts';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { findBarriers, findBarriersInBoth } from '#testing/kits/browser/axe.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { startDesktop } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { openCheckWindow, startCheck, testSelfcheck } from '#testing/kits/desktop/selfcheck.ts';
import { getSoundSkipReason, startSoundServer } from '#testing/kits/desktop/sound.ts';
import { startSway } from '#testing/kits/desktop/sway.ts';
import { TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { checks } from '../domain/checks.ts';

const site = startTestSite();
const desktopSkipReason =
  site.skipReason ?? getSkipReason('Xvfb', 'openbox', 'setxkbmap') ?? getSoundSkipReason('pulseaudio');
const swaySkipReason = site.skipReason ?? getSkipReason('sway', 'xkbcli', 'setpriv');
const explain = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);

describe.skipIf(desktopSkipReason)(`agent try on a real desktop${explain(desktopSkipReason)}`, () => {
  test('everything arrives, and a swallowed text is shown beside what was expected', async () => {
    await using sound = await startSoundServer('pulseaudio');
    await using desk = await startDesktop();
    desk.setLayout('de');
    const stateDir = createTempFolderSync();
    await using system = await openSystemDrivers({ env: { ...sound.env, DISPLAY: desk.name }, stateDir });
    await expect.poll(() => system.audio.getState().outputs.length).toBeGreaterThan(0);
    const volume = await sound.runPactl('get-sink-volume', '@DEFAULT_SINK@');
    await system.clipboard.write('a text of the user');
    let isSwallowing = true;
    /** The real drivers, but one text is swallowed without a word. */
    const drivers: Drivers = {
      ...system,
      keyboard: {
        ...system.keyboard,
        type: async (text, onProgress) =>
          isSwallowing && text.includes('👍🏽') ? { dropped: [] } : system.keyboard.type(text, onProgress),
      },
    };
    const account = await site.server.createAccount('anna');
    await using window = await openCheckWindow({ server: site.server, account, drivers, env: desk.env });
    const { page, runChecks } = window;

    const { passed, failed } = await runChecks();
    expect(failed).toEqual(['Emoji']);
    expect(passed).toHaveLength(checks.length - 1);
    const failedRow = page.getByRole('listitem', { name: 'Emoji', exact: true });
    expect(await failedRow.innerText()).toMatch(/Expected\s+👋[\s\S]*Received\s+no text\s+First difference/);
    expect(await system.clipboard.read()).toBe('a text of the user');
    expect(await sound.runPactl('get-sink-volume', '@DEFAULT_SINK@')).toBe(volume);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    }

    isSwallowing = false;
    expect(await runChecks()).toMatchObject({ failed: [], partly: [], skipped: [] });
    await page.getByRole('button', { name: 'Copy report' }).click();
    await expect
      .poll(() => system.clipboard.read())
      .toMatch(/^Pegboard self-check\nDesktop: .*X11\nAgent: test, Node [\s\S]*\nPassed \d+\n/);
  });
});

describe.skipIf(swaySkipReason)(`agent try on sway${explain(swaySkipReason)}`, () => {
  testSelfcheck(startSway);
});

describe.skipIf(site.skipReason)(`the page of a self-check${explain(site.skipReason)}`, () => {
  test('after a login it goes on where it was', async () => {
    const account = await site.server.createAccount('ben');
    await using device = await startDevice(site.server, account);
    const page = await site.browser.openPage(site.server.origin, await startCheck(device));
    await page.getByLabel('Username').fill('ben');
    await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Check ${device.name}` }).waitFor();
    await page.getByRole('button', { name: 'Start the check' }).waitFor();
  });

  test('another account gets the advice to log in with the account of the computer', async () => {
    const account = await site.server.createAccount('carla');
    const { token } = await site.server.createAccount('dora');
    await using device = await startDevice(site.server, account);
    const page = await site.browser.openPage(site.server.origin, await startCheck(device), {
      token,
      expects: /status of 4\d\d/,
    });
    await page.getByText("This computer isn't paired with the account that is logged in here").waitFor();
    expect(await page.getByRole('button', { name: 'Start the check' }).count()).toBe(0);
    expect(await findBarriersInBoth(page)).toEqual([]);
  });

  test('what a computer cannot do is skipped, with its reason', async () => {
    const account = await site.server.createAccount('emil');
    await using device = await startDevice(site.server, account, { allow: { mouse: false } });
    device.drivers.behave({ gone: 'No display was found on that computer' });
    const page = await site.browser.openPage(site.server.origin, await startCheck(device), { token: account.token });
    await page.getByRole('button', { name: 'Start the check' }).click();
    await page.getByText(`Skipped ${checks.length}`, { exact: true }).waitFor();
    await page.getByText('Turned off: the agent was started with --no-mouse').first().waitFor();
    await page.getByText('No display was found on that computer').first().waitFor();
    await page.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/).waitFor();
    // A keyboard goes on there, because the text field has lost the focus.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Copy report');
    expect(await findBarriersInBoth(page)).toEqual([]);
  });

  test('nothing is typed while another window has the focus', async () => {
    const account = await site.server.createAccount('hana');
    await using device = await startDevice(site.server, account);
    const page = await site.browser.openPage(site.server.origin, await startCheck(device), { token: account.token });
    // Playwright's pages always have the focus.
    await page.evaluate(() => {
      document.hasFocus = () => document.title.startsWith('focused');
    });
    await page.getByRole('button', { name: 'Start the check' }).click();
    await page.getByText('Paused, because another window has the focus').waitFor();
    expect(device.drivers.actions).toEqual([]);
    await page.evaluate(() => {
      document.title = 'focused';
    });
    await device.drivers.waitForActions((actions) => actions.some(({ kind }) => kind === 'type'));
  });

  test('without a check it shows the command that starts one', async () => {
    const { token } = await site.server.createAccount('finn');
    const page = await site.browser.openPage(site.server.origin, '/selfcheck', { token });
    await page.getByText(`npx ${site.server.origin}/agent.tgz try`).waitFor();
  });
});
