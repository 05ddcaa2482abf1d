import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import {
  applicationcatinfo,
  modifyapplicationcatinfo,
  saveusagerules,
  sortapplication,
  usagerules,
} from '../../contract.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import { toWireName } from '../../usage/domain/usageReport.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { getColours } from '../domain/applicationColours.ts';
import { validateCategoryName, quote, applySorting } from '../domain/category.ts';
import { validateRule, createSorter, suggestCategories } from '../domain/sortingRule.ts';
import type { CategoryStore } from './categoryStore.ts';
import type { Hotkeys } from './hotkeys.ts';
import { sortNames, addCategory, type SortingService, type CurrentSorting } from './sorting.ts';

interface CategoryHandlersDeps {
  readonly usage: UsageStore;
  readonly categories: CategoryStore;
  readonly sorting: SortingService;
  readonly hotkeys: Hotkeys;
}

function getRgb(colour: number): [number, number, number] {
  const [red, green, blue] = getColours(colour).on;
  return [red, green, blue];
}

const listUnassigned = ({ sorting: { categoryByApplication } }: CurrentSorting): readonly string[] =>
  [...categoryByApplication].flatMap(([name, category]) => (category === UNASSIGNED ? [name] : []));

/** Returns applications by category; `UNASSIGNED` is always included, and last. */
function groupByCategory({ sorting: { categories, categoryByApplication } }: CurrentSorting): Record<string, string[]> {
  const namesByCategory = Map.groupBy(
    [...categoryByApplication.keys()],
    (name) => categoryByApplication.get(name) ?? UNASSIGNED,
  );
  return Object.fromEntries(
    [...categories.map(({ name }) => name), UNASSIGNED].map((name) => [name, namesByCategory.get(name) ?? []]),
  );
}

const getHotkeys = ({ sorting: { categories, unassignedKeys } }: CurrentSorting) => ({
  ...Object.fromEntries(categories.map(({ name, keys }) => [name, keys])),
  [UNASSIGNED]: unassignedKeys,
});

export function createSortingHandlers(
  context: ServerContext,
  { usage, categories, sorting, hotkeys }: CategoryHandlersDeps,
): readonly Handler[] {
  const { devices } = context;

  async function listRefused(account: number) {
    const refused = hotkeys.getRefused(account);
    if (refused.size === 0) return [];
    const names = new Map((await devices.list(account)).map(({ id, name }) => [id, name]));
    return [...refused].flatMap(([id, deviceRefusals]) =>
      deviceRefusals.map((refusal) => ({ device: names.get(id) ?? '', ...refusal })),
    );
  }

  return [
    handle(applicationcatinfo, async (_request, { account }) => {
      const current = await sorting.getCurrent(account);
      return {
        data: {
          keys: getHotkeys(current),
          cats: groupByCategory(current),
          apps: Object.fromEntries(current.applications.map(({ name, colour }) => [toWireName(name), getRgb(colour)])),
          refused: await listRefused(account),
        },
      };
    }),

    handle(modifyapplicationcatinfo, async (request, { account }) => {
      await sorting.update(account, async (before) => ({
        after: applySorting(before.sorting, request),
        result: undefined,
      }));
    }),

    handle(usagerules, async (_request, { account }) => {
      const current = await sorting.getCurrent(account);
      const totals = await usage.totals.list(account);
      const seconds = new Map<number, number>();
      for (const { application, seconds: addedSeconds } of totals)
        seconds.set(application, (seconds.get(application) ?? 0) + addedSeconds);
      const secondsByName = new Map(
        current.applications.map(({ id, name }) => [toWireName(name), seconds.get(id) ?? 0]),
      );
      // Most used first, because users want to sort those first.
      const unassigned = listUnassigned(current).toSorted(
        (a, b) => (secondsByName.get(b) ?? 0) - (secondsByName.get(a) ?? 0),
      );
      return {
        rules: (await categories.listRules(account)).map((rule) => ({ ...rule })),
        suggestions: suggestCategories(
          unassigned,
          current.categories.map(({ name }) => name),
        ).map((suggestion) => ({ ...suggestion })),
      };
    }),

    handle(saveusagerules, async ({ rules: requestedRules, sortUnassigned, known }, { account }) => {
      const rules = requestedRules.map(validateRule);
      // Before the transaction, because there may be many rules and applications.
      const categoryByName = sortUnassigned
        ? await sortNames(createSorter(rules), listUnassigned(await sorting.getCurrent(account)))
        : new Map<string, string>();
      return sorting.update(account, async (before, tx) => {
        if (known && !isDeepStrictEqual(await categories.listRules(account, tx), known))
          throw new Refusal(
            'screentime.rules_conflict',
            'The rules were changed elsewhere after you opened them. Check them, then save again',
          );
        await categories.saveRules(tx, account, rules);
        const extended = rules.reduce((sorted, { category }) => addCategory(sorted, category), before.sorting);
        const unassignedNames = new Set(listUnassigned(before));
        const movedNames = [...categoryByName].filter(
          ([name, category]) => category !== UNASSIGNED && unassignedNames.has(name),
        );
        return {
          after: { ...extended, categoryByApplication: new Map([...extended.categoryByApplication, ...movedNames]) },
          result: { sorted: movedNames.length },
        };
      });
    }),

    handle(sortapplication, async ({ application, category }, { account }) => {
      if (category !== UNASSIGNED) validateCategoryName(category);
      await sorting.update(account, async ({ sorting: before }) => {
        if (!before.categoryByApplication.has(application))
          throw new Refusal('screentime.application_not_found', `There is no application ${quote(application)}`);
        const extended = addCategory(before, category);
        return {
          after: {
            ...extended,
            categoryByApplication: new Map(extended.categoryByApplication).set(application, category),
          },
          result: undefined,
        };
      });
    }),
  ];
}
