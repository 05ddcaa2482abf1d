import type { Browser, Page } from 'playwright-core';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { getMonday, parseIso, toIso } from '#platform/contract/day.ts';
import { savespecific } from '#tools/timetable/contract.ts';
import { toClock } from '#tools/timetable/domain/clockTime.ts';
import { listDays } from '#tools/timetable/domain/week.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { formatIsoDay } from '../kits/planning/calendar.ts';
import { signUpOwner, type BenchOwner } from './account.ts';
import { createSlotGrid, type GridSlot } from './baselines/slotGrid.ts';
import { formatMs, percentile, runPegboard, type Bench } from './measure.ts';
import { openPage, waitForElement, formatTasks, slowDown, traceTasks } from './tasks.ts';

const SLOTS = 300;
/** Slowdown to the processor of a phone. */
const CPU_SLOWDOWN = 4;
const FRAME_MS = 16;
const WINDOW = { width: 1280, height: 800 };
/** Across the week and back, one step per frame. */
const STEPS = 60;
const ROUNDS = 2;

/** Distributed over seven days from 06:00 to 23:00, many of them overlapping. */
const slots: readonly GridSlot[] = Array.from({ length: SLOTS }, (_, index) => {
  const start = 360 + ((Math.floor(index / 7) * 37) % 900);
  return { day: index % 7, start, end: start + 20 + (index % 5) * 20, name: `Slot ${index}` };
});
/** Long and alone at the start of a day, so that it can be dragged. */
const heldSlot: GridSlot = { day: 0, start: 300, end: 350, name: 'Held' };

type DayData = RequestInputOf<typeof savespecific>['data'];

async function fillWeek({ call }: BenchOwner, monday: number): Promise<void> {
  for (const [index, day] of listDays(monday).entries()) {
    const data: DayData = Object.fromEntries(
      [heldSlot, ...slots]
        .filter((slot) => slot.day === index)
        .map(({ name, start, end }) => [
          name,
          {
            name,
            start: toClock(start),
            end: toClock(end),
            description: 'With a line of words',
            colour: [31, 143, 178],
          },
        ]),
    );
    await call(savespecific, { date: toIso(day), data });
  }
}

/** Drags the slot across the week, down and back, several times, and holds it still at the end. */
async function dragTo(page: Page, slot: string): Promise<void> {
  // Not with a locator: its listeners would stay, and take 3 ms of each pointer event.
  const from = await page.evaluate(async (selector) => {
    const slotBox = document.querySelector(selector);
    if (!slotBox) throw new Error('the slot is not shown');
    slotBox.scrollIntoView({ block: 'nearest' });
    const nextRect = async (): Promise<DOMRect> => {
      await new Promise(requestAnimationFrame);
      return slotBox.getBoundingClientRect();
    };
    let [before, rect] = [await nextRect(), await nextRect()];
    // Waits until it stops moving.
    while (before.x !== rect.x || before.y !== rect.y) [before, rect] = [rect, await nextRect()];
    return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
  }, slot);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let round = 0; round < ROUNDS; round += 1)
    for (let step = 0; step <= STEPS; step += 1) {
      const share = Math.sin((step / STEPS) * Math.PI);
      await page.mouse.move(from.x + share * 700, from.y + share * 400);
    }
}

interface Work {
  readonly drag: readonly number[];
  readonly drop: readonly number[];
}

async function measurePegboard(browser: Browser, origin: string, { token }: BenchOwner): Promise<Work> {
  const page = await openPage(browser, { viewport: WINDOW }, { origin, token });
  await slowDown(page, CPU_SLOWDOWN);
  await page.goto('/timetable');
  const slot = '[data-slot][aria-label^="Held,"]';
  await waitForElement(page, slot);
  await page.waitForLoadState('networkidle');
  const drag = await traceTasks(browser, page, () => dragTo(page, slot));
  await page.mouse.move(640, 500);
  const drop = await traceTasks(browser, page, async () => {
    const saved = page.waitForResponse('**/api/moveslot');
    await page.mouse.up();
    await saved;
    await page.waitForLoadState('networkidle');
  });
  await page.context().close();
  return { drag, drop };
}

async function measureBaseline(browser: Browser): Promise<readonly number[]> {
  const page = await openPage(browser, { viewport: WINDOW });
  await slowDown(page, CPU_SLOWDOWN);
  await page.setContent(createSlotGrid([...slots, heldSlot]));
  const drag = await traceTasks(browser, page, () => dragTo(page, '.slot:last-of-type'));
  await page.context().close();
  return drag;
}

/** Drags a slot over a week of 300 others on a phone's processor, and drops it. */
export const timetableBench: Bench = {
  name: 'timetable',
  run: async () => {
    await using server = await runPegboard({ RATE_LIMITS: 'off' });
    const owner = await signUpOwner(server.origin);
    await fillWeek(owner, getMonday(parseIso(formatIsoDay(0)) ?? 0));
    await using browser = await startChromium();
    const baseline = await measureBaseline(browser);
    const pegboard = await measurePegboard(browser, server.origin, owner);
    return [
      {
        name: `timetable: a slot dragged across a week of ${SLOTS} (processor slowed ${CPU_SLOWDOWN}x): work at a time`,
        target: `never over ${FRAME_MS} ms`,
        measured: `${formatTasks(pegboard.drag)}; dropped, saved and read again: longest ${formatMs(percentile(pegboard.drop, 1))}`,
        baseline: `${formatTasks(baseline)} (bare HTML boxes, moved by left and top at every event)`,
        isTargetMet: percentile(pegboard.drag, 1) < FRAME_MS,
      },
    ];
  },
};
