import { handle, createRawJsonAnswer, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { getsoundinfo, returnapplications, returnspecificapplication } from '../../contract.ts';
import { TOTAL, UNASSIGNED, RECENT_DAYS } from '../../contract/limits.ts';
import { getColours } from '../../sorting/domain/applicationColours.ts';
import type { CategoryStore } from '../../sorting/server/categoryStore.ts';
import { toIso, DAY_SECONDS, type Day, weekdayOf } from '../../usage/domain/days.ts';
import { ALL_APPLICATIONS } from '../../usage/domain/track.ts';
import { wireName } from '../../usage/domain/usageReport.ts';
import { applicationNamed } from '../../usage/server/applicationIds.ts';
import type { Application } from '../../usage/server/store/applicationStore.ts';
import { numbersBetween } from '../../usage/server/store/tables.ts';
import { boundsOf, blocksOf, type DayRange, type DaySums } from '../domain/daySums.ts';
import { applicationAnswer, recentDays } from './applicationResponse.ts';
import type { RequestClock } from './requestClock.ts';
import { periodOf, scopeOf } from './requestFields.ts';
import { type Sources, secondsByDay, type Scope, allDays, DAYS_PER_BLOCK, lastOver, keptDays } from './usageQueries.ts';

/**
 * Lists days of a block with background or sound only. Checks each day, because UTC days differ from days of the zone.
 */
const listUnfocusedInBlock = async (
  sources: Sources,
  scope: Scope,
  block: DayRange,
  today: Day,
): Promise<readonly Day[]> => {
  const { segments } = sources.usage;
  const { account, device, days } = scope;
  const { from, until } = boundsOf(days, block);
  const bounds = { from: Math.floor(from / DAY_SECONDS), until: Math.floor((until - 1) / DAY_SECONDS) };
  const storedDays = await segments.keptDaysOf(account, { device, ...bounds });
  const request = { ...block, applications: [ALL_APPLICATIONS] };
  const focus = (await secondsByDay(sources, scope, request, today)).get(ALL_APPLICATIONS);
  const near = new Set(
    storedDays.flatMap((day) => numbersBetween(days.dayOf(day * DAY_SECONDS), days.dayOf((day + 1) * DAY_SECONDS - 1))),
  );
  const unfocusedDays: Day[] = [];
  for (const day of near) {
    if (day < block.from || day > block.until || (focus?.[day - block.from] ?? 0) > 0) continue;
    const own = await segments.between(account, { device, ...boundsOf(days, { from: day, until: day }) });
    if (own.some(({ tracks }) => tracks.length > 0)) unfocusedDays.push(day);
  }
  return unfocusedDays;
};

/** Lists complete days with background or sound only, cached. */
const listUnfocused = async (sources: Sources, whole: Scope, clock: RequestClock): Promise<ReadonlySet<Day>> => {
  const scope = { ...whole, isWall: false };
  const { account, device, days } = scope;
  const { blocks } = blocksOf(await keptDays(sources, scope, clock), lastOver(clock.today), DAYS_PER_BLOCK);
  const unfocusedDays = new Set<Day>();
  for (const block of blocks) {
    const name = `unfocused ${device ?? 'all'} ${days.zone} ${block.from} ${block.until}`;
    const make = async () => {
      const value = await listUnfocusedInBlock(sources, scope, block, clock.today);
      return { value, bytes: 200 + 8 * value.length };
    };
    for (const day of await sources.finished.of(account, { name, ...boundsOf(days, block) }, make))
      unfocusedDays.add(day);
  }
  return unfocusedDays;
};

/**
 * Lists the last 14 days and earlier days with data, newest first.
 * @param focus seconds of all applications, up to today
 */
export async function daysInOrder(
  sources: Sources,
  scope: Scope,
  clock: RequestClock,
  focus: DaySums | undefined,
): Promise<readonly Day[]> {
  const { today } = clock;
  const others = await listUnfocused(sources, scope, clock);
  const days: Day[] = [];
  const first = Math.min(today - Math.max(RECENT_DAYS, focus?.length ?? 0) + 1, ...others);
  for (let day = today; day >= first; day -= 1)
    if (day > today - RECENT_DAYS || (focus?.at(day - today - 1) ?? 0) > 0 || others.has(day)) days.push(day);
  return days;
}

/** Serializes days to JSON. Written by hand, because every answer has all days of years. */
export function orderText(days: readonly Day[]): string {
  const order: string[] = [];
  const weekdays: string[] = [];
  const colours: string[] = [];
  for (const day of days) {
    const iso = toIso(day);
    const { name, colour } = weekdayOf(day);
    order.push(`"${iso}"`);
    weekdays.push(`"${iso}":"${name}"`);
    colours.push(`"${iso}":"${colour}"`);
  }
  return `{"order":[${order.join(',')}],"weekdays":{${weekdays.join(',')}},"weekdaycolours":{${colours.join(',')}}}`;
}

type Names = ReadonlyMap<number, string>;

/** Formats `"2026-11-22":{"firefox":3600,"code":60},…` for the days with use. */
const formatDays = (sums: ReadonlyMap<number, DaySums>, { from, until }: DayRange, keys: Names): string => {
  const days: string[] = [];
  const rows = [...sums].flatMap(([application, own]) => {
    const key = application === ALL_APPLICATIONS ? undefined : keys.get(application);
    return key === undefined ? [] : [{ key, own }];
  });
  for (let day = from; day <= until; day += 1) {
    let row = '';
    for (const { key, own } of rows) {
      const seconds = own[day - from] ?? 0;
      if (seconds > 0) row += `${row === '' ? '' : ','}${key}${seconds}`;
    }
    if (row !== '') days.push(`"${toIso(day)}":{${row}}`);
  }
  return days.join(',');
};

/**
 * Serializes seconds by day and application. Works in blocks, because the range may be many years; complete blocks are
 * cached.
 */
export async function soundDataText(sources: Sources, scope: Scope, range: DayRange, today: Day): Promise<string> {
  const write = async (part: DayRange): Promise<string> => {
    const sums = await secondsByDay(sources, scope, part, today);
    const applications = await sources.usage.applications.list(scope.account);
    const keys = new Map(applications.map(({ id, name }) => [id, `${JSON.stringify(wireName(name))}:`]));
    return formatDays(sums, part, keys);
  };
  const { blocks, open } = blocksOf(range, lastOver(today), DAYS_PER_BLOCK);
  const chunks: string[] = [];
  for (const part of blocks) {
    const name = `sound ${scope.days.zone} ${part.from} ${part.until}`;
    const make = async () => {
      const value = await write(part);
      return { value, bytes: value.length };
    };
    chunks.push(await sources.finished.of(scope.account, { name, ...boundsOf(scope.days, part) }, make));
  }
  chunks.push(await write(open));
  return `{${chunks.filter((piece) => piece !== '').join(',')}}`;
}

/** Max days of segments per request. */
const MAX_DAYS = 62;

/** Groups items by category in order; unassigned ones come last. */
const groupByCategory = async <T extends Pick<Application, 'category'>>(
  categories: CategoryStore,
  account: number,
  applications: readonly T[],
): Promise<readonly (readonly [string, readonly T[]])[]> => {
  const storedCategories = await categories.list(account);
  const categoryIds = new Set(storedCategories.map(({ id }) => id));
  const by = Map.groupBy(applications, ({ category }) =>
    category !== undefined && categoryIds.has(category) ? category : undefined,
  );
  return [
    ...storedCategories.map(({ id, name }) => [name, by.get(id) ?? []] as const),
    [UNASSIGNED, by.get(undefined) ?? []] as const,
  ];
};

/** Lists used names by category, without empty categories. */
const listTypes = async ({ usage, categories }: Sources, { account }: Scope) => {
  const [applications, totals] = await Promise.all([usage.applications.list(account), usage.totals.of(account)]);
  const used = new Set(totals.map(({ application }) => application));
  const all = await groupByCategory(
    categories,
    account,
    applications.filter(({ id }) => used.has(id)),
  );
  return Object.fromEntries(
    all.filter(([, own]) => own.length > 0).map(([name, own]) => [name, own.map((each) => wireName(each.name))]),
  );
};

const soundData = async (sources: Sources, scope: Scope, clock: RequestClock): Promise<string> => {
  const types = JSON.stringify(await listTypes(sources, scope));
  const range = await allDays(sources, scope, clock);
  return `{"data":{"soundata":${await soundDataText(sources, scope, range, clock.today)},"types":${types}}}`;
};

/** A player counts as used while it is audible, focused or not. */
const HEARD = ['s', 'r'] as const;

/** Lists applications of an account or one computer, most used first. */
const usedApplications = async (
  { usage, running }: Sources,
  { account, device, days }: Scope,
  { today }: RequestClock,
) => {
  const { from: since, until } = boundsOf(days, recentDays(today));
  const [applications, totals, audible] = await Promise.all([
    usage.applications.list(account),
    usage.totals.of(account, device),
    usage.slots.between(account, { device, statuses: HEARD, from: since, until }),
  ]);
  const seconds = new Map<number, number>();
  const recent = new Set(audible.map(({ application }) => application));
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

const allApplications = async (sources: Sources, scope: Scope, clock: RequestClock): Promise<string> => {
  const { categories, running } = sources;
  const applications = await usedApplications(sources, scope, clock);
  const days = { ...(await allDays(sources, scope, clock)), applications: [ALL_APPLICATIONS] };
  const sums = (await secondsByDay(sources, { ...scope, isWall: false }, days, clock.today)).get(ALL_APPLICATIONS);
  const data = await groupByCategory(categories, scope.account, applications);
  const json = JSON.stringify({
    runningapps: running.of(scope.account, scope.device),
    data: Object.fromEntries(
      data.map(([name, own]) => [name, own.map((each) => ({ name: each.name, '2w': each.isRecent }))]),
    ),
    flat: applications.map(({ name, colour }) => {
      const { on, off } = getColours(colour);
      return { name, colouron: on, colouroff: off };
    }),
  });
  return `${json.slice(0, -1)},"order":${orderText(await daysInOrder(sources, scope, clock, sums))}}`;
};

export function applicationCalls(context: ServerContext, sources: Sources): readonly Handler[] {
  const { usage } = sources;
  return [
    handle(getsoundinfo, async (request, { account }) => {
      const { scope, place: clock } = await scopeOf(context, usage, account, request);
      return createRawJsonAnswer(await soundData(sources, scope, clock));
    }),
    handle(returnapplications, async (request, { account }) => {
      const { scope, place: clock } = await scopeOf(context, usage, account, request);
      return createRawJsonAnswer(await allApplications(sources, scope, clock));
    }),
    handle(returnspecificapplication, async ({ applicationname, order, from, until, ...request }, { account }) => {
      const { scope, place: clock } = await scopeOf(context, usage, account, request);
      const application = await applicationNamed(usage, account, applicationname);
      const { today } = clock;
      const recent = recentDays(today);
      const segmentsOf =
        from === undefined && until === undefined
          ? recent
          : periodOf(from ?? until ?? '', until ?? from ?? '', MAX_DAYS);
      const { text, all } = await applicationAnswer(sources, { place: clock, scope, application, segmentsOf });
      const name = JSON.stringify(application ? wireName(application.name) : TOTAL);
      const days = order === '1' ? `,"order":${orderText(await daysInOrder(sources, scope, clock, all))}` : '';
      return createRawJsonAnswer(`{"data":{${name}:${text}}${days}}`);
    }),
  ];
}
