import type { Transaction } from 'kysely';
import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import {
  INVITATIONS_LIMIT,
  LISTS_LIMIT,
  MEMBERS_LIMIT,
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
import type { Leaf, ListState } from '../../sync/domain/engine.ts';
import { GONE, TOO_MANY_LISTS } from '../../sync/server/modifyHandler.ts';
import { turnOf, turnOfAccount } from '../../sync/server/writeLocks.ts';
import { STATES } from '../domain/list.ts';
import type { HeldList } from './listStore.ts';

/** Fields that say what has been bought: a copy begins without. */
const fresh = (path: string, { value }: Leaf): Leaf['value'] => {
  if (path.endsWith('/actual')) return 0;
  // A checkbox stays one, and is open.
  return path.endsWith('/state') && value !== STATES.counted ? STATES.question : value;
};

/** A list with the same items, types and links and another name, as if it were made now; what was removed is left behind. */
export function copyOf(state: ListState, name: string): ListState {
  const isThere = (kind: string, id: string): boolean => state.leaves.get(`${kind}/${id}`)?.value === true;
  const stays = (path: string): boolean => {
    const [kind = '', one = '', other = ''] = path.split('/');
    if (kind === 'name') return true;
    return kind === 'links' ? isThere('items', one) && isThere('types', other) : isThere(kind, one);
  };
  const leaves = [...state.leaves]
    .filter(([path]) => stays(path))
    .map(([path, leaf]): [string, Leaf] => [
      path,
      { value: path === 'name' ? name : fresh(path, leaf), revision: 1, time: 0, client: '' },
    ]);
  return { revision: 1, nextId: state.nextId, ids: new Map(), leaves: new Map(leaves) };
}

/** Calls of ours: who shares a list, and what else is done with whole lists. */
export function sharingCalls(ground: ServerContext, stores: Stores): readonly Handler[] {
  const { database, identity, realtime, now } = ground;
  const { lists, members, states, turns } = stores;
  const time = (): number => now().epochMilliseconds;

  const held = async (tx: Transaction<unknown>, account: number, id: number): Promise<HeldList> => {
    const list = await lists.hold(tx, account, id);
    if (!list || list.isInvited) throw new Refusal(GONE);
    return list;
  };
  const owned = async (tx: Transaction<unknown>, account: number, id: number): Promise<HeldList> => {
    const list = await held(tx, account, id);
    if (list.owner !== account) throw new Refusal('Only the owner of a list can do that');
    return list;
  };
  const named = async (username: string) => {
    const found = await identity.findAccountByName(username.trim());
    if (!found) throw new Refusal(`This server has no account '${username.trim().slice(0, 60)}'`);
    return found;
  };
  const hasRoom = async (tx: Transaction<unknown>, account: number): Promise<void> => {
    if ((await lists.count(tx, account)) >= LISTS_LIMIT) throw new Refusal(TOO_MANY_LISTS);
  };

  /** Does something with a list and who shares it, in its turn. All who shared it before or do afterwards, and those invited, are told. */
  const change = async <T>(id: number, work: (tx: Transaction<unknown>) => Promise<T>): Promise<T> =>
    turns.take(turnOf(id), async () =>
      database.transaction(async ({ tx, afterCommit }) => {
        const before = await members.all(id, tx);
        const done = await work(tx);
        const accounts = new Set([...before, ...(await members.all(id, tx))].map(({ account }) => account));
        afterCommit(() => {
          realtime.send(
            [...accounts].map((account) => `account:${account}` as const),
            shoplistsChanged,
            {},
          );
        });
        return done;
      }),
    );

  return [
    handle(deleteshoplist, async ({ id }, { account }) =>
      change(id, async (tx) => {
        await owned(tx, account, id);
        await lists.setDeleted(tx, id, account, time());
        await lists.thinBin(tx, account, LISTS_LIMIT);
        return {};
      }),
    ),
    handle(restoreshoplist, async ({ id }, { account }) =>
      turns.take(turnOfAccount(account), async () =>
        change(id, async (tx) => {
          await hasRoom(tx, account);
          if (!(await lists.setDeleted(tx, id, account, undefined)))
            throw new Refusal('This list cannot be brought back');
          return {};
        }),
      ),
    ),
    handle(archiveshoplist, async ({ id, archived }, { account }) => {
      await database.transaction(async ({ tx, afterCommit }) => {
        await held(tx, account, id);
        await lists.archive(tx, id, account, archived);
        afterCommit(() => realtime.send(`account:${account}`, shoplistsChanged, {}));
      });
      return {};
    }),
    handle(copyshoplist, async ({ id, name }, { account }) =>
      turns.take(turnOfAccount(account), async () =>
        database.transaction(async ({ tx, afterCommit }) => {
          const list = await held(tx, account, id);
          await hasRoom(tx, account);
          const copy = copyOf(await states.held(tx, list), name);
          const { revision, nextId } = copy;
          const made = await lists.make(tx, { account, revision, nextId, now: time() });
          await states.fill(tx, made, copy);
          afterCommit(() => realtime.send(`account:${account}`, shoplistsChanged, {}));
          return { id: made };
        }),
      ),
    ),
    handle(shoplistmembers, async ({ id }, { account }) => {
      const list = await lists.one(account, id);
      if (!list) throw new Refusal(GONE);
      const shown = [];
      for (const member of await members.all(id))
        shown.push({
          username: (await identity.findAccount(member.account))?.name ?? '',
          owner: member.account === list.owner,
          invited: member.isInvited,
        });
      return { members: shown };
    }),
    handle(shareshoplist, async ({ id, username }, { account }) => {
      // Who may not invite is told nothing of who is here.
      await database.transaction(({ tx }) => owned(tx, account, id));
      const other = await named(username);
      if (other.id === account) throw new Refusal('This list is yours already');
      const invite = async (tx: Transaction<unknown>) => {
        await owned(tx, account, id);
        const all = await members.all(id, tx);
        if (all.some((member) => member.account === other.id)) return {};
        if (all.length >= MEMBERS_LIMIT) throw new Refusal(`At most ${MEMBERS_LIMIT} share one list`);
        if ((await lists.invitations(tx, other.id)) >= INVITATIONS_LIMIT)
          throw new Refusal(`${other.name} has not answered ${INVITATIONS_LIMIT} invitations yet`);
        await members.invite(tx, id, other.id);
        return {};
      };
      return turns.take(turnOfAccount(other.id), () => change(id, invite));
    }),
    handle(answershoplist, async ({ id, join }, { account }) =>
      turns.take(turnOfAccount(account), async () =>
        change(id, async (tx) => {
          const list = await lists.hold(tx, account, id);
          if (!list?.isInvited) throw new Refusal('This invitation is gone');
          if (join) {
            await hasRoom(tx, account);
            await members.join(tx, id, account, time());
          } else await members.leave(tx, id, account);
          return {};
        }),
      ),
    ),
    handle(leaveshoplist, async ({ id, username }, { account }) => {
      // Who does not share it is told nothing of who is here.
      await database.transaction(({ tx }) => held(tx, account, id));
      const leaving = username === undefined ? account : (await named(username)).id;
      return change(id, async (tx) => {
        const { owner } = leaving === account ? await held(tx, account, id) : await owned(tx, account, id);
        if (leaving === owner) throw new Refusal('The owner of a list does not leave it: delete it instead');
        if (!(await members.leave(tx, id, leaving))) throw new Refusal('That account does not share this list');
        return {};
      });
    }),
  ];
}
