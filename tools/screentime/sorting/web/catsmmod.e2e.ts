import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { deviceHello } from '#platform/contract/device.ts';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import {
  waitForDialogFocus,
  waitForFocus,
  waitForIdle,
  WIDE_VIEWPORT,
  type OpenPageOptions,
} from '#testing/kits/browser/browser.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { pairUsageComputer, type UsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { applicationcatinfo, hotkeyRefusals, modifyapplicationcatinfo, usagerules } from '../../contract.ts';
import { UNASSIGNED } from '../../contract/limits.ts';

const site = startTestSite({ rateLimits: false });

const ago = (minutes: number): string =>
  Temporal.Now.instant().subtract({ minutes }).round({ smallestUnit: 'second' }).toString();

interface Furnished {
  readonly account: TestAccount;
  readonly computer: UsageComputer;
}

/** Creates a user whose laptop used firefox, code and obs; code is in work, and media is empty. */
async function createUser(): Promise<Furnished> {
  const account = await site.createPerson();
  const computer = await pairUsageComputer(site.server, account, 'laptop');
  await computer.reportUse(
    ['firefox', 'on', ago(50), ago(40)],
    ['code', 'on', ago(40), ago(30)],
    ['obs', 'on', ago(30), ago(20)],
  );
  const none = { up: '', down: '', mute: '' };
  await account.call(modifyapplicationcatinfo, {
    keys: { work: { ...none, up: 'F5' }, media: none },
    cats: { work: ['code'], media: [], [UNASSIGNED]: ['firefox', 'obs'] },
  });
  return { account, computer };
}

const open = (account: TestAccount, options?: OpenPageOptions): Promise<Page> =>
  reusePage(site, account, '/catsmmod', options);
const getBox = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const getChip = (within: Page | Locator, name: string): Locator =>
  within.getByRole('button', { name: `${name}, move`, exact: true });
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const view = (page: Page, name: string): Promise<void> =>
  page.getByRole('group', { name: 'View' }).getByRole('button', { name }).click();
const status = (page: Page, text: string): Promise<void> =>
  page.getByRole('status').getByText(text, { exact: true }).waitFor();

const readSorting = async (account: TestAccount) => (await account.call(applicationcatinfo, {})).data;

/** Records the browser's dialogs, and answers prompts in order. */
function answerDialogs(page: Page, ...answers: (string | null)[]): readonly string[] {
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(`${dialog.type()}: ${dialog.message()}`);
    const answer = dialog.type() === 'prompt' ? answers.shift() : '';
    void (answer === null ? dialog.dismiss() : dialog.accept(answer));
  });
  return dialogs;
}

/** Opens the dialog of rules, and returns how to fill in the first one. */
async function openRules(on: Page) {
  await button(on, 'Rules 2 suggestions').click();
  const dialog = on.getByRole('dialog', { name: 'Rules and suggestions' });
  await waitForDialogFocus(dialog);
  const rule = dialog.getByRole('textbox', { name: 'Part of a name for rule 1' });
  async function save(pattern: string, label: string): Promise<void> {
    await rule.fill(pattern);
    await dialog.getByRole('combobox', { name: 'Category for rule 1' }).fill('media');
    await dialog.getByRole('button', { name: label }).click();
  }
  return { dialog, rule, save };
}

