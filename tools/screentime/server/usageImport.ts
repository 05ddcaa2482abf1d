import type { Transaction } from 'kysely';
import * as z from 'zod/mini';
import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import {
  exportedDay,
  exportedText,
  exportedTime,
  iterateBatches,
  iterateParsed,
  readParsed,
} from '#platform/server/storage/importSource.ts';
import type { AccountImport, ImportSource, ServerContext } from '#platform/server/tool.ts';
import {
  MAX_APPLICATIONS,
  MAX_CATEGORIES,
  MAX_CATEGORY_LENGTH,
  MAX_GOALS,
  MAX_HOTKEY_LENGTH,
  MAX_NAME_LENGTH,
  MAX_RULES,
  STATUSES,
} from '../contract/limits.ts';
import { createGoalStore, type GoalDay, type GoalVersion } from '../goals/server/goalStore.ts';
import { HOTKEY_ACTIONS, validateCategoryName, type Hotkeys } from '../sorting/domain/category.ts';
import { normalizeHotkey } from '../sorting/domain/hotkeyNotation.ts';
import { validateRule, type Rule } from '../sorting/domain/sortingRule.ts';
import { createCategoryStore } from '../sorting/server/categoryStore.ts';
import { getExtent } from '../usage/domain/deviceRecord.ts';
import type { UsageInterval } from '../usage/domain/interval.ts';
import type { SecondRange } from '../usage/domain/track.ts';
import { MIN_REPORT_SECONDS, toRecordedName, toStoredTitle } from '../usage/domain/usageReport.ts';
import { toStoredName } from '../usage/server/applicationIds.ts';
import { createUsageRecorder } from '../usage/server/recording.ts';
import type { UsageRevision } from '../usage/server/store/revisionStore.ts';
import type { UsageStore } from '../usage/server/store/usageStores.ts';
import type { UsageChanges } from '../usage/server/usageChanges.ts';

/** Intervals that are recorded together. */
const INTERVALS_PER_BATCH = 4000;
/** Exports split intervals at most every 8 days. */
const MAX_INTERVAL_SECONDS = 9 * DAY_SECONDS;

const exportedId = z.int().check(z.positive());
const applicationName = exportedText(MAX_NAME_LENGTH + 20);
const hotkey = z.string().check(z.maxLength(MAX_HOTKEY_LENGTH));
const hotkeys = { up: hotkey, down: hotkey, mute: hotkey };

const exportedComputer = z.object({
  id: exportedId,
  name: exportedText(200),
  /** Missing in exports of earlier versions. */
  hostname: z.optional(exportedText(MAX_NAME_LENGTH)),
});
const exportedApplication = z.object({ name: applicationName, firstSeen: exportedTime });
const exportedInterval = z.object({
  device: exportedId,
  application: applicationName,
  status: z.enum(STATUSES),
  from: exportedTime,
  until: exportedTime,
  title: z.optional(exportedText(2000)),
});
type ExportedInterval = z.output<typeof exportedInterval>;
const exportedCategory = z.object({
  name: z.string().check(z.maxLength(2 * MAX_CATEGORY_LENGTH)),
  ...hotkeys,
  applications: z.array(applicationName).check(z.maxLength(MAX_APPLICATIONS)),
});
const exportedRule = z.object({ pattern: exportedText(1000), category: exportedText(2 * MAX_CATEGORY_LENGTH) });
const amount = z.int().check(z.minimum(0), z.maximum(2 ** 31 - 1));
const exportedGoal = z.object({
  id: exportedId,
  version: z.int().check(z.positive(), z.maximum(100_000)),
  since: exportedDay,
  target: z.object({ kind: z.enum(['app', 'cat']), name: exportedText(MAX_NAME_LENGTH + 20) }),
  measure: z.enum(['time', 'opened']),
  amount,
  days: z.int().check(z.minimum(1), z.maximum(999)),
  device: z.optional(exportedId),
  begins: exportedText(20),
  isLimit: z.boolean(),
  deviceName: z.optional(exportedText(200)),
});
const exportedResult = z.object({
  goal: exportedId,
  days: z
    .array(z.object({ date: exportedDay, done: z.int().check(z.minimum(0)), amount, isLimit: z.boolean() }))
    .check(z.maxLength(40_000)),
});

const normalizeKeys = (keys: Hotkeys): Hotkeys => ({
  up: normalizeHotkey(keys.up),
  down: normalizeHotkey(keys.down),
  mute: normalizeHotkey(keys.mute),
});

/** Converts to seconds, and cuts the future. Undefined if nothing remains. */
export function toSecondRange({ from, until }: Pick<ExportedInterval, 'from' | 'until'>, now: number) {
  const range = { from: Math.round(from / 1000), until: Math.min(Math.round(until / 1000), Math.floor(now / 1000)) };
  if (range.from < MIN_REPORT_SECONDS || range.until - range.from > MAX_INTERVAL_SECONDS)
    throw new Refusal('import.entry_invalid', 'This part is damaged: the times of an entry are impossible');
  return range.from < range.until ? range : undefined;
}

