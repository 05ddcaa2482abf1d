import type { EventDataOf } from '#platform/contract/event.ts';
import { createKeyedQueue } from '#platform/contract/serialQueue.ts';
import { createReplicatedMap } from '#platform/server/cluster/replicatedMap.ts';
import { listen, type ServerContext, type Listener } from '#platform/server/tool.ts';
import { hotkeysRequest, categoriesChanged, hotkeyRefusals, hotkeysChanged } from '../../contract.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { hasKeys } from '../domain/category.ts';
import type { CategoryStore } from './categoryStore.ts';

type HotkeyRefusal = EventDataOf<typeof hotkeyRefusals>['refused'][number];

/** Server half of hotkeys: computers listen for them, and report those that they can't register. */
export interface Hotkeys {
  /** Sends the hotkeys to all connected computers of the account. */
  readonly publish: (account: number) => void;
  /** Returns the hotkeys that connected computers could not register, by id of the computer. */
  readonly getRefused: (account: number) => ReadonlyMap<number, readonly HotkeyRefusal[]>;
  readonly listeners: readonly Listener[];
  /** Waits for pending sends. */
  readonly stop: () => Promise<void>;
}

interface HotkeysDeps {
  readonly categories: CategoryStore;
  readonly usage: Pick<UsageStore, 'applications'>;
}

export function createHotkeys(
  { devices, realtime, cluster, log }: ServerContext,
  { categories, usage }: HotkeysDeps,
): Hotkeys {
  const refusals = createReplicatedMap<{ readonly account: number; readonly refused: readonly HotkeyRefusal[] }>(
    cluster,
    'hotkey refusals',
  );
  const serialize = createKeyedQueue();
  const pendingSends = new Set<Promise<void>>();
  devices.onStateChange(({ id, account }, state) => {
    if (state === 'Disconnected' && refusals.delete(id)) realtime.send(`account:${account}`, categoriesChanged, {});
  });

  async function loadHotkeys(account: number): Promise<EventDataOf<typeof hotkeysChanged>> {
    const allCategories = [
      ...(await categories.list(account)),
      { id: undefined, name: UNASSIGNED, keys: await categories.getUnassignedKeys(account) },
    ];
    const categoriesWithKeys = allCategories.filter(({ keys }) => hasKeys(keys));
    if (categoriesWithKeys.length === 0) return { categories: [] };
    const applications = Map.groupBy(await usage.applications.list(account), ({ category }) => category);
    return {
      categories: categoriesWithKeys.map(({ id, name, keys }) => ({
        name,
        ...keys,
        applications: (applications.get(id) ?? []).map((application) => application.name),
      })),
    };
  }
  /** Sends serially, each time the current hotkeys, so that the last ones sent are the newest. */
  const notify = async (account: number): Promise<void> =>
    serialize(account, async () => {
      const data = await loadHotkeys(account);
      for (const { id, kind } of await devices.list(account))
        if (kind === 'computer') devices.relay(id, hotkeysChanged, data);
    });

  return {
    publish: (account) => {
      const pendingSend = notify(account)
        .catch((error: unknown) => log.error({ err: error, account }, 'screentime.hotkeys.send_failed'))
        .finally(() => pendingSends.delete(pendingSend));
      pendingSends.add(pendingSend);
    },
    getRefused: (account) =>
      new Map(
        [...refusals].flatMap(([id, refusal]) =>
          // Ignores removed computers.
          refusal.account === account && devices.getState(id) !== 'Disconnected'
            ? [[id, refusal.refused] as const]
            : [],
        ),
      ),
    listeners: [
      listen(hotkeysRequest, async (_data, { account }) => loadHotkeys(account)),
      listen(hotkeyRefusals, async ({ refused }, { account, device }) => {
        if (devices.getState(device) !== 'Connected') return;
        const before = refusals.get(device)?.refused ?? [];
        refusals.set(device, { account, refused });
        if (JSON.stringify(before) !== JSON.stringify(refused))
          realtime.send(`account:${account}`, categoriesChanged, {});
      }),
    ],
    stop: async () => {
      await Promise.all(pendingSends);
    },
  };
}
