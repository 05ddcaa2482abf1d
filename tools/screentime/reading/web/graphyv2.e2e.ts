import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { waitForFocus } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import {
  listDayLines,
  openUsagePage,
  getDayRow,
  getTimelinePoint,
  formatTimeAgo,
  getTooltip,
  BROWSER_ZONE,
} from '#testing/kits/usage/usagePage.ts';
import { pairUsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { modifyapplicationcatinfo } from '../../contract.ts';

const site = startTestSite({ rateLimits: false });
avoidMidnight(BROWSER_ZONE);

/** Creates a user with two computers; gimp was last used three weeks ago. */
async function createUser(): Promise<TestAccount> {
  const account = await site.createPerson();
  const laptop = await pairUsageComputer(site.server, account, 'laptop');
  const desk = await pairUsageComputer(site.server, account, 'desk');
  await laptop.reportUse(
    ['gimp', 'on', formatTimeAgo(21, '10:00'), formatTimeAgo(21, '11:30')],
    ['firefox', 'on', formatTimeAgo(2, '08:00'), formatTimeAgo(2, '08:30')],
    ['firefox', 'on', formatTimeAgo(1, '09:00'), formatTimeAgo(1, '10:00')],
    ['code', 'on', formatTimeAgo(1, '10:00'), formatTimeAgo(1, '12:15')],
    ['firefox', 'off', formatTimeAgo(1, '10:00'), formatTimeAgo(1, '12:00')],
    ['vlc', 's', formatTimeAgo(1, '20:00'), formatTimeAgo(1, '21:00')],
  );
  await desk.reportUse(['code', 'on', formatTimeAgo(1, '12:00'), formatTimeAgo(1, '13:00')]);
  await account.call(modifyapplicationcatinfo, {
    keys: {},
    cats: { work: ['code', 'gimp'], web: ['firefox'], unassigned: ['vlc'] },
  });
  return account;
}

const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
const toggle = (page: Page, name: string): Locator => page.getByRole('switch', { name, exact: true });
const getPicker = (page: Page): Locator => page.getByRole('complementary', { name: 'Apps' });
const isOn = (app: Locator): Promise<string | null> => app.getAttribute('aria-pressed');

/** Runs in the page: blocks low-priority work until the first application has loaded, and delays another one. */
function blockLowPriority(): void {
  let delayed: (() => void)[] | undefined;
  const hold: ProxyHandler<MessagePort['postMessage']> = {
    apply: (post, port, given) => {
      if (delayed) delayed.push(() => Reflect.apply(post, port, given));
      else Reflect.apply(post, port, given);
    },
  };
  Object.assign(MessagePort.prototype, {
    postMessage: new Proxy(Reflect.get(MessagePort.prototype, 'postMessage'), hold),
  });
  function goOn(): void {
    const late = delayed ?? [];
    delayed = undefined;
    for (const turn of late) turn();
  }
  let isFirst = true;
  const ask = window.fetch;
  window.fetch = async (...request) => {
    const answer = await ask(...request);
    const { pathname, searchParams } = new URL(answer.url);
    if (pathname.endsWith('/returnapplications') && isFirst) delayed ??= [];
    if (searchParams.get('applicationname') === 'total') {
      if (isFirst) setTimeout(goOn, 300);
      isFirst = false;
    }
    if (searchParams.get('applicationname') === 'code') await new Promise((done) => setTimeout(done, 1000));
    return answer;
  };
}

/** Returns the colour at an hour in one of two lanes. */
const getColourAt = (row: Locator, hour: number, lane: number): Promise<string> =>
  row.locator('canvas').evaluate(
    (canvas: HTMLCanvasElement, [share, down]) => {
      const pixel = new OffscreenCanvas(1, 1).getContext('2d');
      pixel?.drawImage(canvas, -Math.floor(canvas.width * share), -Math.floor(canvas.height * down));
      return String(pixel?.getImageData(0, 0, 1, 1).data);
    },
    [hour / 24, (lane + 0.5) / 2] as const,
  );

describe.skipIf(site.skipReason)(`/graphyv2 (${site.skipReason ?? 'in Chromium'})`, () => {
  test('shows usage by day; pointer, keys and zoom read it to the minute', async () => {
    const account = await createUser();
    const page = await openUsagePage(site, account);
    await page.getByRole('heading', { level: 1, name: 'Application grapher v2' }).waitFor();
    await page.getByText(`User: ${account.name}`).waitFor();
    await page.getByText(/^Timezone: \+[12]$/).waitFor();
    await page.getByText('Device: All devices').waitFor();
    expect(await page.getByRole('link', { name: 'Version one' }).getAttribute('href')).toBe('/graphy');
    expect(await page.getByRole('link', { name: 'Modify categories' }).getAttribute('href')).toBe('/catsmmod');
    // All together is selected at first.
    await expect.poll(() => listDayLines(page, 1)).toEqual(['total, 4h 15m, 09:00 to 13:00']);

    const apps = getPicker(page);
    const work = apps.getByRole('region', { name: 'work' });
    expect(await work.locator('p').allTextContents()).toEqual(['Recently used', 'Over two weeks ago']);
    await button(work, /^gimp/).waitFor();
    await button(apps, /^firefox/).click();
    await button(apps, /^total/).click();
    await button(apps, /^code/).click();
    // The most used of the last two weeks comes first.
    await expect
      .poll(() => listDayLines(page, 1))
      .toEqual(['code, 3h 15m, 10:00 to 13:00', 'firefox, 1h 00m, 09:00 to 10:00']);
    // Days render a few at a time.
    await expect.poll(() => listDayLines(page, 2)).toEqual(['code, 0m', 'firefox, 30m, 08:00 to 08:30']);
    expect(await getDayRow(page, 0).getByText('today').count()).toBe(1);

    const row = getDayRow(page, 1);
    // Focused, open and not open have different looks.
    const looks = (): Promise<number> =>
      Promise.all([9.5, 11, 6].map((hour) => getColourAt(row, hour, 1))).then((colours) => new Set(colours).size);
    await expect.poll(looks).toBe(3);
    const spot = await getTimelinePoint(row, 9.5, 1);
    await page.mouse.move(spot.x, spot.y);
    await getTooltip(page).getByText('In focus 09:00 to 10:00, 1h 00m').waitFor();
    const later = await getTimelinePoint(row, 11, 1);
    await page.mouse.move(later.x, later.y);
    await getTooltip(page).getByText('Open 10:00 to 12:00, 2h 00m').waitFor();

    // Zoomed, the same position is another time; a double click resets.
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -800);
    await page.keyboard.up('Control');
    await page.getByText('10:30', { exact: true }).waitFor({ state: 'attached' });
    await page.mouse.dblclick(later.x, later.y);
    await page.getByText('10:30', { exact: true }).waitFor({ state: 'detached' });

    const cursor = row.getByRole('slider');
    await cursor.focus();
    const says = (): Promise<string | null> => cursor.getAttribute('aria-valuetext');
    await page.keyboard.press('Home');
    for (let hour = 0; hour < 9; hour += 1) await page.keyboard.press('PageUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    expect(await says()).toBe('firefox, 09:05, In focus 09:00 to 10:00, 1h 00m');
    await page.keyboard.press('ArrowUp');
    expect(await says()).toBe('code, 09:05, Not open');
    await page.keyboard.press('Shift+ArrowRight');
    expect(await says()).toBe('code, 09:06, Not open');
  });

  test('during continuous zooming all lanes of a day follow', async () => {
    const account = await site.createPerson();
    const names = Array.from({ length: 12 }, (_, index) => `app ${String(index).padStart(2, '0')}`);
    const laptop = await pairUsageComputer(site.server, account, 'laptop');
    await laptop.reportUse(
      ...names.map((name) => [name, 'on', formatTimeAgo(1, '09:00'), formatTimeAgo(1, '10:00')] as const),
    );
    const page = await openUsagePage(site, account, { on: names });
    const canvases = getDayRow(page, 0).locator('canvas');
    await expect.poll(() => canvases.count()).toBe(2);
    await page.waitForLoadState('networkidle');
    const painted = await canvases.evaluateAll(async ([first, second]) => {
      const shown = new Map<unknown, number>();
      const renderer = ImageBitmapRenderingContext.prototype;
      renderer.transferFromImageBitmap = new Proxy(Reflect.get(renderer, 'transferFromImageBitmap'), {
        apply: (show, context: ImageBitmapRenderingContext, given) => {
          shown.set(context.canvas, (shown.get(context.canvas) ?? 0) + 1);
          Reflect.apply(show, context, given);
        },
      });
      for (let picture = 0; picture < 120; picture += 1) {
        first?.dispatchEvent(new WheelEvent('wheel', { bubbles: true, ctrlKey: true, deltaY: picture % 2 ? 40 : -50 }));
        await new Promise(requestAnimationFrame);
      }
      return [first, second].map((canvas) => shown.get(canvas) ?? 0);
    });
    expect(Math.min(...painted)).toBeGreaterThan(1);
  });

  test('the toggles work by their keys and are remembered', async () => {
    const account = await createUser();
    const page = await openUsagePage(site, account, { on: ['firefox', 'code'] });
    await expect.poll(() => listDayLines(page, 1)).toHaveLength(2);
    const states = async (): Promise<readonly (string | null)[]> =>
      Promise.all(
        ['Hide Apps not used', 'Compact View', 'Show goals', 'Show Breakdown', 'Use new picker'].map((name) =>
          toggle(page, name).getAttribute('aria-checked'),
        ),
      );
    expect(await states()).toEqual(['false', 'false', 'true', 'true', 'false']);
    await expect.poll(() => page.locator('[data-row]').count()).toBe(14);

    // Hides unused applications, and days without use.
    await page.keyboard.press('1');
    await expect.poll(() => page.locator('[data-row]').count()).toBe(2);
    await expect.poll(() => listDayLines(page, 2)).toEqual(['firefox, 30m, 08:00 to 08:30']);
    await page.keyboard.press('3');
    await page.getByRole('complementary', { name: 'Goals' }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Breakdown' }).waitFor();
    await page.keyboard.press('4');
    await page.getByRole('heading', { name: 'Breakdown' }).waitFor({ state: 'detached' });
    // Thin bars, with names as chips; a hovered bar shows its name.
    await page.keyboard.press('2');
    const chosen = page.getByRole('group', { name: 'Selected apps' });
    await button(chosen, 'Hide firefox').waitFor();
    const spot = await getTimelinePoint(getDayRow(page, 1), 9.5, 1);
    await page.mouse.move(spot.x, spot.y);
    await getTooltip(page).getByText('firefox').waitFor();
    await button(chosen, 'Hide firefox').click();
    await expect.poll(() => listDayLines(page, 1)).toEqual(['code, 3h 15m, 10:00 to 13:00']);
    await page.keyboard.press('5');
    await button(page, /^web/).waitFor();
    expect(await states()).toEqual(['true', 'true', 'false', 'false', 'true']);
    await page.reload();
    await button(page, /^web/).waitFor();
    expect(await states()).toEqual(['true', 'true', 'false', 'false', 'true']);
    await button(page.getByRole('group', { name: 'Selected apps' }), 'Hide code').waitFor();
  });

  test('the new picker opens one category at a time, and switches it to the opposite of its last application', async () => {
    const account = await createUser();
    const page = await openUsagePage(site, account, { on: ['firefox'], options: { newPicker: true, compact: true } });
    const chosen = page.getByRole('group', { name: 'Selected apps' });
    await button(chosen, 'Hide firefox').waitFor();
    await page.keyboard.press('a');
    await waitForFocus(button(page, /^total/));
    // It has no field of its own.
    await page.keyboard.press('/');
    const finder = page.getByRole('dialog', { name: 'Apps' });
    await waitForFocus(finder.getByRole('textbox', { name: 'Find an app' }));
    await page.keyboard.press('Escape');
    await finder.waitFor({ state: 'detached' });
    await button(page, /^work/).click();
    const work = page.getByRole('group', { name: 'work' });
    await button(work, /^code/).click();
    expect(await isOn(button(work, /^gimp/))).toBe('false');
    // gimp is last and off, so all are switched on.
    await button(page, /^work/).click();
    await button(chosen, 'Hide gimp').waitFor();
    expect(await isOn(button(work, /^code/))).toBe('true');
    await button(page, /^work/).click();
    await button(chosen, 'Hide gimp').waitFor({ state: 'detached' });
    expect(await isOn(button(work, /^code/))).toBe('false');
    await button(chosen, 'Hide firefox').waitFor();
    await button(page, /^web/).click();
    await work.waitFor({ state: 'detached' });
    await button(page.getByRole('group', { name: 'web' }), /^firefox/).waitFor();
  });

  test('a single computer can be selected, and overlapping use counts once', async () => {
    const account = await createUser();
    const page = await openUsagePage(site, account, { on: ['code'] });
    await expect.poll(() => listDayLines(page, 1)).toEqual(['code, 3h 15m, 10:00 to 13:00']);
    await toggle(page, 'Count overlaps once').click();
    await expect.poll(() => listDayLines(page, 1)).toEqual(['code, 3h 00m, 10:00 to 13:00']);
    await page.keyboard.press('d');
    await page.getByRole('option', { name: 'desk' }).click();
    await page.getByText('Device: desk').waitFor();
    await expect.poll(() => listDayLines(page, 1)).toEqual(['code, 1h 00m, 12:00 to 13:00']);
    expect(await toggle(page, 'Count overlaps once').count()).toBe(0);
    // gimp was never used on it.
    expect(await button(getPicker(page), /^gimp/).count()).toBe(0);
    await page.keyboard.press('/');
    await waitForFocus(getPicker(page).getByRole('textbox', { name: 'Find an app' }));
  });

  test('days before the last two weeks load on request', async () => {
    const account = await createUser();
    const page = await openUsagePage(site, account, { on: ['gimp'], options: { hideUnused: true } });
    await button(page, 'Show earlier days').click();
    await expect.poll(() => listDayLines(page, 21)).toEqual(['gimp, 1h 30m, 10:00 to 11:30']);
    await getDayRow(page, 21).scrollIntoViewIfNeeded();
    const spot = await getTimelinePoint(getDayRow(page, 21), 10.5, 0);
    await page.mouse.move(spot.x, spot.y);
    await getTooltip(page).getByText('In focus 10:00 to 11:30, 1h 30m').waitFor();
  });

  test('requested days stay while another application loads', async () => {
    const page = await openUsagePage(site, await createUser(), { on: ['gimp'] });
    await button(page, 'Show earlier days').click();
    await getDayRow(page, 21).waitFor();
    await button(getPicker(page), /^gimp/).click();
    await page.getByText('No apps selected.').waitFor();
    await button(getPicker(page), /^firefox/).click();
    await expect.poll(() => listDayLines(page, 1)).toEqual(['firefox, 1h 00m, 09:00 to 10:00']);
    expect(await getDayRow(page, 21).count()).toBe(1);
  });

  test('the chart below the days is drawn in advance, and the distant year appears immediately', async () => {
    const page = await openUsagePage(site, await createUser(), { on: ['firefox', 'vlc', 'gimp', 'code'] });
    const chart = page.getByRole('img', { name: /^App usage through day/ });
    await chart.locator('canvas').waitFor();
    const seen = await chart.boundingBox();
    expect(seen?.y).toBeGreaterThan((page.viewportSize()?.height ?? 0) + 600);
    await page.getByRole('img', { name: /Highest: code, 7%, 10:00/ }).waitFor();

    // It is visible after scrolling to it.
    await page.setViewportSize({ width: 1280, height: 400 });
    const year = page.getByRole('grid', { name: 'Days of the year' });
    const hidden = year.locator('[data-piece="cut"]');
    await year.getByRole('gridcell', { name: /4h 15m$/ }).waitFor();
    await expect.poll(() => hidden.count()).toBe(2);
    await year.scrollIntoViewIfNeeded();
    await expect.poll(() => hidden.count()).toBe(0);
  });

  test('the bars below the days appear even if the browser is too busy to render between the first answers', async () => {
    const page = await openUsagePage(site, await createUser(), {
      on: ['firefox', 'vlc', 'gimp', 'code'],
      before: (blank) => blank.addInitScript(blockLowPriority),
    });
    const bars = page.getByRole('group', { name: 'Hours of the past two weeks' });
    await bars.getByRole('button', { name: '3.3 hours of code' }).waitFor();
    // It was audible, but never used.
    await bars.getByRole('button', { name: '0.0 hours of vlc' }).click();
    await page.getByRole('article', { name: 'vlc' }).getByText('Never in focus', { exact: true }).waitFor();
  });
});
