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
import { toIso, type Day, getWeekday, listIntegers } from '../../usage/domain/days.ts';
import { ALL_APPLICATIONS } from '../../usage/domain/track.ts';
import { toWireName } from '../../usage/domain/usageReport.ts';
import { findApplication } from '../../usage/server/applicationIds.ts';
import type { Application } from '../../usage/server/store/applicationStore.ts';
import { getBounds, splitIntoBlocks, type DayRange, type DaySums } from '../domain/daySums.ts';
import { writeApplicationResponse, getRecentDays } from './applicationResponse.ts';
import type { RequestClock } from './requestClock.ts';
import { parsePeriod, loadScope } from './requestFields.ts';
import {
  type UsageQueryDeps,
  loadSecondsByDay,
  type Scope,
  getUsedDays,
  DAYS_PER_BLOCK,
  getLastClosedDay,
  getStoredDays,
} from './usageQueries.ts';

/**
 * Lists days of a block with background or sound only. Checks each day, because UTC days differ from days of the zone.
 */
async function listUnfocusedInBlock(
  deps: UsageQueryDeps,
  scope: Scope,
  block: DayRange,
  today: Day,
): Promise<readonly Day[]> {
  const { segments } = deps.usage;
  const { account, device, days } = scope;
  const { from, until } = getBounds(days, block);
  const bounds = { from: Math.floor(from / DAY_SECONDS), until: Math.floor((until - 1) / DAY_SECONDS) };
  const storedDays = await segments.listStoredDays(account, { device, ...bounds });
  const request = { ...block, applications: [ALL_APPLICATIONS] };
  const focus = (await loadSecondsByDay(deps, scope, request, today)).get(ALL_APPLICATIONS);
  const candidateDays = new Set(
    storedDays.flatMap((day) => listIntegers(days.getDay(day * DAY_SECONDS), days.getDay((day + 1) * DAY_SECONDS - 1))),
  );
  const unfocusedDays: Day[] = [];
  for (const day of candidateDays) {
    if (day < block.from || day > block.until || (focus?.[day - block.from] ?? 0) > 0) continue;
    const deviceTracks = await segments.listBetween(account, { device, ...getBounds(days, { from: day, until: day }) });
    if (deviceTracks.some(({ tracks }) => tracks.length > 0)) unfocusedDays.push(day);
  }
  return unfocusedDays;
}

/** Returns the closed days with background or sound only. Blocks are cached. */
async function listUnfocused(
  deps: UsageQueryDeps,
  requestScope: Scope,
  clock: RequestClock,
): Promise<ReadonlySet<Day>> {
  const scope = { ...requestScope, mergesComputers: false };
  const { account, device, days } = scope;
  const { blocks } = splitIntoBlocks(
    await getStoredDays(deps, scope, clock),
    getLastClosedDay(clock.today),
    DAYS_PER_BLOCK,
  );
  const unfocusedDays = new Set<Day>();
  for (const block of blocks) {
    const key = `unfocused ${device ?? 'all'} ${days.zone} ${block.from} ${block.until}`;
    const compute = async () => {
      const value = await listUnfocusedInBlock(deps, scope, block, clock.today);
      return { value, bytes: 200 + 8 * value.length };
    };
    for (const day of await deps.closedDays.getOrCompute(account, { key, ...getBounds(days, block) }, compute))
      unfocusedDays.add(day);
  }
  return unfocusedDays;
}

/**
 * Lists the last 14 days and earlier days with data, newest first.
 * @param focus seconds of all applications, up to today
 */
export async function listVisibleDays(
  deps: UsageQueryDeps,
  scope: Scope,
  clock: RequestClock,
  focus: DaySums | undefined,
): Promise<readonly Day[]> {
  const { today } = clock;
  const unfocusedDays = await listUnfocused(deps, scope, clock);
  const days: Day[] = [];
  const first = Math.min(today - Math.max(RECENT_DAYS, focus?.length ?? 0) + 1, ...unfocusedDays);
  for (let day = today; day >= first; day -= 1)
    if (day > today - RECENT_DAYS || (focus?.at(day - today - 1) ?? 0) > 0 || unfocusedDays.has(day)) days.push(day);
  return days;
}

