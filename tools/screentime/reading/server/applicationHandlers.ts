import type { AnswerOf } from '#platform/contract/call.ts';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import {
  appendMember,
  joinMembers,
  NO_MEMBERS,
  toJson,
  toJsonKey,
  writeArray,
  writeMember,
  writeNumberMember,
  writeObject,
  writeRecord,
  type JsonKey,
  type JsonMembers,
  type JsonText,
} from '#platform/server/http/jsonText.ts';
import { handle, createJsonAnswer, type Handler, type Immutable, type ServerContext } from '#platform/server/tool.ts';
import { getsoundinfo, returnapplications, returnspecificapplication } from '../../contract.ts';
import { TOTAL, UNASSIGNED, RECENT_DAYS } from '../../contract/limits.ts';
import { getColours } from '../../sorting/domain/applicationColours.ts';
import type { CategoryStore } from '../../sorting/server/categoryStore.ts';
import { toIso, type Day, getWeekday } from '../../usage/domain/days.ts';
import { ALL_APPLICATIONS } from '../../usage/domain/track.ts';
import { toWireName } from '../../usage/domain/usageReport.ts';
import { findApplication } from '../../usage/server/applicationIds.ts';
import type { Application } from '../../usage/server/store/applicationStore.ts';
import { numbersBetween } from '../../usage/server/store/tables.ts';
import { getBounds, splitIntoBlocks, type DayRange, type DaySums } from '../domain/daySums.ts';
import { applicationAnswer, recentDays } from './applicationResponse.ts';
import type { RequestClock } from './requestClock.ts';
import { parsePeriod, loadScope } from './requestFields.ts';
import {
  type Sources,
  secondsByDay,
  type Scope,
  allDays,
  DAYS_PER_BLOCK,
  getLastClosedDay,
  listStoredDays,
} from './usageQueries.ts';

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
  const { from, until } = getBounds(days, block);
  const bounds = { from: Math.floor(from / DAY_SECONDS), until: Math.floor((until - 1) / DAY_SECONDS) };
  const storedDays = await segments.listStoredDays(account, { device, ...bounds });
  const request = { ...block, applications: [ALL_APPLICATIONS] };
  const focus = (await secondsByDay(sources, scope, request, today)).get(ALL_APPLICATIONS);
  const near = new Set(
    storedDays.flatMap((day) =>
      numbersBetween(days.getDay(day * DAY_SECONDS), days.getDay((day + 1) * DAY_SECONDS - 1)),
    ),
  );
  const unfocusedDays: Day[] = [];
  for (const day of near) {
    if (day < block.from || day > block.until || (focus?.[day - block.from] ?? 0) > 0) continue;
    const own = await segments.listBetween(account, { device, ...getBounds(days, { from: day, until: day }) });
    if (own.some(({ tracks }) => tracks.length > 0)) unfocusedDays.push(day);
  }
  return unfocusedDays;
};

