import type { Locator, Page } from 'playwright-core';
import { waitForDialogFocus, type OpenPageOptions } from '../browser/browser.ts';
import { openSignedIn } from '../browser/signedIn.ts';
import type { TestSite } from '../browser/site.ts';
import type { TestAccount } from '../server/server.ts';

/** Where the browser of these tests stands: an hour ahead of UTC, on days that all have 24 hours. */
export const BROWSER_ZONE = 'Africa/Lagos';

const today = (): Temporal.PlainDate => Temporal.Now.plainDateISO(BROWSER_ZONE);

/** The day so many days ago, ISO, as the page has it. */
export function formatDayAgo(days: number): string {
  return today().subtract({ days }).toString();
}

/** A time of the clock on that day, as `UsedComputer.used` takes it. */
export function formatTimeAgo(days: number, clock: string): string {
  return today()
    .subtract({ days })
    .toZonedDateTime({ timeZone: BROWSER_ZONE, plainTime: clock })
    .toInstant()
    .toString();
}

/** The options of /graphyv2 as its browser remembers them. */
interface Remembered {
  /** Applications that are on. */
  readonly on?: readonly string[];
  readonly options?: Readonly<Record<string, boolean>>;
}

/** /graphyv2 of an account in a browser whose zone is known, with its days drawn unless it has none. */
export function openUsagePage(
  site: Pick<TestSite, 'browser' | 'server'>,
  account: TestAccount,
  { on, options, ...open }: OpenPageOptions & Remembered = {},
): Promise<Page> {
  const stored = {
    ...(on && { 'pegboard.screentime.on': JSON.stringify({ of: account.name, on }) }),
    ...(options && { 'pegboard.screentime.options': JSON.stringify(options) }),
  };
  return openSignedIn(site, account, '/graphyv2', { timeZone: BROWSER_ZONE, stored, ...open });
}

/** The row of a day so many days ago. */
export function getDayRow(page: Page, days: number): Locator {
  return page.locator(`[data-row="${formatDayAgo(days)}"]`);
}

/** What stands beside the bars of a day: `firefox, 1h 00m, 09:00 to 10:00`. */
export async function listDayLines(page: Page, days: number): Promise<readonly string[]> {
  return getDayRow(page, days)
    .getByRole('listitem')
    .evaluateAll((lines) => lines.map((line) => line.getAttribute('title') ?? ''));
}

/** Where a time of the clock and a lane stand in the window, on a day of 24 hours that is shown whole. */
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

/** What the tip beside the pointer or the cursor says. */
export function getTooltip(page: Page): Locator {
  return page.locator('[data-tip]');
}

const DAY_MS = 86_400_000;
/** A day of the map. Among 371 cells it is found at once by its number, and slowly by its name. */
export function getMapDay(page: Page, days: number): Locator {
  return page.locator(`[data-day="${Date.parse(`${formatDayAgo(days)}T00:00Z`) / DAY_MS}"]`);
}

/** The story of a day so many days ago, with its stretches. */
export async function openStory(page: Page, days: number): Promise<Locator> {
  await getMapDay(page, days).click();
  const story = page.getByRole('dialog', { name: "The day's story" });
  await waitForDialogFocus(story);
  await story.getByRole('listitem').first().waitFor();
  return story;
}
