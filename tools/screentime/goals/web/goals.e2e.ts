import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { StartedServerTool } from '#platform/server/tool.ts';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import {
  waitForDialogFocus,
  waitForFocus,
  PHONE_VIEWPORT,
  type OpenPageOptions,
} from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { pairUsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { getcomputernames, revokedevice } from '#tools/devices/contract.ts';
import { serverTools } from '../../../../apps/server/tools.ts';
import { gettimetrackergoals, modifyapplicationcatinfo, settimetrackergoal } from '../../contract.ts';
import { UNASSIGNED } from '../../contract/limits.ts';

/** Age of the usage on the server. */
let hoursAgo = 0;
let nightly: StartedServerTool['nightly'];
const site = startTestSite({
  rateLimits: false,
  now: () => Temporal.Now.instant().subtract({ hours: hoursAgo }),
  tools: serverTools.map((tool) => ({
    ...tool,
    start: (...given: Parameters<typeof tool.start>): StartedServerTool => {
      const started = tool.start(...given);
      if (tool.name === 'screentime') ({ nightly } = started);
      return started;
    },
  })),
});
avoidMidnight();

const ago = (minutes: number): string =>
  Temporal.Now.instant().subtract({ minutes, hours: hoursAgo }).round({ smallestUnit: 'second' }).toString();

/** Creates a user with 30 minutes of code and 45 of firefox in the last two hours; code is work. */
async function createUser(isSorted = true): Promise<TestAccount> {
  const account = await site.createPerson();
  const laptop = await pairUsageComputer(site.server, account, 'laptop');
  await laptop.reportUse(['code', 'on', ago(110), ago(80)], ['firefox', 'on', ago(80), ago(35)]);
  await pairUsageComputer(site.server, account, 'media box');
  if (isSorted)
    await account.call(modifyapplicationcatinfo, {
      keys: {},
      cats: { work: ['code'], [UNASSIGNED]: ['firefox'] },
    });
  return account;
}

async function createGoal(account: TestAccount, more: Partial<Record<string, string>>): Promise<void> {
  await account.call(settimetrackergoal, {
    goalid: '0',
    target: 'total',
    type: 'app',
    goalseconds: '36000',
    deviceid: '-1',
    daysaffected: '7',
    daysaffectedtype: '1',
    goaltype: '0',
    ...more,
  });
}
const listGoals = async (account: TestAccount) =>
  (await account.call(gettimetrackergoals, { deviceid: '-1' })).goals.map(({ goal }) => goal);

const open = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/graphyv2', options);
const getPanel = (page: Page): Locator => page.getByRole('complementary', { name: 'Goals' });
const getEditor = (page: Page): Locator => page.getByRole('dialog', { name: 'Create/Edit Goal' });
const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });

/** Opens a list of the editor, filters it, and picks the first choice. */
async function choose(page: Page, list: RegExp, typed: string): Promise<void> {
  await button(getEditor(page), list).click();
  await waitForFocus(getEditor(page).getByRole('combobox'));
  await page.keyboard.type(typed);
  await page.keyboard.press('Enter');
}