type Order = AnswerOf<typeof returnapplications>['order'];

/** Serializes days and their weekdays. Every answer has all days of years. */
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
type SecondsByApplication = Readonly<Record<string, number>>;

type JsonKeys = ReadonlyMap<number, JsonKey>;

/** Writes `"2026-11-22":{"firefox":3600,"code":60},…` for the days with use. */
function writeDays(
  sums: ReadonlyMap<number, DaySums>,
  { from, until }: DayRange,
  keys: JsonKeys,
): JsonMembers<SecondsByApplication> {
  const days: JsonMembers<SecondsByApplication>[] = [];
  const rows = [...sums].flatMap(([application, applicationSums]) => {
    const key = application === ALL_APPLICATIONS ? undefined : keys.get(application);
    return key === undefined ? [] : [{ key, applicationSums }];
  });
  for (let day = from; day <= until; day += 1) {
    let row: JsonMembers<number> = NO_MEMBERS;
    for (const { key, applicationSums } of rows) {
      const seconds = applicationSums[day - from] ?? 0;
      if (seconds > 0) row = appendMember(row, writeNumberMember(key, seconds));
    }
    if (row !== '') days.push(writeMember(toJsonKey(toIso(day)), writeRecord([row])));
  }
  return joinMembers(days);
}

/** Serializes seconds by day and application. Blocks of closed days are cached, because the range may be many years. */
export async function writeSoundData(
  deps: UsageQueryDeps,
  scope: Scope,
  range: DayRange,
  today: Day,
): Promise<JsonText<Readonly<Record<string, SecondsByApplication>>>> {
  async function writeRange(part: DayRange): Promise<JsonMembers<SecondsByApplication>> {
    const sums = await loadSecondsByDay(deps, scope, part, today);
    const applications = await deps.usage.applications.list(scope.account);
    return writeDays(sums, part, new Map(applications.map(({ id, name }) => [id, toJsonKey(toWireName(name))])));
  }
  const { blocks, open } = splitIntoBlocks(range, getLastClosedDay(today), DAYS_PER_BLOCK);
  const chunks: JsonMembers<SecondsByApplication>[] = [];
  for (const block of blocks) {
    const key = `sound ${scope.days.zone} ${block.from} ${block.until}`;
    const compute = async () => {
      const value = await writeRange(block);
      return { value, bytes: value.length };
    };
    chunks.push(await deps.closedDays.getOrCompute(scope.account, { key, ...getBounds(scope.days, block) }, compute));
  }
  return writeRecord([...chunks, await writeRange(open)]);
}

/** Max days of segments per request. */
const MAX_SEGMENT_DAYS = 62;

/** Returns applications by category, in the order of the categories. Unassigned ones are last. */
async function groupByCategory<T extends Pick<Application, 'category'>>(
  categories: CategoryStore,
  account: number,
  applications: readonly T[],
): Promise<readonly (readonly [string, readonly T[]])[]> {
  const storedCategories = await categories.list(account);
  const categoryIds = new Set(storedCategories.map(({ id }) => id));
  const applicationsByCategory = Map.groupBy(applications, ({ category }) =>
    category !== undefined && categoryIds.has(category) ? category : undefined,
  );
  return [
    ...storedCategories.map(({ id, name }) => [name, applicationsByCategory.get(id) ?? []] as const),
    [UNASSIGNED, applicationsByCategory.get(undefined) ?? []] as const,
  ];
}

/** Returns the names of used applications by category, without empty categories. */
async function listTypes({ usage, categories }: UsageQueryDeps, { account }: Scope) {
  const [applications, totals] = await Promise.all([usage.applications.list(account), usage.totals.list(account)]);
  const usedIds = new Set(totals.map(({ application }) => application));
  const groups = await groupByCategory(
    categories,
    account,
    applications.filter(({ id }) => usedIds.has(id)),
  );
  return Object.fromEntries(
    groups
      .filter(([, categoryApplications]) => categoryApplications.length > 0)
      .map(([category, categoryApplications]) => [category, categoryApplications.map(({ name }) => toWireName(name))]),
  );
}

