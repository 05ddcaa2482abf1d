import type { Locator, Page } from 'playwright-core';
import { DAY_MS } from '#platform/contract/duration.ts';
import { waitForDialogFocus, type OpenPageOptions } from '../browser/browser.ts';
import { openLoggedIn } from '../browser/openLoggedIn.ts';
import type { TestSite } from '../browser/site.ts';
import type { TestAccount } from '../server/server.ts';

/** Zone of the browser: an hour ahead of UTC, all days with 24 hours. */
export const BROWSER_ZONE = 'Africa/Lagos';

const today = (): Temporal.PlainDate => Temporal.Now.plainDateISO(BROWSER_ZONE);

/** Formats the day this many days ago as the page does (ISO). */
export function formatDayAgo(days: number): string {
  return today().subtract({ days }).toString();
}

/** Formats a clock time on that day, as `UsageComputer.reportUse` takes it. */
export function formatTimeAgo(days: number, clock: string): string {
  return today()
    .subtract({ days })
    .toZonedDateTime({ timeZone: BROWSER_ZONE, plainTime: clock })
    .toInstant()
    .toString();
}

/** Options of /graphyv2 that its browser stores. */
interface Remembered {
  /** Selected applications. */
  readonly on?: readonly string[];
  readonly options?: Readonly<Record<string, boolean>>;
}

/** Opens /graphyv2 of an account in a browser with a known zone, and waits for its days, if it has any. */
export function openUsagePage(
  site: Pick<TestSite, 'browser' | 'server'>,
  account: TestAccount,
  { on, options, ...open }: OpenPageOptions & Remembered = {},
): Promise<Page> {
  const stored = {
    ...(on && { 'pegboard.screentime.on': JSON.stringify({ of: account.name, on }) }),
    ...(options && { 'pegboard.screentime.options': JSON.stringify(options) }),
  };
  return openLoggedIn(site, account, '/graphyv2', { timeZone: BROWSER_ZONE, stored, ...open });
}

/** Returns the row of a day this many days ago. */
export function getDayRow(page: Page, days: number): Locator {
  return page.locator(`[data-row="${formatDayAgo(days)}"]`);
}

/** Returns the labels beside the bars of a day: `firefox, 1h 00m, 09:00 to 10:00`. */
export async function listDayLines(page: Page, days: number): Promise<readonly string[]> {
  return getDayRow(page, days)
    .getByRole('listitem')
    .evaluateAll((lines) => lines.map((line) => line.getAttribute('title') ?? ''));
}

/** Returns the position of a clock time and a lane in the window, on a day of 24 hours that is shown completely. */
export async function getTimelinePoint(
  row: Locator,
  hour: number,
  lane: number,
): Promise<{ readonly x: number; readonly y: number }> {
  const canvas = row.locator('canvas');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  if (!box) throw new Error('the day is not drawn');
  const lanes = await row.getByRole('listitem').count();
  return { x: box.x + (box.width * hour) / 24, y: box.y + (box.height * (lane + 0.5)) / lanes };
}

/** Returns the tooltip beside the pointer or cursor. */
export function getTooltip(page: Page): Locator {
  return page.locator('[data-tip]');
}

/** Returns a day of the map. By its number it is found fast among 371 cells, by its name slowly. */
export function getMapDay(page: Page, days: number): Locator {
  return page.locator(`[data-day="${Date.parse(`${formatDayAgo(days)}T00:00Z`) / DAY_MS}"]`);
}

/** Opens the story of a day this many days ago, with its intervals. */
export async function openStory(page: Page, days: number): Promise<Locator> {
  await getMapDay(page, days).click();
  const story = page.getByRole('dialog', { name: 'Day details' });
  await waitForDialogFocus(story);
  await story.getByRole('listitem').first().waitFor();
  return story;
}