/** Lists complete days with background or sound only, cached. */
const listUnfocused = async (sources: Sources, whole: Scope, clock: RequestClock): Promise<ReadonlySet<Day>> => {
  const scope = { ...whole, isWall: false };
  const { account, device, days } = scope;
  const { blocks } = splitIntoBlocks(
    await listStoredDays(sources, scope, clock),
    getLastClosedDay(clock.today),
    DAYS_PER_BLOCK,
  );
  const unfocusedDays = new Set<Day>();
  for (const block of blocks) {
    const name = `unfocused ${device ?? 'all'} ${days.zone} ${block.from} ${block.until}`;
    const make = async () => {
      const value = await listUnfocusedInBlock(sources, scope, block, clock.today);
      return { value, bytes: 200 + 8 * value.length };
    };
    for (const day of await sources.closedDays.getOrCompute(account, { name, ...getBounds(days, block) }, make))
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

type Order = AnswerOf<typeof returnapplications>['order'];

/** Writes days as JSON. Every answer has all days of years. */
export function writeOrder(days: readonly Day[]): JsonText<Immutable<Order>> {
  const order: JsonText<string>[] = [];
  const weekdays: JsonMembers<string>[] = [];
  const weekdaycolours: JsonMembers<string>[] = [];
  for (const day of days) {
    const iso = toIso(day);
    const key = toJsonKey(iso);
    const { name, colour } = getWeekday(day);
    order.push(toJson(iso));
    weekdays.push(writeMember(key, toJson(name)));
    weekdaycolours.push(writeMember(key, toJson(colour)));
  }
  return writeObject({
    order: writeArray(order),
    weekdays: writeRecord(weekdays),
    weekdaycolours: writeRecord(weekdaycolours),
  });
}

/** Seconds by application. */
type Seconds = Readonly<Record<string, number>>;

type Keys = ReadonlyMap<number, JsonKey>;

/** Writes `"2026-11-22":{"firefox":3600,"code":60},…` for the days with use. */
const formatDays = (
  sums: ReadonlyMap<number, DaySums>,
  { from, until }: DayRange,
  keys: Keys,
): JsonMembers<Seconds> => {
  const days: JsonMembers<Seconds>[] = [];
  const rows = [...sums].flatMap(([application, own]) => {
    const key = application === ALL_APPLICATIONS ? undefined : keys.get(application);
    return key === undefined ? [] : [{ key, own }];
  });
  for (let day = from; day <= until; day += 1) {
    let row: JsonMembers<number> = NO_MEMBERS;
    for (const { key, own } of rows) {
      const seconds = own[day - from] ?? 0;
      if (seconds > 0) row = appendMember(row, writeNumberMember(key, seconds));
    }
    if (row !== '') days.push(writeMember(toJsonKey(toIso(day)), writeRecord([row])));
  }
  return joinMembers(days);
};

/**
 * Writes seconds by day and application. Works in blocks, because the range may be many years; complete blocks are
 * cached.
 */
export async function writeSoundData(
  sources: Sources,
  scope: Scope,
  range: DayRange,
  today: Day,
): Promise<JsonText<Readonly<Record<string, Seconds>>>> {
  const write = async (part: DayRange): Promise<JsonMembers<Seconds>> => {
    const sums = await secondsByDay(sources, scope, part, today);
    const applications = await sources.usage.applications.list(scope.account);
    return formatDays(sums, part, new Map(applications.map(({ id, name }) => [id, toJsonKey(toWireName(name))])));
  };
  const { blocks, open } = splitIntoBlocks(range, getLastClosedDay(today), DAYS_PER_BLOCK);
  const chunks: JsonMembers<Seconds>[] = [];
  for (const part of blocks) {
    const name = `sound ${scope.days.zone} ${part.from} ${part.until}`;
    const make = async () => {
      const value = await write(part);
      return { value, bytes: value.length };
    };
    chunks.push(await sources.closedDays.getOrCompute(scope.account, { name, ...getBounds(scope.days, part) }, make));
  }
  return writeRecord([...chunks, await write(open)]);
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
  const [applications, totals] = await Promise.all([usage.applications.list(account), usage.totals.list(account)]);
  const used = new Set(totals.map(({ application }) => application));
  const all = await groupByCategory(
    categories,
    account,
    applications.filter(({ id }) => used.has(id)),
  );
  return Object.fromEntries(
    all.filter(([, own]) => own.length > 0).map(([name, own]) => [name, own.map((each) => toWireName(each.name))]),
  );
};

const soundData = async (sources: Sources, scope: Scope, clock: RequestClock) => {
  const types = toJson(await listTypes(sources, scope));
  const range = await allDays(sources, scope, clock);
  const soundata = await writeSoundData(sources, scope, range, clock.today);
  return writeObject({ data: writeObject({ soundata, types }) });
};

/** A player counts as used while it is audible, focused or not. */
const HEARD = ['s', 'r'] as const;

/** Lists applications of an account or one computer, most used first. */
const usedApplications = async (
  { usage, running }: Sources,
  { account, device, days }: Scope,
  { today }: RequestClock,
) => {
  const { from: since, until } = getBounds(days, recentDays(today));
  const [applications, totals, audible] = await Promise.all([
    usage.applications.list(account),
    usage.totals.list(account, device),
    usage.slots.listBetween(account, { device, statuses: HEARD, from: since, until }),
  ]);
  const seconds = new Map<number, number>();
  const recent = new Set(audible.map(({ application }) => application));
  for (const { application, seconds: own, last } of totals) {
    seconds.set(application, own + (seconds.get(application) ?? 0));
    if (last > since) recent.add(application);
  }
  const open = new Set(running.list(account, device));
  return applications
    .map(({ id, name, colour, category }) => ({
      name: toWireName(name),
      colour,
      category,
      seconds: seconds.get(id) ?? 0,
      isRecent: recent.has(id),
    }))
    .filter(({ name, seconds: own, isRecent }) => device === undefined || own > 0 || isRecent || open.has(name))
    .toSorted((one, other) => other.seconds - one.seconds || (one.name < other.name ? -1 : 1));
};

const allApplications = async (sources: Sources, scope: Scope, clock: RequestClock) => {
  const { categories, running } = sources;
  const applications = await usedApplications(sources, scope, clock);
  const days = { ...(await allDays(sources, scope, clock)), applications: [ALL_APPLICATIONS] };
  const sums = (await secondsByDay(sources, { ...scope, isWall: false }, days, clock.today)).get(ALL_APPLICATIONS);
  const data = await groupByCategory(categories, scope.account, applications);
  return writeObject({
    runningapps: toJson(running.list(scope.account, scope.device)),
    data: toJson(
      Object.fromEntries(
        data.map(([name, own]) => [name, own.map((each) => ({ name: each.name, '2w': each.isRecent }))]),
      ),
    ),
    flat: toJson(
      applications.map(({ name, colour }) => {
        const { on, off } = getColours(colour);
        return { name, colouron: on, colouroff: off };
      }),
    ),
    order: writeOrder(await daysInOrder(sources, scope, clock, sums)),
  });
};

export function applicationCalls(context: ServerContext, sources: Sources): readonly Handler[] {
  const { usage } = sources;
  return [
    handle(getsoundinfo, async (request, { account }) => {
      const { scope, clock } = await loadScope(context, usage, account, request);
      return createJsonAnswer(await soundData(sources, scope, clock));
    }),
    handle(returnapplications, async (request, { account }) => {
      const { scope, clock } = await loadScope(context, usage, account, request);
      return createJsonAnswer(await allApplications(sources, scope, clock));
    }),
    handle(returnspecificapplication, async ({ applicationname, order, from, until, ...request }, { account }) => {
      const { scope, clock } = await loadScope(context, usage, account, request);
      const application = await findApplication(usage, account, applicationname);
      const { today } = clock;
      const recent = recentDays(today);
      const segmentDays =
        from === undefined && until === undefined
          ? recent
          : parsePeriod(from ?? until ?? '', until ?? from ?? '', MAX_DAYS);
      const { text, all } = await applicationAnswer(sources, { clock, scope, application, segmentDays });
      const data = writeRecord([writeMember(toJsonKey(application ? toWireName(application.name) : TOTAL), text)]);
      if (order !== '1') return createJsonAnswer(writeObject({ data }));
      return createJsonAnswer(writeObject({ data, order: writeOrder(await daysInOrder(sources, scope, clock, all)) }));
    }),
  ];
}