describe.skipIf(site.skipReason)(`/catsmmod (${site.skipReason ?? 'in Chromium'})`, () => {
  test('applications are sorted by dragging and by keyboard, into categories that are created, refused and deleted', async () => {
    const { account } = await createUser();
    const page = await open(account);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('modifyapplicationcatinfo')) sent.push(request.url());
    });
    await page.getByRole('heading', { name: 'Edit Apps/cats, hotkeys and devices' }).waitFor();
    await page.getByText(`User: ${account.name}`).waitFor();
    // The values of the first two are swapped (docs/specification/screentime.md section 1.7).
    expect(
      await page
        .getByRole('group', { name: 'View' })
        .getByRole('button')
        .evaluateAll((all: HTMLButtonElement[]) => all.map(({ value, innerText }) => `${value} ${innerText}`)),
    ).toEqual(['keylinks Categories', 'catdata Hotkeys', 'devices Devices']);
    await getChip(getBox(page, UNASSIGNED), 'firefox').dragTo(getBox(page, UNASSIGNED).getByRole('heading'));
    await getChip(getBox(page, UNASSIGNED), 'firefox').dragTo(getBox(page, 'media'));
    await getChip(getBox(page, 'media'), 'firefox').waitFor();
    // A hovered notice stays.
    await page.getByText('firefox moved to media').hover();
    await status(page, 'Saved');
    expect(sent).toHaveLength(1);
    expect((await readSorting(account)).cats).toEqual({ work: ['code'], media: ['firefox'], [UNASSIGNED]: ['obs'] });
    await button(page, 'Undo').click();
    await getChip(getBox(page, UNASSIGNED), 'firefox').waitFor();
    await expect.poll(async () => (await readSorting(account)).cats['media']).toEqual([]);
    // On a tablet the whole header fits.
    await page.setViewportSize({ width: 768, height: 900 });
    const [link, search] = await Promise.all([
      page.getByRole('link', { name: 'View logging stats' }).boundingBox(),
      page.getByRole('button', { name: /^Go to…/ }).boundingBox(),
    ]);
    expect((link?.x ?? 0) + (link?.width ?? 0)).toBeLessThanOrEqual(search?.x ?? 0);
    // The button saves the current state again.
    await button(page, 'Save').click();
    await expect.poll(() => sent.length).toBe(3);
    await status(page, 'Saved');
    await page.setViewportSize(WIDE_VIEWPORT);

    // By keyboard alone: arrows to an application, M, part of a name, Enter; the focus moves along.
    await getChip(page, 'code').focus();
    await page.keyboard.press('ArrowRight');
    await waitForFocus(getChip(page, 'firefox'));
    await page.keyboard.press('m');
    const move = page.getByRole('dialog', { name: 'Move firefox to…' });
    await waitForFocus(move.getByRole('combobox', { name: 'Move to…' }));
    await page.keyboard.press('Escape');
    await waitForFocus(getChip(page, 'firefox'));
    await page.keyboard.press('Enter');
    await waitForFocus(move.getByRole('combobox'));
    await page.keyboard.type('WOR');
    await expect.poll(() => move.getByRole('option').allInnerTexts()).toEqual(['work']);
    await page.keyboard.press('Enter');
    await waitForFocus(getChip(getBox(page, 'work'), 'firefox'));
    await page.getByText('firefox moved to work').waitFor();
    await expect
      .poll(async () => (await readSorting(account)).cats['work'])
      .toEqual(expect.arrayContaining(['code', 'firefox']));
    await status(page, 'Saved');
    await page.keyboard.press('Control+z');
    await getChip(getBox(page, UNASSIGNED), 'firefox').waitFor();
    await page.keyboard.press('/');
    await waitForFocus(page.getByRole('searchbox', { name: 'Find an app' }));
    await page.keyboard.type('FIRE');
    await expect.poll(() => page.getByRole('button', { name: /, move$/ }).allInnerTexts()).toEqual(['firefox']);
    await page.getByRole('searchbox', { name: 'Find an app' }).fill('');

    // A new category is named in a prompt; an empty or used name leads to an alert; deleting can be undone.
    const dialogs = answerDialogs(page, 'music', ' ', 'music', UNASSIGNED, null, 'x'.repeat(101));
    const REFUSED = 'alert: Category name already exists or is empty';
    const NAME_PROMPT = 'prompt: Enter a name for the new category';
    await button(page, 'Add new category').click();
    await getBox(page, 'music').waitFor();
    await expect.poll(async () => Object.keys((await readSorting(account)).cats)).toContain('music');
    await status(page, 'Saved');
    for (let more = 0; more < 4; more += 1) await button(page, 'Add new category').click();
    expect(dialogs).toEqual([
      NAME_PROMPT,
      NAME_PROMPT,
      REFUSED,
      NAME_PROMPT,
      REFUSED,
      NAME_PROMPT,
      REFUSED,
      NAME_PROMPT,
    ]);
    expect(Object.keys((await readSorting(account)).cats).toSorted()).toEqual(['media', 'music', UNASSIGNED, 'work']);
    await button(page, 'Delete category work').click();
    await getChip(getBox(page, UNASSIGNED), 'code').waitFor();
    await status(page, 'Saved');
    await expect.poll(async () => Object.keys((await readSorting(account)).cats)).not.toContain('work');
    await button(page, 'Undo').click();
    await getChip(getBox(page, 'work'), 'code').waitFor();
    await expect.poll(async () => (await readSorting(account)).keys['work']?.up).toBe('F5');
    // A refused edit shows its sentence, and is reverted.
    await button(page, 'Add new category').click();
    await status(page, 'Failed to save - rejected');
    await page.getByRole('alert').filter({ hasText: 'is too long. Enter at most 100 characters' }).waitFor();
    await getBox(page, 'x'.repeat(101)).waitFor({ state: 'detached' });
    expect(await button(page, `Delete category ${UNASSIGNED}`).count()).toBe(0);
  });

  test('hotkeys save on Enter and blur, invalid ones are refused; computers are renamed, or say why not', async () => {
    const { account, computer } = await createUser();
    await pairUsageComputer(site.server, account, 'media box');
    const page = await open(account, { expects: /ERR_FAILED/ });
    await view(page, 'Hotkeys');
    await page.waitForURL('**/catsmmod?view=catdata');
    const key = (action: string, category: string): Locator =>
      page.getByRole('textbox', { name: `${action} key for ${category}`, exact: true });
    await expect.poll(() => key('up', 'work').inputValue()).toBe('F5');
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual(['work', 'media', UNASSIGNED]);
    await key('up', UNASSIGNED).fill('F7');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await readSorting(account)).keys[UNASSIGNED]?.up).toBe('F7');
    await key('down', 'work').fill('ctrl+alt+d');
    await page.keyboard.press('Enter');
    await status(page, 'Saved');
    await expect.poll(() => key('down', 'work').inputValue()).toBe('Ctrl-Alt-D');
    await key('mute', 'media').fill('m');
    await key('up', 'media').focus();
    await expect.poll(async () => (await readSorting(account)).keys['media']?.mute).toBe('m');
    await button(page, 'Clear the up key for work').click();
    await expect
      .poll(async () => (await readSorting(account)).keys['work'])
      .toEqual({ up: '', down: 'Ctrl-Alt-D', mute: '' });
    await key('up', 'media').fill('Hyper');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: "There is no key called 'Hyper'" }).waitFor();
    await status(page, 'Failed to save - rejected');
    await expect.poll(() => key('up', 'media').inputValue()).toBe('Hyper');
    // Save focuses the invalid field, and does not show 'Saved'.
    await button(page, 'Save').click();
    await waitForFocus(key('up', 'media'));
    await status(page, 'Failed to save - rejected');
    await page.keyboard.press('Escape');
    await expect.poll(() => key('up', 'media').inputValue()).toBe('');
    // A key that a computer can't register is shown with the computer's sentence.
    await using agent = await openSocket(site.server, { token: computer.token });
    await agent.request(deviceHello, { version: '1', system: 'Debian', abilities: {} });
    await agent.request(hotkeyRefusals, {
      refused: [{ category: 'media', action: 'mute', reason: 'm is taken by another program' }],
    });
    await page.getByText('laptop: m is taken by another program').waitFor();
    await page.getByText(/Type a single letter.*about 20 seconds and a press of an old key/).waitFor();
    expect(await page.getByRole('link', { name: 'Linux and X11' }).getAttribute('href')).toMatch(/^https:/);

    // Computers can be renamed; refused names show why.
    await view(page, 'Devices');
    await page.waitForURL('**/catsmmod?view=devices');
    await button(page, 'Edit laptop').click();
    const dialog = page.getByRole('dialog', { name: 'Change devicename' });
    await dialog.getByRole('textbox', { name: 'New name for laptop' }).fill('Media box');
    await page.keyboard.press('Enter');
    await dialog.getByText(/^Not saved - .*already have a device with that name/).waitFor();
    await dialog.getByRole('textbox').fill('thin laptop');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await status(page, 'Saved new name');
    await button(page, 'Edit thin laptop').waitFor();
    await waitForFocus(button(page, 'Edit thin laptop'));
    await page.route('**/api/getcomputernames', (route) => route.abort());
    await page.reload();
    await page.getByText('Failed to get devices', { exact: true }).waitFor();
    await page.unroute('**/api/getcomputernames');
    await button(page, 'Try again').click();
    await button(page, 'Edit thin laptop').waitFor();
  });

  test('moves made offline stay, are marked, and saved after reconnecting', async () => {
    const { account } = await createUser();
    const page = await open(account, { expects: /ERR_INTERNET_DISCONNECTED|ERR_FAILED|WebSocket/ });
    await getChip(page, 'obs').waitFor();
    await waitForIdle(page);
    await page.context().setOffline(true);
    // The notice moves the page down.
    await page.getByText(/^Offline/).waitFor();
    await getChip(page, 'obs').click();
    await page.getByRole('option', { name: 'media' }).click();
    await status(page, 'Failed to save - Server error');
    await getChip(getBox(page, 'media'), 'obs').waitFor();
    // The page asks before it closes.
    const dialogOpened = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await dialogOpened).type()).toBe('beforeunload');
    await (await dialogOpened).dismiss();
    await page.context().setOffline(false);
    await status(page, 'Saved');
    expect((await readSorting(account)).cats['media']).toEqual(['obs']);

    // Opening another page and returning does not lose it either.
    await page.route('**/api/modifyapplicationcatinfo', (route) => route.abort());
    await getChip(page, 'firefox').click();
    await page.getByRole('option', { name: 'media' }).click();
    await status(page, 'Failed to save - Server error');
    await page.getByRole('link', { name: 'View logging stats' }).click();
    await page.unroute('**/api/modifyapplicationcatinfo');
    await page.getByRole('link', { name: 'Modify categories' }).click();
    await getChip(getBox(page, 'media'), 'firefox').waitFor();
    // It may have been saved before the page closed.
    await expect.poll(async () => (await readSorting(account)).cats['media']).toEqual(['firefox', 'obs']);
  });

  test('without a token the login form is shown with the server’s message, and the page follows the login', async () => {
    const { account } = await createUser();
    const page = await site.browser.openPage(site.server.origin, '/catsmmod');
    await page.getByText('User: Not logged in').waitFor();
    await button(page, 'Submit').click();
    await page.getByRole('alert').filter({ hasText: /\w/ }).first().waitFor();
    await page.getByLabel('Username').fill(account.name);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    await page.keyboard.press('Enter');
    await getChip(page, 'obs').waitFor();
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'usertoken');
    const days = ((cookie?.expires ?? 0) * 1000 - Temporal.Now.instant().epochMilliseconds) / 86_400_000;
    expect(Math.round(days)).toBe(300);
  });

  test('suggestions sort unassigned applications, and a rule sorts what matches its pattern', async () => {
    const { account } = await createUser();
    const page = await open(account);
    await button(page, 'Rules 2 suggestions').click();
    const dialog = page.getByRole('dialog', { name: 'Rules and suggestions' });
    await dialog.getByRole('button', { name: 'Sort firefox into Browsers' }).click();
    await page.getByText('firefox moved to Browsers').waitFor();
    await expect.poll(async () => (await readSorting(account)).cats['Browsers']).toEqual(['firefox']);
    await dialog.getByRole('textbox', { name: 'Part of a name for rule 1' }).fill('OB*s');
    await dialog.getByRole('combobox', { name: 'Category for rule 1' }).fill('media');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page
      .getByRole('dialog', { name: 'Close without saving?' })
      .getByRole('button', { name: 'Keep editing' })
      .click();
    await dialog.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('Saved the rules and sorted 1 app').waitFor();
    await expect.poll(async () => (await readSorting(account)).cats['media']).toEqual(['obs']);
    await dialog.getByText('No suggestions for the unassigned apps').waitFor();
    await page.keyboard.press('Escape');
    await getChip(getBox(page, 'media'), 'obs').waitFor();
    await getChip(getBox(page, 'Browsers'), 'firefox').waitFor();
  });

  test('changes of one tab appear in the other, both can edit, and rules changed elsewhere are not overwritten', async () => {
    const { account } = await createUser();
    const [page, other] = [await open(account), await open(account)];
    const [mine, theirs] = [await openRules(page), await openRules(other)];
    const rules = async (): Promise<readonly string[]> =>
      (await account.call(usagerules, {})).rules.map(({ pattern }) => pattern);

    await theirs.save('first', 'Save rules');
    // Nothing was typed here, so the new rules are shown.
    await expect.poll(() => mine.rule.inputValue()).toBe('first');
    await mine.rule.fill('mine');
    await theirs.save('theirs', 'Save rules');
    await mine.dialog.getByText('The rules were changed elsewhere after you opened them').waitFor();
    expect(await mine.rule.inputValue()).toBe('mine');
    await mine.save('mine', 'Save my rules');
    await expect.poll(rules).toEqual(['mine']);
    await expect.poll(() => theirs.rule.inputValue()).toBe('mine');
    await mine.rule.fill('typed');
    await theirs.save('again', 'Save rules');
    await mine.dialog.getByRole('button', { name: 'Show new rules' }).click();
    await expect.poll(() => mine.rule.inputValue()).toBe('again');

    // Moves applications in both.
    for (const each of [page, other]) await each.keyboard.press('Escape');
    for (const { dialog } of [mine, theirs]) await dialog.waitFor({ state: 'detached' });
    const one = page;
    await getChip(other, 'obs').waitFor();
    await getChip(getBox(one, UNASSIGNED), 'firefox').dragTo(getBox(one, 'media'));
    await getChip(getBox(other, 'media'), 'firefox').waitFor();
    await getChip(other, 'obs').click();
    await getChip(one, 'code').click();
    await Promise.all([
      other.getByRole('option', { name: 'work' }).click(),
      one.getByRole('option', { name: 'media' }).click(),
    ]);
    for (const each of [one, other]) {
      await getChip(getBox(each, 'work'), 'obs').waitFor();
      await getChip(getBox(each, 'media'), 'code').waitFor();
    }
  });

  test.for([
    ['wide', 'light'],
    ['phone', 'dark'],
  ] as const)(
    'all views are accessible and fit their window, %s and %s',
    { tags: 'matrix' },
    async ([size, scheme]) => {
      const { account } = await createUser();
      const page = await open(account, { size, scheme });
      await getChip(page, 'firefox').click();
      await page.getByRole('option', { name: 'work' }).waitFor();
      async function checkLayout(): Promise<void> {
        await waitForIdle(page);
        expect(await findBarriers(page)).toEqual([]);
        const before = page.viewportSize();
        // On the smallest phone, too.
        if (size === 'phone') await page.setViewportSize({ width: 320, height: 700 });
        await waitForIdle(page);
        const wider = await page.evaluate(
          () =>
            [document.documentElement, ...document.querySelectorAll('main, main [data-flush] > *')].filter(
              (part) => part.scrollWidth > part.clientWidth,
            ).length,
        );
        expect(wider).toBe(0);
        if (before) await page.setViewportSize(before);
      }
      await checkLayout();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Rules/ }).click();
      await page.getByRole('dialog').waitFor();
      await checkLayout();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await view(page, 'Hotkeys');
      await page.getByRole('textbox', { name: 'up key for work' }).waitFor();
      await checkLayout();
      await view(page, 'Devices');
      await button(page, 'Edit laptop').click();
      await page.getByRole('dialog').waitFor();
      await checkLayout();
    },
  );
});
