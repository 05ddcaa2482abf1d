import { DAY_MS } from '#platform/contract/duration.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { shoplistsChanged } from '../contract.ts';
import { createSharingHandlers } from '../lists/server/sharingHandlers.ts';
import { createShoppingHandlers } from '../lists/server/shoppingHandlers.ts';
import { toTree } from '../sync/domain/listWire.ts';
import { migrations } from './migrations.ts';
import { createShoppingImport } from './shoppingImport.ts';
import { createStores } from './shoppingStores.ts';

/** Days for which a deleted list can be restored. */
const BIN_DAYS = 30;
/** Days for which batches, new ids and tombstones are stored, so that late batches are still handled correctly. */
const TOMBSTONE_RETENTION_DAYS = 90;

/** Notification that a list must be read again, although its revision is the same. */
const TOMBSTONES_CLEARED = 'shopping.tombstones';

export const shopping: ServerTool = {
  name: 'shopping',
  services: ['database', 'identity', 'realtime'],
  migrations,
  start: (context) => {
    const { database, realtime, now } = context;
    const stores = createStores(database);
    const { lists, members, states, tombstones, names, locks } = stores;

    /** Yields the account's lists one by one for the export, including deleted ones that can be restored. */
    async function* exportLists(account: number) {
      for (const { id, owner, isArchived, isInvited } of await lists.list(account)) {
        const state = isInvited ? undefined : await states.read(id);
        if (state) yield { id, isOwn: owner === account, isArchived, ...toTree(states.getVisibleList(state)) };
      }
      for (const { id } of await lists.listDeleted(account)) {
        const state = await states.read(id);
        if (state) yield { id, isOwn: true, isDeleted: true, ...toTree(states.getVisibleList(state)) };
      }
    }

    function invalidate(list: number): void {
      states.invalidate(list);
      names.invalidate();
    }
    database.coordination.onNotification(TOMBSTONES_CLEARED, (list) => invalidate(list as number));

    return {
      calls: [...createShoppingHandlers(context, stores), ...createSharingHandlers(context, stores)],
      exportAccount: async (account) => ({ lists: exportLists(account) }),
      exportDescription:
        'Your shopping lists, including deleted ones that can still be restored, and the lists that others share with you.',
      importAccount: createShoppingImport(context, stores),
      // Rows are deleted with the account later. Until then this hides its lists from other members and notifies them.
      deleteAccountData: async (account) => {
        for (const { id, owner } of await lists.list(account))
          await locks.withList(id, async () =>
            database.transaction(async ({ tx, afterCommit }) => {
              const otherMembers = (await members.list(id, tx)).filter((member) => member.account !== account);
              if (owner === account) await lists.setDeleted(tx, id, account, now().epochMilliseconds);
              afterCommit(() => {
                const rooms = otherMembers.map((member) => `account:${member.account}` as const);
                realtime.send(rooms, shoplistsChanged, {});
              });
            }),
          );
      },
      nightly: async () => {
        const time = now().epochMilliseconds;
        const retainedSince = time - TOMBSTONE_RETENTION_DAYS * DAY_MS;
        await lists.purge(time - BIN_DAYS * DAY_MS, retainedSince);
        for (const id of await lists.listIds()) {
          if (!(await tombstones.has(id, retainedSince))) continue;
          await locks.withList(id, async () =>
            database.transaction(async ({ tx, afterCommit }) => {
              await lists.lock(tx, id);
              await tombstones.clear(tx, id, retainedSince);
              await database.coordination.notify(tx, TOMBSTONES_CLEARED, id);
              afterCommit(() => invalidate(id));
            }),
          );
        }
      },
    };
  },
};
