import type { AnswerOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { handle, createRawJsonAnswer, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { getshoplist, getshoplists, modifyshoplist } from '../../contract.ts';
import type { Stores } from '../../server/shoppingStores.ts';
import { toTree } from '../../sync/domain/listWire.ts';
import { LIST_GONE_MESSAGE, createModifyHandler, findRefusal } from '../../sync/server/modifyHandler.ts';
import type { NamedList } from './listStore.ts';
import type { NameOptions } from './nameStore.ts';

type Tree = Pick<AnswerOf<typeof getshoplist>['data'], 'name' | 'items' | 'types' | 'links'>;
type Menu = AnswerOf<typeof getshoplists>['data'];

/** Creates the handlers of the specification's calls (docs/specification/shopping.md section 2.1). */
export function createShoppingHandlers(context: ServerContext, stores: Stores): readonly Handler[] {
  const { identity } = context;
  const { lists, states, batches, names } = stores;
  const modify = createModifyHandler(context, stores);
  const getNameOptions = async (account: number, ownLists: readonly NamedList[]): Promise<NameOptions> =>
    names.getOptions(
      account,
      ownLists.filter(({ isInvited }) => !isInvited),
    );
  async function createUsernameLookup(accounts: Iterable<number>): Promise<(account: number) => string> {
    const nameById = new Map<number, string>();
    for (const account of new Set(accounts)) nameById.set(account, (await identity.findAccount(account))?.name ?? '');
    return (account) => nameById.get(account) ?? '';
  }

  /** Reads a list and a client's last batch as of the same moment. */
  async function readList(account: number, id: number, client: string | undefined) {
    if (client === undefined) return { state: await states.read(id), last: undefined };
    for (;;) {
      const last = await batches.findLast(account, client);
      const state = await states.read(id);
      // A batch accepted between the two reads would be in the list, while the response says that it is missing.
      if ((await batches.getLastSeq(account, client)) === (last?.seq ?? 0))
        return { state, last: last?.list === id ? last : undefined };
    }
  }

  return [
    handle(getshoplists, async (_request, { account }) => {
      const ownLists = await lists.list(account);
      const getName = await createUsernameLookup(
        ownLists.map(({ owner }) => owner).filter((owner) => owner !== account),
      );
      const menu: Omit<Menu, 'globalitems'> = {
        lists: ownLists
          .filter(({ isInvited }) => !isInvited)
          .map(({ id, name, owner, isArchived, members }) => ({
            id,
            name,
            archived: isArchived,
            members,
            ...(owner === account ? {} : { owner: getName(owner) }),
          })),
        invitations: ownLists
          .filter(({ isInvited }) => isInvited)
          .map(({ id, name, owner }) => ({ id, name, from: getName(owner) })),
        deleted: [...(await lists.listDeleted(account))],
      };
      const { json } = await getNameOptions(account, ownLists);
      return createRawJsonAnswer(`{"data":{"globalitems":${json},${JSON.stringify(menu).slice(1)}}`);
    }),
    handle(getshoplist, async ({ id, client }, { account }) => {
      const ownList = await lists.find(account, id);
      const { state, last } = ownList ? await readList(account, id, client) : {};
      if (!state) throw new Refusal('shopping.list_not_found', LIST_GONE_MESSAGE);
      const clientPrefix = `${account}.${client}/`;
      const ids = client === undefined ? [] : [...state.ids].filter(([newId]) => newId.startsWith(clientPrefix));
      const refused = last && findRefusal(last);
      return {
        data: {
          id,
          ...(toTree(states.getVisibleList(state)) as Tree),
          globalitems: (await getNameOptions(account, await lists.list(account))).names as Menu['globalitems'],
          revision: state.revision,
          ids: Object.fromEntries(ids.map(([newId, serverId]) => [newId.slice(clientPrefix.length), serverId])),
          seq: last?.seq ?? 0,
          ...(refused === undefined ? {} : { refused }),
        },
      };
    }),
    handle(modifyshoplist, async (request, { account }) => modify(account, request)),
  ];
}
