import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import {
  MAX_INVITATIONS,
  MAX_LISTS,
  MAX_MEMBERS,
  answershoplist,
  archiveshoplist,
  copyshoplist,
  deleteshoplist,
  leaveshoplist,
  restoreshoplist,
  shareshoplist,
  shoplistmembers,
  shoplistsChanged,
} from '../../contract.ts';
import type { Stores } from '../../server/shoppingStores.ts';
import type { Leaf, ListState } from '../../sync/domain/listState.ts';
import { LIST_GONE_MESSAGE, TOO_MANY_LISTS_MESSAGE } from '../../sync/server/modifyHandler.ts';
import { STATES } from '../domain/list.ts';
import type { LockedList } from './listStore.ts';

/** Resets what was bought, for a copy. */
function resetBought(path: string, { value }: Leaf): Leaf['value'] {
  if (path.endsWith('/actual')) return 0;
  // A ticked checkbox becomes an open one.
  return path.endsWith('/state') && value !== STATES.counted ? STATES.question : value;
}

/** Copies items, types and links to a new list with another name. Removed things are left out. */
export function copyList(state: ListState, name: string): ListState {
  const exists = (kind: string, id: string): boolean => state.leaves.get(`${kind}/${id}`)?.value === true;
  function isIncluded(path: string): boolean {
    const [kind = '', id = '', type = ''] = path.split('/');
    if (kind === 'name') return true;
    return kind === 'links' ? exists('items', id) && exists('types', type) : exists(kind, id);
  }
  const leaves = [...state.leaves]
    .filter(([path]) => isIncluded(path))
    .map(([path, leaf]): [string, Leaf] => [
      path,
      { value: path === 'name' ? name : resetBought(path, leaf), revision: 1, time: 0, client: '' },
    ]);
  return { revision: 1, nextId: state.nextId, ids: new Map(), leaves: new Map(leaves) };
}

