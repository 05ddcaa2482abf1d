import * as fc from 'fast-check';
import { expect } from 'vitest';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { pairUsageComputer, type UsageTuple } from '#testing/kits/usage/usedComputer.ts';
import { gettimetrackergoals, modifyapplicationcatinfo, settimetrackergoal } from '../../contract.ts';

/** A week after the end of summer time in Berlin. */
const NOW = Temporal.Instant.from('2026-11-01T12:34:00Z');
const FIRST = Temporal.Instant.from('2026-10-20T00:00:00Z');
const SECONDS = NOW.since(FIRST).total('seconds');
const ZONES = ['Europe/Berlin', 'Asia/Kathmandu', 'Pacific/Tongatapu', 'America/St_Johns', 'UTC'] as const;
const APPS = ['editor', 'browser', 'game'] as const;

const history = fc.array(
  fc.record({
    gap: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 40_000 })),
    app: fc.constantFrom(...APPS),
    length: fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 60_000 })),
  }),
  { minLength: 1, maxLength: 30 },
);

/** Focus on one computer, in seconds since `FIRST`. */
interface Focus {
  readonly app: string;
  readonly from: number;
  readonly until: number;
}

function placeOnComputer(all: readonly { readonly gap: number; readonly app: string; readonly length: number }[]) {
  const results: Focus[] = [];
  let at = 0;
  for (const { gap, app, length } of all) {
    const [from, until] = [at + gap, at + gap + length];
    if (until > SECONDS) break;
    const last = results.at(-1);
    const isOn = last?.until === from && last.app === app;
    // Touching intervals are one, and computers report none of more than a day.
    if (isOn && until - last.from > DAY_SECONDS) continue;
    if (isOn) results[results.length - 1] = { ...last, until };
    else results.push({ app, from, until });
    at = until;
  }
  return results;
}

/** Counts from a moment on, as a person would by hand. */
function countByHand(focus: readonly Focus[], apps: readonly string[], start: number) {
  let [seconds, opened] = [0, 0];
  for (const app of apps) {
    let left = Number.NEGATIVE_INFINITY;
    for (const { from, until } of focus.filter((one) => one.app === app)) {
      seconds += Math.max(0, until - Math.max(from, start));
      if (from >= start && from - left >= 30) opened += 1;
      left = until;
    }
  }
  return { seconds, opened };
}

const getStart = (zone: string, days: number): number =>
  NOW.toZonedDateTimeISO(zone)
    .toPlainDate()
    .subtract({ days: days - 1 })
    .toZonedDateTime(zone)
    .toInstant()
    .since(FIRST)
    .total('seconds');

/** Targets, with the applications that count for each. */
const TARGETS = [
  ['app', 'total', APPS],
  ['app', 'browser', ['browser']],
  ['cat', 'work', ['editor', 'browser']],
  ['cat', 'unassigned', ['game']],
] as const;
const requests = fc.array(
  fc.record({
    target: fc.constantFrom(...TARGETS),
    days: fc.integer({ min: 1, max: 15 }),
    measure: fc.constantFrom('0', '1'),
    onFirst: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

testOnBothDatabases(
  'goals equal a count by hand in every zone, and more use never lowers them',
  async ({ databaseUrl, dialect }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false, now: () => NOW });
    let names = 0;
    await fc.assert(
      fc.asyncProperty(history, history, requests, async (one, other, wished) => {
        names += 1;
        const anna = await server.createAccount(`anna ${names}`);
        await anna.call(gettimetrackergoals, { tz: ZONES[names % ZONES.length] ?? 'UTC' });
        const computers = [
          await pairUsageComputer(server, anna, 'Laptop'),
          await pairUsageComputer(server, anna, 'Desktop'),
        ];
        const focus = [placeOnComputer(one), placeOnComputer(other)];
        async function report(part: (all: readonly Focus[]) => readonly Focus[]): Promise<void> {
          for (const [index, { reportUse }] of computers.entries()) {
            const intervals = part(focus[index] ?? []).map(({ app, from, until }): UsageTuple => {
              const [begins, ends] = [from, until].map((seconds) => FIRST.add({ seconds }).toString());
              return [app, 'on', begins ?? '', ends ?? ''];
            });
            if (intervals.length > 0) await reportUse(...intervals);
          }
        }
        await report((all) => all.filter((_, index) => index % 2 === 0));
        // Goals need existing applications, so all of them are used once before the counted days.
        await computers[0]?.reportUse(
          ...APPS.map((app, index): UsageTuple => {
            const before = FIRST.subtract({ hours: 24 * 30 - index });
            return [app, 'on', before.toString(), before.add({ seconds: 1 }).toString()];
          }),
        );
        await anna.call(modifyapplicationcatinfo, { keys: {}, cats: { work: ['editor', 'browser'] } });
        for (const { target, days, measure, onFirst } of wished)
          await anna.call(settimetrackergoal, {
            goalid: '0',
            type: target[0],
            target: target[1],
            goalseconds: measure === '0' ? '3600' : '1',
            deviceid: onFirst ? String(computers[0]?.id) : '-1',
            daysaffected: String(days),
            daysaffectedtype: '1',
            goaltype: measure,
          });
        const sharesIn = async (tz: string): Promise<readonly number[]> =>
          (await anna.call(gettimetrackergoals, { tz })).goals.map(({ goalachievment }) => goalachievment.decdone);
        const before = await sharesIn('UTC');
        await report((all) => all.filter((_, index) => index % 2 === 1));
        const after = await sharesIn('UTC');
        for (const [index, { measure }] of wished.entries())
          if (measure === '0') expect(after[index]).toBeGreaterThanOrEqual(before[index] ?? 0);
        for (const zone of ZONES) {
          const expected = wished.map(({ target, days, measure, onFirst }) => {
            const own = onFirst ? focus.slice(0, 1) : focus;
            const counts = own.map((each) => countByHand(each, target[2], getStart(zone, days)));
            return counts.reduce((sum, { seconds, opened }) => sum + (measure === '0' ? seconds / 3600 : opened), 0);
          });
          const reported = await sharesIn(zone);
          for (const [index, share] of expected.entries())
            expect([zone, reported[index]]).toEqual([zone, expect.closeTo(share, 6)]);
        }
      }),
      { numRuns: dialect === 'sqlite' ? 12 : 4 },
    );
  },
);
