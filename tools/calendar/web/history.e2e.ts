import { describe, expect, test } from 'vitest';
import { nowOnMonday } from '#testing/kits/browser/monday.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getButton, getDescriptionField, createEditorKit } from '#testing/kits/planning/editor.ts';

const site = startTestSite({ rateLimits: false, now: nowOnMonday });
const { createPerson, make, open } = createEditorKit(site);

describe.skipIf(site.skipReason)(`the history of an event (${site.skipReason ?? 'in Chromium'})`, () => {
  test('requests as many bins as fit the window, and draws accesses beneath changes', async () => {
    const account = await createPerson();
    const event = await make(account, {});
    const page = await open(account, event);
    const sentRequest = page.waitForRequest((request) => new URL(request.url()).pathname === '/api/getevent');
    await page.reload();
    expect(new URL((await sentRequest).url()).searchParams.get('width')).toBe('1280');
    const line = page.getByRole('slider', { name: 'Event history' });
    await line.waitFor();
    const types = await line
      .locator('i')
      .evaluateAll((marks) => marks.map((mark) => (mark as HTMLElement).dataset['type']));
    expect(types.at(0)).toBe('accessed');
    expect(types.at(-1)).not.toBe('accessed');
    await page.getByText(/Created on \d+ [A-Z][a-z]{2} \d{4}$/).waitFor();
    await page.getByText(/Most recent edit \d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d$/).waitFor();
  });

  test('can be read by keyboard and in full', async () => {
    const account = await createPerson();
    const event = await make(account, {});
    const page = await open(account, event);
    await getDescriptionField(page).fill('changed');
    await page.keyboard.press('Escape');
    await getButton(page, 'Saved').waitFor();
    const line = page.getByRole('slider', { name: 'Event history' });
    await line.focus();
    await page.keyboard.press('Home');
    await expect
      .poll(() => line.getAttribute('aria-valuetext'))
      .toMatch(/^created, \d+ [A-Z][a-z]{2} \d{4} \d\d:\d\d, from 127\.0\.0\.1/);
    await page.keyboard.press('End');
    await expect.poll(() => line.getAttribute('aria-valuetext')).toMatch(/(accessed|edited), /);
    await expect.poll(() => page.getByRole('table').count()).toBe(0);
    await getButton(page, 'Show full history').click();
    const table = page.getByRole('table');
    await table.getByText('edited').waitFor();
    await table.getByText('created').waitFor();
    await getButton(page, 'Hide full history').click();
    await table.waitFor({ state: 'detached' });
  });
});
