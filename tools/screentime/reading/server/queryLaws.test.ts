import * as fc from 'fast-check';
import { expect } from 'vitest';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { onBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { pairUsageComputer, type UsageTuple } from '#testing/kits/usage/usedComputer.ts';
import { getsoundinfo, returnspecificapplication, usagedays, usageperiod } from '../../contract.ts';

/** A week after the end of summer time in Berlin. */
const NOW = Temporal.Instant.from('2026-11-01T12:00:00Z');
const FIRST = Temporal.Instant.from('2026-10-20T00:00:00Z');
const SECONDS = NOW.since(FIRST).total('seconds');

/** Focus on one computer in order: a gap, the application, and its duration. */
const history = fc.array(
  fc.record({
    gap: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 40_000 })),
    app: fc.constantFrom('editor', 'browser'),
    length: fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 60_000 })),
  }),
  { maxLength: 40 },
);

interface Focus {
  readonly device: number;
  readonly app: string;
  readonly from: number;
  readonly until: number;
}

function placed(
  device: number,
  all: readonly { readonly gap: number; readonly app: string; readonly length: number }[],
) {
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
    else results.push({ device, app, from, until });
    at = until;
  }
  return results;
}

const instant = (seconds: number): Temporal.Instant => FIRST.add({ seconds });
const secondsAt = (moment: Temporal.Instant): number => moment.since(FIRST).total('seconds');

interface Day {
  readonly date: string;
  readonly from: number;
  readonly until: number;
}

function listDays(zone: string): readonly Day[] {
  const days: Day[] = [];
  for (let day = FIRST.toZonedDateTimeISO(zone).toPlainDate(); ; day = day.add({ days: 1 })) {
    const [from, until] = [day, day.add({ days: 1 })].map((each) => secondsAt(each.toZonedDateTime(zone).toInstant()));
    if (from === undefined || until === undefined || from > SECONDS) return days;
    days.push({ date: day.toString(), from, until });
  }
}

const cutToDays = (all: readonly Focus[], { from, until }: Day): readonly Focus[] =>
  all
    .map((each) => ({ ...each, from: Math.max(each.from, from), until: Math.min(each.until, until) }))
    .filter((each) => each.from < each.until);

/** Adds up, or counts the time between all starts and ends during which anything was focused. */
function countSeconds(all: readonly Focus[], mergesComputers: boolean): number {
  if (!mergesComputers) return all.reduce((sum, { from, until }) => sum + until - from, 0);
  const edges = [...new Set(all.flatMap(({ from, until }) => [from, until]))].toSorted((one, other) => one - other);
  return edges.reduce((sum, edge, at) => {
    const next = edges[at + 1] ?? edge;
    return all.some(({ from, until }) => from <= edge && next <= until) ? sum + next - edge : sum;
  }, 0);
}

/** Undefined if there are none. */
const perDay = (
  days: readonly Day[],
  all: readonly Focus[],
  mergesComputers: boolean,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    days
      .map((day) => [day.date, countSeconds(cutToDays(all, day), mergesComputers)] as const)
      .filter(([, seconds]) => seconds > 0),
  );

/** Counts openings on these days after 30 s without focus, by computer. */
function countOpenings(days: readonly Day[], all: readonly Focus[]): number {
  const [first, last] = [days[0]?.from ?? 0, days.at(-1)?.until ?? 0];
  return all.filter(({ device, app, from }) => {
    const before = all.filter((each) => each.device === device && each.app === app && each.from < from);
    return from >= first && from < last && before.every(({ until }) => from - until >= 30);
  }).length;
}

onBothDatabases('answers equal a recount of everything, in every zone', async ({ databaseUrl, dialect }) => {
  await using server = await startServer({ databaseUrl, now: () => NOW });
  let accounts = 0;
  async function check([one, two, [begin, end]]: readonly [
    Parameters<typeof placed>[1],
    Parameters<typeof placed>[1],
    readonly [number, number],
  ]): Promise<void> {
    accounts += 1;
    const anna = await server.createAccount(`anna${accounts}`);
    // Sets her home zone.
    await anna.call(getsoundinfo, { tz: 'Europe/Berlin' });
    const focus: Focus[] = [];
    for (const [name, ownUses] of [
      ['Laptop', one],
      ['Desktop', two],
    ] as const) {
      const computer = await pairUsageComputer(server, anna, name);
      const used = placed(computer.id, ownUses);
      focus.push(...used);
      await computer.reportUse(
        ...used
          .filter(({ until, from }) => until - from <= 86_400)
          .map(({ app, from, until }): UsageTuple => [app, 'on', instant(from).toString(), instant(until).toString()]),
      );
    }
    const all = focus.filter(({ until, from }) => until - from <= 86_400);
    for (const [timeZone, zone] of [
      [{ tz: 'Europe/Berlin' }, 'Europe/Berlin'],
      [{ tzoffset: '5.75' }, '+05:45'],
      [{ tzoffset: '13' }, '+13:00'],
      [{ tzoffset: '-3.5' }, '-03:30'],
      [{ tz: 'America/St_Johns' }, 'America/St_Johns'],
    ] as const) {
      const days = listDays(zone);
      const [first, last] = [days[Math.min(begin, end)], days[Math.max(begin, end)]];
      if (!first || !last) throw new Error('no days');
      const selected = days.slice(Math.min(begin, end), Math.max(begin, end) + 1);
      const period = { ...timeZone, from: first.date, until: last.date };
      for (const wall of ['0', '1'] as const) {
        const mergesComputers = wall === '1';
        const days1 = await anna.call(usagedays, { ...period, wall });
        expect(days1.days, `${zone} ${wall}`).toEqual(perDay(selected, all, mergesComputers));
        const { total, applications } = await anna.call(usageperiod, { ...period, wall });
        expect(total).toBe(Object.values(days1.days).reduce((sum, seconds) => sum + seconds, 0));
        for (const { name, seconds, opened, longest } of applications) {
          const ownUses = all.filter(({ app }) => app === name);
          const inDays = selected.map((day) => cutToDays(ownUses, day));
          expect(seconds).toBe(inDays.reduce((sum, each) => sum + countSeconds(each, mergesComputers), 0));
          expect(opened).toBe(countOpenings(selected, ownUses));
          expect(longest).toBe(Math.max(...inDays.flat().map(({ from, until }) => until - from)));
        }
      }
      const { soundata } = (await anna.call(getsoundinfo, timeZone)).data;
      const { data } = await anna.call(returnspecificapplication, { ...timeZone, applicationname: 'total' });
      const playtime = perDay(days, all, false);
      expect(data['total']?.datespecific['playtime'], zone).toEqual(playtime);
      const sums = Object.entries(soundata).map(([date, apps]) => [
        date,
        Object.values(apps).reduce((sum, seconds) => sum + seconds, 0),
      ]);
      expect(Object.fromEntries(sums)).toEqual(playtime);
    }
  }
  const cases = fc.tuple(history, history, fc.tuple(fc.nat(11), fc.nat(11)));
  await fc.assert(fc.asyncProperty(cases, check), { numRuns: dialect === 'sqlite' ? 6 : 2, endOnFailure: true });
});