async function loadSoundInfo(deps: UsageQueryDeps, scope: Scope, clock: RequestClock) {
  const types = toJson(await listTypes(deps, scope));
  const range = await getUsedDays(deps, scope, clock);
  const soundata = await writeSoundData(deps, scope, range, clock.today);
  return writeObject({ data: writeObject({ soundata, types }) });
}

/** A player counts as used while it is audible, focused or not. */
const AUDIBLE_STATUSES = ['s', 'r'] as const;

/** Lists applications of an account or one computer, most used first. */
async function listUsedApplications(
  { usage, running }: UsageQueryDeps,
  { account, device, days }: Scope,
  { today }: RequestClock,
) {
  const { from, until } = getBounds(days, getRecentDays(today));
  const [applications, totals, audibleSeries] = await Promise.all([
    usage.applications.list(account),
    usage.totals.list(account, device),
    usage.slots.listBetween(account, { device, statuses: AUDIBLE_STATUSES, from, until }),
  ]);
  const secondsById = new Map<number, number>();
  const recentIds = new Set(audibleSeries.map(({ application }) => application));
  for (const { application, seconds, last } of totals) {
    secondsById.set(application, seconds + (secondsById.get(application) ?? 0));
    if (last > from) recentIds.add(application);
  }
  const runningNames = new Set(running.list(account, device));
  return applications
    .map(({ id, name, colour, category }) => ({
      name: toWireName(name),
      colour,
      category,
      seconds: secondsById.get(id) ?? 0,
      isRecent: recentIds.has(id),
    }))
    .filter(({ name, seconds, isRecent }) => device === undefined || seconds > 0 || isRecent || runningNames.has(name))
    .toSorted((a, b) => b.seconds - a.seconds || (a.name < b.name ? -1 : 1));
}

async function loadApplications(deps: UsageQueryDeps, scope: Scope, clock: RequestClock) {
  const { categories, running } = deps;
  const applications = await listUsedApplications(deps, scope, clock);
  const days = { ...(await getUsedDays(deps, scope, clock)), applications: [ALL_APPLICATIONS] };
  const sums = (await loadSecondsByDay(deps, { ...scope, mergesComputers: false }, days, clock.today)).get(
    ALL_APPLICATIONS,
  );
  const groups = await groupByCategory(categories, scope.account, applications);
  return writeObject({
    runningapps: toJson(running.list(scope.account, scope.device)),
    data: toJson(
      Object.fromEntries(
        groups.map(([category, categoryApplications]) => [
          category,
          categoryApplications.map(({ name, isRecent }) => ({ name, '2w': isRecent })),
        ]),
      ),
    ),
    flat: toJson(
      applications.map(({ name, colour }) => {
        const { on, off } = getColours(colour);
        return { name, colouron: on, colouroff: off };
      }),
    ),
    order: writeOrder(await listVisibleDays(deps, scope, clock, sums)),
  });
}

export function createApplicationHandlers(context: ServerContext, deps: UsageQueryDeps): readonly Handler[] {
  const { usage } = deps;
  return [
    handle(getsoundinfo, async (request, { account }) => {
      const { scope, clock } = await loadScope(context, usage, account, request);
      return createJsonAnswer(await loadSoundInfo(deps, scope, clock));
    }),
    handle(returnapplications, async (request, { account }) => {
      const { scope, clock } = await loadScope(context, usage, account, request);
      return createJsonAnswer(await loadApplications(deps, scope, clock));
    }),
    handle(returnspecificapplication, async ({ applicationname, order, from, until, ...request }, { account }) => {
      const { scope, clock } = await loadScope(context, usage, account, request);
      const application = await findApplication(usage, account, applicationname);
      const segmentDays =
        from === undefined && until === undefined
          ? getRecentDays(clock.today)
          : parsePeriod(from ?? until ?? '', until ?? from ?? '', MAX_SEGMENT_DAYS);
      const { text, totalSums } = await writeApplicationResponse(deps, { clock, scope, application, segmentDays });
      const data = writeRecord([writeMember(toJsonKey(application ? toWireName(application.name) : TOTAL), text)]);
      if (order !== '1') return createJsonAnswer(writeObject({ data }));
      return createJsonAnswer(
        writeObject({ data, order: writeOrder(await listVisibleDays(deps, scope, clock, totalSums)) }),
      );
    }),
  ];
}