interface UsageImportDeps {
  readonly usage: UsageStore;
  readonly changes: UsageChanges;
  /** Called after the commit. */
  readonly onImported: (account: number) => void;
}

/** Creates the import of usage with its computers, applications, categories, rules and goals. */
export function createUsageImport(
  { database, devices, identity, now }: Pick<ServerContext, 'database' | 'devices' | 'identity' | 'now'>,
  { usage, changes, onImported }: UsageImportDeps,
): AccountImport {
  const categories = createCategoryStore(database);
  const goals = createGoalStore(database);
  const recorder = createUsageRecorder(usage);

  /** Adds a computer per exported one. Returns their ids by the exported ones. */
  async function importComputers(tx: Transaction<unknown>, account: number, source: ImportSource) {
    const newIds = new Map<number, number>();
    const usedIds = new Set<number>();
    for await (const { id, name, hostname } of iterateParsed(source, 'computers', exportedComputer)) {
      let device = await devices.findOrAddImported(tx, account, name);
      // Two exported computers can have the same name if one was removed.
      for (let count = 2; usedIds.has(device.id); count += 1)
        device = await devices.findOrAddImported(tx, account, `${name} (${count})`);
      await usage.devices.save(tx, account, { id: device.id, name, hostname });
      usedIds.add(device.id);
      newIds.set(id, device.id);
    }
    return newIds;
  }

  async function importCategories(tx: Transaction<unknown>, account: number, source: ImportSource) {
    const categoryByApplication = new Map<string, number>();
    let categoryCount = 0;
    for await (const { name, applications, ...keys } of iterateParsed(source, 'categories', exportedCategory)) {
      validateCategoryName(name);
      if (categoryCount === MAX_CATEGORIES)
        throw new Refusal('screentime.too_many_categories', `You can have at most ${MAX_CATEGORIES} categories`);
      const category = { name, keys: normalizeKeys(keys) };
      const id = await categories.insert(tx, account, category, categoryCount);
      for (const application of applications) categoryByApplication.set(application, id);
      categoryCount += 1;
    }
    const unassignedKeys = await readParsed(source, 'unassigned', z.object(hotkeys));
    if (unassignedKeys && HOTKEY_ACTIONS.some((action) => unassignedKeys[action] !== ''))
      await categories.saveUnassignedKeys(tx, account, normalizeKeys(unassignedKeys));
    const rules: Rule[] = [];
    for await (const rule of iterateParsed(source, 'rules', exportedRule)) {
      rules.push(validateRule(rule));
      if (rules.length > MAX_RULES)
        throw new Refusal('screentime.too_many_rules', `You can have at most ${MAX_RULES} rules`);
    }
    await categories.saveRules(tx, account, rules);
    return { categoryByApplication, categoryCount };
  }

  /** Adds the applications in their order, which decides about their colours. Returns their ids by wire name. */
  async function importApplications(
    tx: Transaction<unknown>,
    account: number,
    source: ImportSource,
    categoryByApplication: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, number>> {
    const ids = new Map<string, number>();
    for await (const batch of iterateBatches(iterateParsed(source, 'applications', exportedApplication))) {
      if (ids.size + batch.length > MAX_APPLICATIONS)
        throw new Refusal('screentime.too_many_applications', `You can have at most ${MAX_APPLICATIONS} applications`);
      const added = batch.map(({ name: wireName, firstSeen }, index) => {
        const name = toStoredName(toRecordedName(wireName) ?? '');
        if (name === undefined || ids.has(wireName))
          throw new Refusal('import.entry_invalid', 'This part is damaged: an application has an invalid name');
        const category = categoryByApplication.get(wireName);
        return { wireName, name, colour: ids.size + index, category, firstSeen };
      });
      const stored = await usage.applications.insert(
        tx,
        account,
        added.map(({ wireName: _wireName, ...application }) => application),
      );
      const idByName = new Map(stored.map(({ name, id }) => [name, id]));
      for (const { wireName, name } of added) ids.set(wireName, idByName.get(name) ?? 0);
    }
    return ids;
  }

  interface IntervalImport {
    readonly tx: Transaction<unknown>;
    readonly revision: UsageRevision;
    readonly deviceIds: ReadonlyMap<number, number>;
    readonly applicationIds: ReadonlyMap<string, number>;
  }

  async function recordBatch(
    { tx, revision, deviceIds, applicationIds }: IntervalImport,
    batch: readonly ExportedInterval[],
  ): Promise<void> {
    const time = now().epochMilliseconds;
    for (const [exportedDevice, group] of Map.groupBy(batch, ({ device }) => device)) {
      const device = deviceIds.get(exportedDevice);
      const intervals = group.flatMap((interval): readonly UsageInterval[] => {
        const application = applicationIds.get(interval.application);
        if (device === undefined || application === undefined)
          throw new Refusal('import.entry_invalid', 'This part is damaged: an entry has no computer or application');
        const range = toSecondRange(interval, time);
        return range ? [{ application, status: interval.status, ...range }] : [];
      });
      if (device === undefined || intervals.length === 0) continue;
      await recorder.record({ tx, device, revision }, intervals, (record) => {
        for (const interval of intervals) record.add(interval);
      });
      const titles = new Map(
        group.flatMap((interval) => {
          const title = toStoredTitle(interval);
          const range = toSecondRange(interval, time);
          const application = applicationIds.get(interval.application) ?? 0;
          return title === undefined || !range
            ? []
            : [[`${range.from} ${application}`, { application, ...range, title }] as const];
        }),
      );
      await usage.titles.save(tx, device, [...titles.values()]);
    }
  }

  /** Records all intervals. Returns their number, and the time that they cover, by device. */
  async function importIntervals(source: ImportSource, context: IntervalImport) {
    let intervalCount = 0;
    const extents = new Map<number, SecondRange>();
    const intervals = iterateParsed(source, 'stretches', exportedInterval);
    for await (const batch of iterateBatches(intervals, INTERVALS_PER_BATCH)) {
      await recordBatch(context, batch);
      intervalCount += batch.length;
      const seconds = batch.map(({ device, from, until }) => ({ device, from: from / 1000, until: until / 1000 }));
      for (const [exportedDevice, ranges] of Map.groupBy(seconds, ({ device }) => device)) {
        const device = context.deviceIds.get(exportedDevice) ?? 0;
        const before = extents.get(device);
        const extent = getExtent(before ? [...ranges, before] : ranges);
        if (extent) extents.set(device, extent);
      }
    }
    return { intervalCount, extents };
  }

  async function importGoals(
    tx: Transaction<unknown>,
    account: number,
    source: ImportSource,
    deviceIds: ReadonlyMap<number, number>,
  ): Promise<number> {
    const newIds = new Map<number, number>();
    for await (const exported of iterateParsed(source, 'goals', exportedGoal)) {
      const { id, version, since, deviceName, device, ...goal } = exported;
      const newDevice =
        device === undefined
          ? undefined
          : (deviceIds.get(device) ??
            (await devices.findOrAddImported(tx, account, deviceName ?? `Imported device ${device}`)).id);
      const newVersion: Omit<GoalVersion, 'id' | 'version'> = {
        since,
        deviceName,
        goal: { ...goal, device: newDevice },
      };
      const newId = newIds.get(id);
      if (newId === undefined) newIds.set(id, await goals.insert(tx, account, newVersion));
      else await goals.update(tx, { ...newVersion, id: newId, version });
      if (newIds.size > MAX_GOALS)
        throw new Refusal('screentime.too_many_goals', `You can have at most ${MAX_GOALS} goals`);
    }
    for await (const { goal, days } of iterateParsed(source, 'goalResults', exportedResult)) {
      const newId = newIds.get(goal);
      if (newId === undefined) continue;
      const results = new Map(days.map(({ date, ...result }): [number, GoalDay] => [date, { day: date, ...result }]));
      await goals.saveResults(tx, account, new Map([[newId, [...results.values()]]]));
    }
    return newIds.size;
  }

  return {
    isEmpty: async (account) =>
      (await usage.devices.list(account)).length === 0 &&
      (await usage.applications.list(account)).length === 0 &&
      (await categories.list(account)).length === 0 &&
      (await goals.listVersions(account)).length === 0,
    run: async (account, source) => {
      const zone = await identity.resolveZone(account);
      const result = await database.transaction(async ({ tx, afterCommit }) => {
        const revision = await usage.revisions.increment(tx, account, zone);
        const deviceIds = await importComputers(tx, account, source);
        const { categoryByApplication, categoryCount } = await importCategories(tx, account, source);
        const applicationIds = await importApplications(tx, account, source, categoryByApplication);
        const recorded = await importIntervals(source, { tx, revision, deviceIds, applicationIds });
        const goalCount = await importGoals(tx, account, source, deviceIds);
        afterCommit(() => {
          for (const [device, extent] of recorded.extents) changes.publish({ account, device, ...extent });
          onImported(account);
        });
        return {
          counts: {
            entries: recorded.intervalCount,
            computers: deviceIds.size,
            categories: categoryCount,
            goals: goalCount,
          },
          deviceCount: deviceIds.size,
        };
      });
      return {
        counts: result.counts,
        problems:
          result.deviceCount === 0
            ? []
            : [
                'Your computers are listed without a connection. Pair each of them again, then merge the two in the graphs',
              ],
      };
    },
  };
}
