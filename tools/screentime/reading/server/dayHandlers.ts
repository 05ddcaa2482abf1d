import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { usagedays, usageperiod } from '../../contract.ts';
import { TOTAL, UNASSIGNED } from '../../contract/limits.ts';
import { toIso } from '../../usage/domain/date.ts';
import { ALL_APPLICATIONS } from '../../usage/domain/track.ts';
import { wireName } from '../../usage/domain/wireName.ts';
import { applicationNamed } from '../../usage/server/applicationNamed.ts';
import { lengthOfRange, type DayRange } from '../domain/daySums.ts';
import { openings } from './openings.ts';
import type { RequestClock } from './requestClock.ts';
import { PERIOD_LIMIT, periodOf, scopeOf } from './requestFields.ts';
import type { Sources } from './sources.ts';
import { secondsByDay, type Scope } from './usageQueries.ts';
import { allDays, daysIn } from './usedDays.ts';

const applicationRows = async (sources: Sources, scope: Scope, { today }: RequestClock, range: DayRange) => {
  const { usage, categories } = sources;
  const [applications, kept, sums, opened] = await Promise.all([
    usage.applications.list(scope.account),
    categories.list(scope.account),
    secondsByDay(sources, scope, range, today),
    openings(sources, scope, range, today),
  ]);
  const names = new Map(kept.map(({ id, name }) => [id, name]));
  const secondsOf = (id: number): number => sums.get(id)?.reduce((sum, seconds) => sum + seconds, 0) ?? 0;
  const rows = applications.map(({ id, name, category }) => ({
    name: wireName(name),
    category: (category === undefined ? undefined : names.get(category)) ?? UNASSIGNED,
    seconds: secondsOf(id),
    opened: opened.get(id)?.opened ?? 0,
    longest: opened.get(id)?.longest ?? 0,
  }));
  return {
    total: secondsOf(ALL_APPLICATIONS),
    applications: rows
      .filter(({ seconds }) => seconds > 0)
      .toSorted((one, other) => other.seconds - one.seconds || (one.name < other.name ? -1 : 1)),
  };
};

export const dayCalls = (ground: ServerContext, sources: Sources): readonly Handler[] => [
  handle(usagedays, async ({ from, until, applicationname = TOTAL, ...asked }, { account }) => {
    const { scope, place } = await scopeOf(ground, sources.usage, account, asked);
    const application = await applicationNamed(sources.usage, account, applicationname);
    const range = daysIn(periodOf(from, until, PERIOD_LIMIT), await allDays(sources, scope, place));
    const id = application?.id ?? ALL_APPLICATIONS;
    const sums = (await secondsByDay(sources, scope, { ...range, applications: [id] }, place.today)).get(id);
    const days: [string, number][] = [];
    for (const [at, seconds] of sums?.entries() ?? []) if (seconds > 0) days.push([toIso(range.from + at), seconds]);
    return { days: Object.fromEntries(days) };
  }),
  handle(usageperiod, async ({ from, until, ...asked }, { account }) => {
    const { scope, place } = await scopeOf(ground, sources.usage, account, asked);
    const range = daysIn(periodOf(from, until, PERIOD_LIMIT), await allDays(sources, scope, place));
    return lengthOfRange(range) === 0 ? { total: 0, applications: [] } : applicationRows(sources, scope, place, range);
  }),
];
