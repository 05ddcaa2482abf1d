import { handle, createRawJsonAnswer, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { getsoundinfo, returnapplications, returnspecificapplication } from '../../contract.ts';
import { TOTAL, UNASSIGNED } from '../../contract/limits.ts';
import { coloursOf } from '../../sorting/domain/applicationColours.ts';
import type { CategoryStore } from '../../sorting/server/categoryStore.ts';
import { ALL_APPLICATIONS } from '../../usage/domain/track.ts';
import { wireName } from '../../usage/domain/wireName.ts';
import { applicationNamed } from '../../usage/server/applicationNamed.ts';
import type { Application } from '../../usage/server/store/applicationStore.ts';
import { boundsOf } from '../domain/daySums.ts';
import { applicationAnswer, recentDays } from './applicationResponse.ts';
import { daysInOrder, orderText } from './order.ts';
import type { RequestClock } from './requestClock.ts';
import { periodOf, scopeOf } from './requestFields.ts';
import { soundDataText } from './soundData.ts';
import type { Sources } from './sources.ts';
import { secondsByDay, type Scope } from './usageQueries.ts';
import { allDays } from './usedDays.ts';

/** Days whose segments are answered at once at most. */
const MAX_DAYS = 62;

/** By category what is in it, categories in their order; what nobody has sorted is in the last one. */
const sorted = async <T extends Pick<Application, 'category'>>(
  categories: CategoryStore,
  account: number,
  applications: readonly T[],
): Promise<readonly (readonly [string, readonly T[]])[]> => {
  const kept = await categories.list(account);
  const known = new Set(kept.map(({ id }) => id));
  const by = Map.groupBy(applications, ({ category }) =>
    category !== undefined && known.has(category) ? category : undefined,
  );
  return [
    ...kept.map(({ id, name }) => [name, by.get(id) ?? []] as const),
    [UNASSIGNED, by.get(undefined) ?? []] as const,
  ];
};

/** The names of what was used, by category; those without any are left out. */
const typesOf = async ({ usage, categories }: Sources, { account }: Scope) => {
  const [applications, totals] = await Promise.all([usage.applications.list(account), usage.totals.of(account)]);
  const used = new Set(totals.map(({ application }) => application));
  const all = await sorted(
    categories,
    account,
    applications.filter(({ id }) => used.has(id)),
  );
  return Object.fromEntries(
    all.filter(([, own]) => own.length > 0).map(([name, own]) => [name, own.map((each) => wireName(each.name))]),
  );
};

const soundData = async (sources: Sources, scope: Scope, place: RequestClock): Promise<string> => {
  const types = JSON.stringify(await typesOf(sources, scope));
  const range = await allDays(sources, scope, place);
  return `{"data":{"soundata":${await soundDataText(sources, scope, range, place.today)},"types":${types}}}`;
};

/** A player is used while it is heard, whether anybody looks at it or not. */
const HEARD = ['s', 'r'] as const;

/** Every application of an account, or of one of its computers, the most used first. */
const usedApplications = async (
  { usage, running }: Sources,
  { account, device, days }: Scope,
  { today }: RequestClock,
) => {
  const { from: since, until } = boundsOf(days, recentDays(today));
  const [applications, totals, heard] = await Promise.all([
    usage.applications.list(account),
    usage.totals.of(account, device),
    usage.slots.between(account, { device, statuses: HEARD, from: since, until }),
  ]);
  const seconds = new Map<number, number>();
  const recent = new Set(heard.map(({ application }) => application));
  for (const { application, seconds: own, last } of totals) {
    seconds.set(application, own + (seconds.get(application) ?? 0));
    if (last > since) recent.add(application);
  }
  const open = new Set(running.of(account, device));
  return applications
    .map(({ id, name, colour, category }) => ({
      name: wireName(name),
      colour,
      category,
      seconds: seconds.get(id) ?? 0,
      isRecent: recent.has(id),
    }))
    .filter(({ name, seconds: own, isRecent }) => device === undefined || own > 0 || isRecent || open.has(name))
    .toSorted((one, other) => other.seconds - one.seconds || (one.name < other.name ? -1 : 1));
};

const allApplications = async (sources: Sources, scope: Scope, place: RequestClock): Promise<string> => {
  const { categories, running } = sources;
  const applications = await usedApplications(sources, scope, place);
  const days = { ...(await allDays(sources, scope, place)), applications: [ALL_APPLICATIONS] };
  const sums = (await secondsByDay(sources, { ...scope, isWall: false }, days, place.today)).get(ALL_APPLICATIONS);
  const data = await sorted(categories, scope.account, applications);
  const told = JSON.stringify({
    runningapps: running.of(scope.account, scope.device),
    data: Object.fromEntries(
      data.map(([name, own]) => [name, own.map((each) => ({ name: each.name, '2w': each.isRecent }))]),
    ),
    flat: applications.map(({ name, colour }) => {
      const { on, off } = coloursOf(colour);
      return { name, colouron: on, colouroff: off };
    }),
  });
  return `${told.slice(0, -1)},"order":${orderText(await daysInOrder(sources, scope, place, sums))}}`;
};

export const applicationCalls = (ground: ServerContext, sources: Sources): readonly Handler[] => {
  const { usage } = sources;
  return [
    handle(getsoundinfo, async (asked, { account }) => {
      const { scope, place } = await scopeOf(ground, usage, account, asked);
      return createRawJsonAnswer(await soundData(sources, scope, place));
    }),
    handle(returnapplications, async (asked, { account }) => {
      const { scope, place } = await scopeOf(ground, usage, account, asked);
      return createRawJsonAnswer(await allApplications(sources, scope, place));
    }),
    handle(returnspecificapplication, async ({ applicationname, order, from, until, ...asked }, { account }) => {
      const { scope, place } = await scopeOf(ground, usage, account, asked);
      const application = await applicationNamed(usage, account, applicationname);
      const { today } = place;
      const recent = recentDays(today);
      const segmentsOf =
        from === undefined && until === undefined
          ? recent
          : periodOf(from ?? until ?? '', until ?? from ?? '', MAX_DAYS);
      const { text, all } = await applicationAnswer(sources, { place, scope, application, segmentsOf });
      const name = JSON.stringify(application ? wireName(application.name) : TOTAL);
      const days = order === '1' ? `,"order":${orderText(await daysInOrder(sources, scope, place, all))}` : '';
      return createRawJsonAnswer(`{"data":{${name}:${text}}${days}}`);
    }),
  ];
};