describe.skipIf(site.skipReason)(`goals of /graphyv2 (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a goal is created with every field, shown as a card, changed, deleted and restored, also by another tab', async () => {
    // Changing the type resets implausible amounts, each kind of target keeps its own, and all amounts are offered.
    const account = await createUser();
    const page = await open(account);
    await getPanel(page).getByText('No goals yet').waitFor();
    await button(getPanel(page), 'Add goal').click();
    const editor = getEditor(page);
    await waitForDialogFocus(editor);
    await button(editor, 'Times opened').click();
    await button(editor, 'Amount 10 times').waitFor();
    await choose(page, /^Amount/, '201');
    await button(editor, 'Amount 201 times').waitFor();
    await button(editor, 'Time spent').click();
    await button(editor, 'Amount 10 hours').waitFor();
    // 45 minutes are 2700 seconds, which stay and are marked as an invalid number of times.
    await choose(page, /^Amount/, '45');
    await button(editor, 'Times opened').click();
    await editor.getByText('2700 times is not available. Choose another amount').waitFor();
    expect(await button(editor, 'Save').isDisabled()).toBe(true);
    await button(editor, 'Time spent').click();
    await button(editor, 'Amount 45 minutes').waitFor();
    await button(editor, /^Amount/).click();
    await page.keyboard.press('PageDown');
    const list = editor.getByRole('listbox', { name: 'Amount' });
    expect(await list.getByRole('option', { selected: true }).getAttribute('aria-setsize')).toBe('3006');
    await page.keyboard.type('3001');
    await expect.poll(() => list.getByRole('option').allInnerTexts()).toEqual(['3001 hours']);
    await page.keyboard.press('Escape');
    await waitForFocus(button(editor, /^Amount/));
    await choose(page, /^Days/, '999');
    await button(editor, 'Days affected last 999 days').waitFor();
    await choose(page, /^Target /, 'fire');
    await button(editor, 'Category').click();
    await button(editor, 'Target work').waitFor();
    await button(editor, 'App').click();
    await button(editor, `Target firefox ${UNASSIGNED}`).waitFor();
    await button(editor, 'Cancel').click();
    await editor.waitFor({ state: 'detached' });
    expect(await listGoals(account)).toEqual([]);

    // Creates, changes, deletes and restores a goal.
    await button(getPanel(page), 'Add goal').click();
    await waitForDialogFocus(editor);
    // The specified defaults.
    await button(editor, 'Target total').waitFor();
    await button(editor, 'Amount 10 hours').waitFor();
    await button(editor, 'Days affected last 7 days').waitFor();
    await button(editor, 'Computer(s) All devices').waitFor();
    expect(await button(editor, /^Between dates not implemented \(or ever\)$/).isDisabled()).toBe(true);
    expect(await button(editor, 'Delete').count()).toBe(0);
    await editor.getByText('1h 15m of 10h in total, last 7 days, All devices').waitFor();

    await choose(page, /^Target /, 'cod');
    await button(editor, 'Target code work').waitFor();
    await choose(page, /^Amount/, '1 h');
    // More than today, because the test may run just after midnight.
    await choose(page, /^Days affected/, '2 d');
    await button(editor, /^Computer/).click();
    await editor.getByRole('option', { name: 'laptop' }).click();
    await editor.getByText('30m of 1h in code, last 2 days, laptop').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await button(editor, 'Save').click();
    await editor.waitFor({ state: 'detached' });
    await waitForFocus(button(getPanel(page), 'Add goal'));
    const card = getPanel(page).getByRole('listitem').filter({ hasText: 'code: 1 hour' });
    await card.getByText('Time spent in code').waitFor();
    await card.getByText('last 2 days · laptop').waitFor();
    await card.getByText('30m of 1h').waitFor();
    expect(await card.getByRole('progressbar').getAttribute('aria-valuetext')).toBe('50 percent');

    await button(getPanel(page), 'Edit goal code: 1 hour').click();
    await waitForDialogFocus(editor);
    await editor.getByRole('switch', { name: 'Set as limit' }).click();
    await choose(page, /^Amount/, '15');
    await editor.getByText('30m, over by 15m in code, last 2 days, laptop').waitFor();
    await button(editor, 'Save').click();
    const limit = getPanel(page).getByRole('listitem').filter({ hasText: 'code: 15 minutes or less' });
    await limit.getByText('200%').waitFor();

    await button(getPanel(page), /^Edit goal code/).click();
    await waitForDialogFocus(editor);
    await button(editor, 'Delete').click();
    // A hovered notice stays.
    await page.getByRole('status').filter({ hasText: 'Deleted' }).hover();
    await limit.waitFor({ state: 'detached' });
    expect(await listGoals(account)).toEqual([]);
    await button(page, 'Undo').click();
    await limit.waitFor();
    expect(await listGoals(account)).toMatchObject([
      { target: 'code', goalseconds: 900, daysaffected: 2, limit: true },
    ]);

    // Another tab creates one.
    await createGoal(account, { target: 'work', type: 'cat', goaltype: '1', goalseconds: '1', daysaffected: '14' });
    const theirs = getPanel(page).getByRole('listitem').filter({ hasText: 'work: 1 time' });
    await theirs.getByText('100%').waitFor();
  });

  test('the card shows the results of previous days', async () => {
    hoursAgo = 72;
    const account = await createUser();
    await createGoal(account, { target: 'code', goalseconds: '900', daysaffected: '3', tz: 'UTC' });
    for (hoursAgo of [48, 24, 0]) await nightly?.();
    const page = await open(account);
    const card = getPanel(page).getByRole('listitem').filter({ hasText: 'code: 15 minutes' });
    expect(await card.getByRole('img', { name: /^Met on/ }).getAttribute('aria-label')).toMatch(
      /^Met on [23] of the last 3 days$/,
    );
    expect(await findBarriers(page)).toEqual([]);
  });

  test('a goal is saved once however often Save is pressed, and the editor shows refusals', async () => {
    const account = await createUser();
    const page = await open(account, { expects: /ERR_FAILED/ });
    let sent = 0;
    await page.route('**/api/settimetrackergoal*', async (route) => {
      sent += 1;
      await (sent === 1 ? route.abort() : route.continue());
    });
    await button(getPanel(page), 'Add goal').click();
    const editor = getEditor(page);
    await waitForDialogFocus(editor);
    await button(editor, 'Save').click();
    await editor.getByRole('alert').filter({ hasText: 'The server cannot be reached' }).waitFor();
    await button(editor, 'Save').evaluate((save: HTMLElement) => {
      for (let press = 0; press < 5; press += 1) save.click();
    });
    await getPanel(page).getByRole('listitem').filter({ hasText: 'total: 10 hours' }).waitFor();
    expect(sent).toBe(2);
    expect(await listGoals(account)).toHaveLength(1);
  });

  test('a failed load is an unfortunate error, and Category is offered only if there is one', async () => {
    const account = await createUser(false);
    await createGoal(account, {});
    const page = await reusePage(site, account, '/dashboard/about', { expects: /ERR_FAILED/ });
    await page.route('**/api/gettimetrackergoals*', (route) => route.abort());
    await page.goto('/graphyv2');
    await getPanel(page).getByText('unfortunate error', { exact: true }).waitFor();
    await page.unroute('**/api/gettimetrackergoals*');
    await button(getPanel(page), 'Try again').click();
    await getPanel(page).getByText('total: 10 hours').waitFor();
    await button(getPanel(page), 'Add goal').click();
    const kinds = getEditor(page).getByRole('group', { name: 'Target type' }).getByRole('button');
    await expect.poll(() => kinds.allInnerTexts()).toEqual(['App']);
  });

  test('a goal can have targets used on other computers, and says if its computer was removed', async () => {
    const account = await createUser();
    const names = Object.entries((await account.call(getcomputernames, {})).computernames);
    const findId = (computer: string): string => names.find(([, name]) => name === computer)?.[0] ?? '';
    await createGoal(account, { target: 'code', goalseconds: '3600', deviceid: findId('laptop') });
    const page = await open(account, { stored: { 'pegboard.screentime.device': findId('media box') } });
    await page.getByText('Device: media box').waitFor();
    await button(getPanel(page), 'Add goal').click();
    await waitForDialogFocus(getEditor(page));
    await choose(page, /^Target /, 'cod');
    await button(getEditor(page), 'Target code work').waitFor();

    await account.call(revokedevice, { id: Number(findId('laptop')) });
    const later = await open(account);
    await button(getPanel(later), /^Edit goal code/).click();
    await getEditor(later).getByText('in code, last 7 days, laptop (removed)').waitFor();
  });

  test('cards and editor are accessible on a phone, and its buttons stay visible', async () => {
    const account = await createUser();
    await createGoal(account, { target: 'code', goalseconds: '3600' });
    await createGoal(account, { target: 'firefox', goalseconds: '1800', daysaffected: '1', limit: '1' });
    const page = await open(account, { size: 'phone', scheme: 'dark' });
    await button(getPanel(page), 'Edit goal code: 1 hour').click();
    const editor = getEditor(page);
    await waitForDialogFocus(editor);
    await editor.getByText('30m of 1h in code, last 7 days, All devices').waitFor();
    const { y = 0, height = 0 } = (await button(editor, 'Save').boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(PHONE_VIEWPORT.height);
    await button(editor, /^Amount/).click();
    await editor.getByRole('option', { name: '1 hour', exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});
