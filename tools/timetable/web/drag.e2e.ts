import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForIdle } from '#testing/kits/browser/browser.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { getDayColumn, openTimetable, planSlot, listPlan, getPointAtMinute } from '#testing/kits/planning/timetable.ts';

const site = startTestSite({ rateLimits: false });
const getSlot = (page: Page, name: RegExp | string): Locator =>
  page.locator('[data-slot]').and(page.getByRole('button', { name }));

const THURSDAY = '2026-11-19';
const FRIDAY = '2026-11-20';
const toMinute = (hours: number, minutes = 0): number => hours * 60 + minutes;

async function getCentre(element: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const box = await element.boundingBox();
  if (!box) throw new Error('not shown');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

interface Finger {
  readonly down: (at: { readonly x: number; readonly y: number }) => Promise<unknown>;
  readonly move: (at: { readonly x: number; readonly y: number }) => Promise<unknown>;
  readonly up: () => Promise<unknown>;
}
async function createFinger(page: Page): Promise<Finger> {
  const line = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    line.send('Input.dispatchTouchEvent', { type, touchPoints });
  return {
    down: (point) => send('touchStart', [point]),
    move: (point) => send('touchMove', [point]),
    // At rest, as the browser treats a tap right after a fling as its end.
    up: async () => {
      await page.waitForTimeout(100);
      await send('touchEnd', []);
    },
  };
}

describe.skipIf(site.skipReason)(`timetable by pointer (${site.skipReason ?? 'in Chromium'})`, () => {
  test('a slot is dragged to another day and time, in steps of five minutes, and undone', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    const run = getSlot(page, /^Run,/);
    const from = await getCentre(run);
    const to = await getPointAtMinute(getDayColumn(page, 'Friday'), toMinute(12, 1) + 30);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 6 });
    // Nothing is saved during the drag.
    await expect.poll(() => run.locator('[data-times]').innerText()).toBe('12:00 to 13:00');
    expect(await listPlan(account, THURSDAY)).toEqual(['09:00 to 10:00 Run, Not Started']);
    await page.mouse.up();
    await getDayColumn(page, 'Friday').getByRole('button', { name: 'Run, 12:00 to 13:00, Not Started' }).waitFor();
    await expect.poll(() => listPlan(account, FRIDAY)).toEqual(['12:00 to 13:00 Run, Not Started']);
    expect(await listPlan(account, THURSDAY)).toEqual([]);
    // It was not a click.
    await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).count()).toBe(0);
    await page.keyboard.press('Control+z');
    await expect.poll(() => listPlan(account, THURSDAY)).toEqual(['09:00 to 10:00 Run, Not Started']);
    await getDayColumn(page, 'Thursday').getByRole('button', { name: 'Run, 09:00 to 10:00, Not Started' }).waitFor();
  });

  test('Escape cancels a drag and leaves the slot in place', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    const run = getSlot(page, /^Run,/);
    const from = await getCentre(run);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, from.y + 120, { steps: 4 });
    await expect.poll(() => run.getAttribute('data-held')).toBe('move');
    await page.keyboard.press('Escape');
    await expect.poll(() => run.getAttribute('data-held')).toBe(null);
    await page.mouse.up();
    await expect.poll(() => run.locator('[data-times]').innerText()).toBe('09:00 to 10:00');
    expect(await listPlan(account, THURSDAY)).toEqual(['09:00 to 10:00 Run, Not Started']);
  });

  test('the click that ends a drag does not open the slot, however late it arrives', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    // With the page's own running clock.
    const page = await openTimetable(site, account, { day: THURSDAY, before: () => Promise.resolve() });
    // The page is busy between the drop and its click.
    await page.evaluate(() => {
      document.addEventListener('mouseup', () => {
        const until = performance.now() + 150;
        while (performance.now() < until);
      });
    });
    const name = page.getByRole('textbox', { name: 'Name' });
    const run = getSlot(page, /^Run,/);
    async function startDrag(): Promise<void> {
      const from = await getCentre(run);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(from.x, from.y + 120, { steps: 4 });
      await expect.poll(() => run.getAttribute('data-held')).toBe('move');
    }
    await startDrag();
    await page.mouse.up();
    await expect.poll(() => listPlan(account, THURSDAY)).not.toEqual(['09:00 to 10:00 Run, Not Started']);
    await waitForIdle(page);
    expect(await name.count()).toBe(0);
    await startDrag();
    await page.keyboard.press('Escape');
    await expect.poll(() => run.getAttribute('data-held')).toBe(null);
    await page.mouse.up();
    await waitForIdle(page);
    expect(await name.count()).toBe(0);
    // A key opens it immediately, and so does the next click.
    await run.focus();
    await page.keyboard.press('Enter');
    await name.waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await name.waitFor({ state: 'detached' });
    await run.click();
    await name.waitFor();
  });

  test('its edges resize it, but not past each other', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account);
    const run = getSlot(page, /^Run,/);
    async function dragEdge(edge: 'start' | 'end', minute: number): Promise<void> {
      await run.hover();
      const from = await getCentre(run.locator(`[data-edge=${edge}]`));
      const to = await getPointAtMinute(getDayColumn(page, 'Thursday'), minute);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(from.x, to.y, { steps: 5 });
      await page.mouse.up();
    }
    await dragEdge('end', toMinute(11, 31));
    await expect.poll(() => listPlan(account, THURSDAY)).toEqual(['09:00 to 11:30 Run, Not Started']);
    await getSlot(page, 'Run, 09:00 to 11:30, Not Started').waitFor();
    await dragEdge('start', toMinute(14));
    await expect.poll(() => listPlan(account, THURSDAY)).toEqual(['11:25 to 11:30 Run, Not Started']);
  });

  test('a new slot is drawn on an empty area, and exists once it is saved', async () => {
    const account = await site.createPerson();
    const page = await openTimetable(site, account);
    const saturday = getDayColumn(page, 'Saturday');
    const from = await getPointAtMinute(saturday, toMinute(16, 29));
    const to = await getPointAtMinute(saturday, toMinute(17, 56));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => page.getByRole('textbox', { name: 'Start time' }).inputValue()).toBe('16:25');
    await expect.poll(() => page.getByRole('textbox', { name: 'End time' }).inputValue()).toBe('18:00');
    expect(await listPlan(account, '2026-11-21')).toEqual([]);
    await page.getByRole('textbox', { name: 'Name' }).fill('Cook');
    await page.keyboard.press('Enter');
    await saturday.getByRole('button', { name: 'Cook, 16:25 to 18:00, Not Started' }).waitFor();
    expect(await listPlan(account, '2026-11-21')).toEqual(['16:25 to 18:00 Cook, Not Started']);
  });

  test('a double click on an empty day proposes 12:00 to 15:00', async () => {
    const page = await openTimetable(site, await site.createPerson());
    const place = await getPointAtMinute(getDayColumn(page, 'Tuesday'), toMinute(9));
    await page.mouse.dblclick(place.x, place.y);
    await expect.poll(() => page.getByRole('textbox', { name: 'Start time' }).inputValue()).toBe('12:00');
    await expect.poll(() => page.getByRole('textbox', { name: 'End time' }).inputValue()).toBe('15:00');
  });

  test('a finger that rests on a slot moves it, also onto another day of the strip', async () => {
    const account = await site.createPerson();
    await planSlot(account, THURSDAY, { name: 'Run', start: '09:00', end: '10:00' });
    const page = await openTimetable(site, account, { size: 'phone' });
    const finger = await createFinger(page);
    const run = getSlot(page, /^Run,/);
    const from = await getCentre(run);
    const hour =
      (await getPointAtMinute(getDayColumn(page, 'Thursday'), 60)).y -
      (await getPointAtMinute(getDayColumn(page, 'Thursday'), 0)).y;
    await finger.down(from);
    await expect.poll(() => run.getAttribute('data-held')).toBe('move');
    await finger.move({ x: from.x, y: from.y + hour });
    await finger.move({ x: from.x, y: from.y + hour * 2 });
    await expect.poll(() => run.locator('[data-times]').innerText()).toBe('11:00 to 12:00');
    await finger.up();
    await expect.poll(() => listPlan(account, THURSDAY)).toEqual(['11:00 to 12:00 Run, Not Started']);
    await getSlot(page, 'Run, 11:00 to 12:00, Not Started').waitFor();

    const saturday = page.getByRole('button', { name: /^Sat 21/ });
    const [start, goal] = [await getCentre(run), await getCentre(saturday)];
    await finger.down(start);
    await expect.poll(() => run.getAttribute('data-held')).toBe('move');
    await finger.move({ x: start.x, y: goal.y + 100 });
    await finger.move(goal);
    await expect.poll(() => saturday.getAttribute('data-over')).toBe('');
    await finger.up();
    await expect.poll(() => listPlan(account, '2026-11-21')).toEqual(['11:00 to 12:00 Run, Not Started']);
    await expect.poll(() => saturday.getAttribute('aria-pressed')).toBe('true');
  });

  test('a swipe changes the day, and plus adds a slot to it', async () => {
    const account = await site.createPerson();
    const page = await openTimetable(site, account, { size: 'phone' });
    const finger = await createFinger(page);
    const place = await getPointAtMinute(getDayColumn(page, 'Thursday'), toMinute(12));
    // All together: a finger that rests for 350 ms would draw instead.
    await Promise.all([
      finger.down({ x: 300, y: place.y }),
      ...[260, 200, 140].map((x) => finger.move({ x, y: place.y })),
    ]);
    await finger.up();
    await getDayColumn(page, 'Friday').waitFor();
    await page.getByRole('button', { name: 'Add slot', exact: true }).tap();
    await page.getByRole('textbox', { name: 'Name' }).fill('Cook');
    await page.getByRole('button', { name: 'Save', exact: true }).tap();
    await getSlot(page, 'Cook, 12:00 to 15:00, Not Started').waitFor();
    expect(await listPlan(account, FRIDAY)).toEqual(['12:00 to 15:00 Cook, Not Started']);
  });
});
