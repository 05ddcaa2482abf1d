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
import { checkCategoryName, quote, applySorting } from '../domain/category.ts';
import { validateRule, createSorter, suggestionsFor } from '../domain/sortingRule.ts';
import type { CategoryStore } from './categoryStore.ts';
import type { Hotkeys } from './hotkeys.ts';
import { sortNames, withCategory, type SortingDeps, type CurrentSorting } from './sorting.ts';

interface CategoryHandlersDeps {
  readonly usage: UsageStore;
  readonly categories: CategoryStore;
  readonly sorting: SortingDeps;
  readonly hotkeys: Hotkeys;
}

const toRgb = (colour: number): [number, number, number] => {
  const [red, green, blue] = getColours(colour).on;
  return [red, green, blue];
};

const listUnassigned = ({ sorting: { categoryByApplication } }: CurrentSorting): readonly string[] =>
  [...categoryByApplication].flatMap(([name, category]) => (category === UNASSIGNED ? [name] : []));

/** Returns applications by category; `UNASSIGNED` is always included, and last. */
const groupByCategory = ({
  sorting: { categories, categoryByApplication },
}: CurrentSorting): Record<string, string[]> => {
  const by = Map.groupBy([...categoryByApplication.keys()], (name) => categoryByApplication.get(name) ?? UNASSIGNED);
  return Object.fromEntries(
    [...categories.map(({ name }) => name), UNASSIGNED].map((name) => [name, by.get(name) ?? []]),
  );
};

const getHotkeys = ({ sorting: { categories, unassignedKeys } }: CurrentSorting) => ({
  ...Object.fromEntries(categories.map(({ name, keys }) => [name, keys])),
  [UNASSIGNED]: unassignedKeys,
});

export function categoryCalls(
  context: ServerContext,
  { usage, categories, sorting, hotkeys }: CategoryHandlersDeps,
): readonly Handler[] {
  const { devices } = context;

  const listRefused = async (account: number) => {
    const refused = hotkeys.refused(account);
    if (refused.size === 0) return [];
    const names = new Map((await devices.list(account)).map(({ id, name }) => [id, name]));
    return [...refused].flatMap(([id, own]) => own.map((one) => ({ device: names.get(id) ?? '', ...one })));
  };

  return [
    handle(applicationcatinfo, async (_request, { account }) => {
      const current = await sorting.standing(account);
      return {
        data: {
          keys: getHotkeys(current),
          cats: groupByCategory(current),
          apps: Object.fromEntries(current.applications.map(({ name, colour }) => [toWireName(name), toRgb(colour)])),
          refused: await listRefused(account),
        },
      };
    }),

    handle(modifyapplicationcatinfo, async (request, { account }) => {
      await sorting.change(account, async (before) => ({
        after: applySorting(before.sorting, request),
        result: undefined,
      }));
      return {};
    }),

    handle(usagerules, async (_request, { account }) => {
      const current = await sorting.standing(account);
      const totals = await usage.totals.list(account);
      const seconds = new Map<number, number>();
      for (const { application, seconds: more } of totals)
        seconds.set(application, (seconds.get(application) ?? 0) + more);
      const used = new Map(current.applications.map(({ id, name }) => [toWireName(name), seconds.get(id) ?? 0]));
      // Most used first, because users want to sort those first.
      const unassigned = listUnassigned(current).toSorted(
        (one, other) => (used.get(other) ?? 0) - (used.get(one) ?? 0),
      );
      return {
        rules: (await categories.listRules(account)).map((rule) => ({ ...rule })),
        suggestions: suggestionsFor(
          unassigned,
          current.categories.map(({ name }) => name),
        ).map((suggestion) => ({ ...suggestion })),
      };
    }),

    handle(saveusagerules, async ({ rules: sent, sortUnassigned, known }, { account }) => {
      const rules = sent.map(validateRule);
      // Before the transaction, because there may be many rules and applications.
      const places = sortUnassigned
        ? await sortNames(createSorter(rules), listUnassigned(await sorting.standing(account)))
        : new Map<string, string>();
      return sorting.change(account, async (before, tx) => {
        if (known && !isDeepStrictEqual(await categories.listRules(account, tx), known))
          throw new Refusal(
            'screentime.rules_conflict',
            'The rules were changed elsewhere after you opened them. Check them, then save again',
          );
        await categories.saveRules(tx, account, rules);
        const extended = rules.reduce((sorted, { category }) => withCategory(sorted, category), before.sorting);
        const free = new Set(listUnassigned(before));
        const moved = [...places].filter(([name, category]) => category !== UNASSIGNED && free.has(name));
        return {
          after: { ...extended, categoryByApplication: new Map([...extended.categoryByApplication, ...moved]) },
          result: { sorted: moved.length },
        };
      });
    }),

    handle(sortapplication, async ({ application, category }, { account }) => {
      if (category !== UNASSIGNED) checkCategoryName(category);
      await sorting.change(account, async ({ sorting: before }) => {
        if (!before.categoryByApplication.has(application))
          throw new Refusal('screentime.application_not_found', `There is no application ${quote(application)}`);
        const extended = withCategory(before, category);
        return {
          after: {
            ...extended,
            categoryByApplication: new Map(extended.categoryByApplication).set(application, category),
          },
          result: undefined,
        };
      });
      return {};
    }),
  ];
}
