import type { Locator, Page } from 'playwright-core';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { getunuseddatesttbl, savespecific } from '#tools/timetable/contract.ts';
import { type OpenPageOptions, waitForIdle } from '../browser/browser.ts';
import { reusePage } from '../browser/reusePage.ts';
import type { TestSite } from '../browser/site.ts';
import type { TestAccount } from '../server/server.ts';

type SentSlot = RequestInputOf<typeof savespecific>['data'][string];

/** Thursday, 19 November 2026, 14:12 in Berlin. */
export const TIMETABLE_NOW = '2026-11-19T13:12:00Z';

interface TimetableOptions extends OpenPageOptions {
  /** ISO date; default: today. */
  readonly day?: string;
}

/** Opens the timetable of an account, in a browser with a fixed time and a known zone. */
export async function openTimetable(
  site: TestSite,
  account: TestAccount,
  { day, now = TIMETABLE_NOW, timeZone = 'Europe/Berlin', ...options }: TimetableOptions = {},
): Promise<Page> {
  const page = await reusePage(site, account, day === undefined ? '/timetable' : `/timetable?day=${day}`, {
    timeZone,
    now,
    waitsForConnection: true,
    ...options,
  });
  await page.locator('[data-scroller]:not([aria-busy])').waitFor();
  await waitForIdle(page);
  return page;
}

/**
 * Holds back the next answer for the weeks from this Monday (ISO), with its content as of the request;
 * `requested` resolves then.
 */
export async function holdWeekAnswer(
  page: Page,
  monday: string,
): Promise<{ readonly requested: Promise<void>; readonly release: () => void }> {
  const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(
    new RegExp(`from=${monday}`),
    async (route) => {
      const response = await route.fetch();
      requested.resolve();
      await released.promise;
      // The page may have sent another request.
      await route.fulfill({ response }).catch(() => undefined);
    },
    { times: 1 },
  );
  return { requested: requested.promise, release: released.resolve };
}

/** Plans a slot with the API; returns its id. */
export async function planSlot(account: TestAccount, date: string, slot: SentSlot): Promise<number> {
  const sent: SentSlot = { colour: [46, 158, 91], updatedid: 0, ...slot };
  const { overwrite } = await account.call(savespecific, { date, data: { new: sent } });
  return overwrite['new'] ?? 0;
}

/** Returns the slots of a day by start: `Run 07:00 to 08:00 Done`. */
export async function listPlan(account: TestAccount, date: string): Promise<readonly string[]> {
  const { data } = await account.call(getunuseddatesttbl, { tz: 'UTC', from: date, weeks: '1' });
  const day = data.flatMap(({ dates }) => dates).find((entry) => entry.date === date);
  return Object.values(day?.tbbldata ?? {})
    .map(({ name, start, end, state }) => `${start} to ${end} ${name}, ${state}`)
    .toSorted();
}

/** Returns the column of a day by its weekday. */
export function getDayColumn(page: Page, weekday: string): Locator {
  return page.getByRole('region', { name: new RegExp(`^${weekday} `) });
}

/** Returns the position of a clock minute in the window, on a day of 24 hours. */
export async function getPointAtMinute(
  column: Locator,
  minute: number,
): Promise<{ readonly x: number; readonly y: number }> {
  const box = await column.locator('[data-surface]').boundingBox();
  if (!box) throw new Error('the day is not shown');
  return { x: box.x + box.width / 2, y: box.y + (box.height * minute) / 1440 };
}