/** Creates the handlers for sharing lists and for actions on whole lists, which the specification does not have. */
export function createSharingHandlers(context: ServerContext, stores: Stores): readonly Handler[] {
  const { database, identity, realtime, now } = context;
  const { lists, members, states, locks } = stores;
  const getTime = (): number => now().epochMilliseconds;

  async function lockList(tx: Transaction<unknown>, account: number, id: number): Promise<LockedList> {
    const list = await lists.findAndLock(tx, account, id);
    if (!list || list.isInvited) throw new Refusal('shopping.list_not_found', LIST_GONE_MESSAGE);
    return list;
  }
  async function lockOwnList(tx: Transaction<unknown>, account: number, id: number): Promise<LockedList> {
    const list = await lockList(tx, account, id);
    if (list.owner !== account) throw new Refusal('shopping.not_owner', 'Only the owner of a list can do that');
    return list;
  }
  async function findAccount(username: string) {
    const account = await identity.findAccountByName(username.trim());
    if (!account)
      throw new Refusal(
        'account.not_found',
        `There is no account '${username.trim().slice(0, 60)}' on this server. Check the username`,
      );
    return account;
  }
  async function validateListCount(tx: Transaction<unknown>, account: number): Promise<void> {
    if ((await lists.count(tx, account)) >= MAX_LISTS)
      throw new Refusal('shopping.too_many_lists', TOO_MANY_LISTS_MESSAGE);
  }

  /** Runs work with the write lock of a list. Notifies its members from before and after, also invited ones. */
  const changeList = async <T>(id: number, work: (tx: Transaction<unknown>) => Promise<T>): Promise<T> =>
    locks.withList(id, async () =>
      database.transaction(async ({ tx, afterCommit }) => {
        const oldMembers = await members.list(id, tx);
        const result = await work(tx);
        const accounts = new Set([...oldMembers, ...(await members.list(id, tx))].map(({ account }) => account));
        afterCommit(() => {
          realtime.send(
            [...accounts].map((account) => `account:${account}` as const),
            shoplistsChanged,
            {},
          );
        });
        return result;
      }),
    );

  return [
    handle(deleteshoplist, async ({ id }, { account }) =>
      changeList(id, async (tx) => {
        await lockOwnList(tx, account, id);
        await lists.setDeleted(tx, id, account, getTime());
        await lists.removeOldDeleted(tx, account, MAX_LISTS);
      }),
    ),
    handle(restoreshoplist, async ({ id }, { account }) =>
      locks.withAccount(account, async () =>
        changeList(id, async (tx) => {
          await validateListCount(tx, account);
          if (!(await lists.setDeleted(tx, id, account, undefined)))
            throw new Refusal('shopping.not_restorable', 'This list can no longer be restored');
        }),
      ),
    ),
    handle(archiveshoplist, async ({ id, archived }, { account }) => {
      await database.transaction(async ({ tx, afterCommit }) => {
        await lockList(tx, account, id);
        await lists.archive(tx, id, account, archived);
        afterCommit(() => realtime.send(`account:${account}`, shoplistsChanged, {}));
      });
    }),
    handle(copyshoplist, async ({ id, name }, { account }) =>
      locks.withAccount(account, async () =>
        database.transaction(async ({ tx, afterCommit }) => {
          const list = await lockList(tx, account, id);
          await validateListCount(tx, account);
          const copy = copyList(await states.getLocked(tx, list), name);
          const { revision, nextId } = copy;
          const copyId = await lists.insert(tx, { account, revision, nextId, now: getTime() });
          await states.fill(tx, copyId, copy);
          afterCommit(() => realtime.send(`account:${account}`, shoplistsChanged, {}));
          return { id: copyId };
        }),
      ),
    ),
    handle(shoplistmembers, async ({ id }, { account }) => {
      const list = await lists.find(account, id);
      if (!list) throw new Refusal('shopping.list_not_found', LIST_GONE_MESSAGE);
      const answer = [];
      for (const member of await members.list(id))
        answer.push({
          username: (await identity.findAccount(member.account))?.name ?? '',
          owner: member.account === list.owner,
          invited: member.isInvited,
        });
      return { members: answer };
    }),
    handle(shareshoplist, async ({ id, username }, { account }) => {
      // Checked first, so that callers who may not invite can't probe for accounts.
      await database.transaction(({ tx }) => lockOwnList(tx, account, id));
      const invitedAccount = await findAccount(username);
      if (invitedAccount.id === account) throw new Refusal('shopping.own_list', 'You already own this list');
      async function invite(tx: Transaction<unknown>) {
        await lockOwnList(tx, account, id);
        const currentMembers = await members.list(id, tx);
        if (currentMembers.some((member) => member.account === invitedAccount.id)) return;
        if (currentMembers.length >= MAX_MEMBERS)
          throw new Refusal(
            'shopping.too_many_members',
            `A list can have at most ${MAX_MEMBERS} members. Remove one first`,
          );
        if ((await lists.countInvitations(tx, invitedAccount.id)) >= MAX_INVITATIONS)
          throw new Refusal(
            'shopping.too_many_invitations',
            `${invitedAccount.name} has ${MAX_INVITATIONS} open invitations. Wait until some are answered`,
          );
        await members.invite(tx, id, invitedAccount.id);
      }
      return locks.withAccount(invitedAccount.id, () => changeList(id, invite));
    }),
    handle(answershoplist, async ({ id, join }, { account }) =>
      locks.withAccount(account, async () =>
        changeList(id, async (tx) => {
          const list = await lists.findAndLock(tx, account, id);
          if (!list?.isInvited) throw new Refusal('shopping.invitation_not_found', 'This invitation no longer exists');
          if (join) {
            await validateListCount(tx, account);
            await members.join(tx, id, account, getTime());
          } else await members.leave(tx, id, account);
        }),
      ),
    ),
    handle(leaveshoplist, async ({ id, username }, { account }) => {
      // Checked first, so that callers who don't share the list can't probe for accounts.
      await database.transaction(({ tx }) => lockList(tx, account, id));
      const leavingAccount = username === undefined ? account : (await findAccount(username)).id;
      return changeList(id, async (tx) => {
        const { owner } =
          leavingAccount === account ? await lockList(tx, account, id) : await lockOwnList(tx, account, id);
        if (leavingAccount === owner)
          throw new Refusal(
            'shopping.owner_cannot_leave',
            "You own this list, so you can't leave it. Delete it instead",
          );
        if (!(await members.leave(tx, id, leavingAccount)))
          throw new Refusal('shopping.not_a_member', 'That account is not a member of this list');
      });
    }),
  ];
}
