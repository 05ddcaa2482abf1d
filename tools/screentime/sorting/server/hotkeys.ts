import type { EventDataOf } from '#platform/contract/event.ts';
import { createSerialQueue } from '#platform/server/schedule/serialQueue.ts';
import { listen, type ServerContext, type Listener } from '#platform/server/tool.ts';
import { askHotkeys, categoriesChanged, hotkeyRefusals, hotkeysChanged } from '../../contract.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { hasKeys } from '../domain/category.ts';
import type { CategoryStore } from './categoryStore.ts';

type HotkeyRefusal = EventDataOf<typeof hotkeyRefusals>['refused'][number];

/** The server's half of hotkeys: computers listen for them, and say which ones they could not take. */
export interface Hotkeys {
  /** Tells all connected computers of the account. */
  readonly changed: (account: number) => void;
  /** What the connected computers could not take, under the ids of the computers. */
  readonly refused: (account: number) => ReadonlyMap<number, readonly HotkeyRefusal[]>;
  readonly listeners: readonly Listener[];
  /** Waits until everybody was told. */
  readonly stop: () => Promise<void>;
}

interface Stores {
  readonly categories: CategoryStore;
  readonly usage: Pick<UsageStore, 'applications'>;
}

export function createHotkeys({ devices, realtime, log }: ServerContext, { categories, usage }: Stores): Hotkeys {
  const refusals = new Map<number, { readonly account: number; readonly refused: readonly HotkeyRefusal[] }>();
  const inTurn = createSerialQueue();
  const telling = new Set<Promise<void>>();
  devices.onStateChange(({ id, account }, state) => {
    if (state === 'Disconnected' && refusals.delete(id)) realtime.send(`account:${account}`, categoriesChanged, {});
  });

  const wanted = async (account: number): Promise<EventDataOf<typeof hotkeysChanged>> => {
    const all = [
      ...(await categories.list(account)),
      { id: undefined, name: UNASSIGNED, keys: await categories.unassignedKeys(account) },
    ];
    const keyed = all.filter(({ keys }) => hasKeys(keys));
    if (keyed.length === 0) return { categories: [] };
    const applications = Map.groupBy(await usage.applications.list(account), ({ category }) => category);
    return {
      categories: keyed.map(({ id, name, keys }) => ({
        name,
        ...keys,
        applications: (applications.get(id) ?? []).map((application) => application.name),
      })),
    };
  };
  /** One after another, each with what stands then: the last one told is the newest. */
  const tell = async (account: number): Promise<void> =>
    inTurn(account, async () => {
      const data = await wanted(account);
      for (const { id, kind } of await devices.list(account))
        if (kind === 'computer') devices.relay(id, hotkeysChanged, data);
    });

  return {
    changed: (account) => {
      const told = tell(account)
        .catch((error: unknown) => log.error({ err: error, account }, 'computers not told of their hotkeys'))
        .finally(() => telling.delete(told));
      telling.add(told);
    },
    refused: (account) =>
      new Map(
        [...refusals].flatMap(([id, own]) =>
          // One that was removed is not told of.
          own.account === account && devices.getState(id) !== 'Disconnected' ? [[id, own.refused] as const] : [],
        ),
      ),
    listeners: [
      listen(askHotkeys, async (_data, { account }) => wanted(account)),
      listen(hotkeyRefusals, async ({ refused }, { account, device }) => {
        if (devices.getState(device) !== 'Connected') return {};
        const before = refusals.get(device)?.refused ?? [];
        refusals.set(device, { account, refused });
        if (JSON.stringify(before) !== JSON.stringify(refused))
          realtime.send(`account:${account}`, categoriesChanged, {});
        return {};
      }),
    ],
    stop: async () => {
      await Promise.all(telling);
    },
  };
}
