import * as z from 'zod/mini';
import type { AnswerOf, Call } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { handle, createRawJsonAnswer, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { getshoplist, getshoplists, modifyshoplist } from '../../contract.ts';
import type { Stores } from '../../server/shoppingStores.ts';
import { treeOf } from '../../sync/domain/listWire.ts';
import { GONE, createModifyHandler, refusalIn } from '../../sync/server/modifyHandler.ts';
import type { NamedList } from './listStore.ts';
import type { NameChoice } from './nameStore.ts';

type Tree = Pick<AnswerOf<typeof getshoplist>['data'], 'name' | 'items' | 'types' | 'links'>;
type Menu = AnswerOf<typeof getshoplists>['data'];
type OnWire = Menu['globalitems'];

/** The call with an answer that is checked by code made for it: by zod alone that takes as long as all else of a list of 1,000 items. A page makes no code, for its policy forbids it. */
const checkedFast = <C extends Call<z.ZodMiniObject, z.ZodMiniObject, 'account'>>(contract: C): C => ({
  ...contract,
  answer: z.compile(contract.answer),
});

/** The specification's calls. */
export function calls(ground: ServerContext, stores: Stores): readonly Handler[] {
  const { identity } = ground;
  const { lists, states, batches, names } = stores;
  const modify = createModifyHandler(ground, stores);
  const namesOf = async (account: number, all: readonly NamedList[]): Promise<NameChoice> =>
    names.toChooseFrom(
      account,
      all.filter(({ isInvited }) => !isInvited),
    );
  const usernames = async (accounts: Iterable<number>): Promise<(account: number) => string> => {
    const found = new Map<number, string>();
    for (const account of new Set(accounts)) found.set(account, (await identity.findAccount(account))?.name ?? '');
    return (account) => found.get(account) ?? '';
  };

  /** A list, and what the server knows of a client's batches as of the same moment. */
  const listFor = async (account: number, id: number, client: string | undefined) => {
    if (client === undefined) return { state: await states.read(id), last: undefined };
    for (;;) {
      const last = await batches.last(account, client);
      const state = await states.read(id);
      // A batch may have been taken in between: the list would have it, and the client be told that it is not there.
      if ((await batches.lastSeq(account, client)) === (last?.seq ?? 0))
        return { state, last: last?.list === id ? last : undefined };
    }
  };

  return [
    handle(getshoplists, async (_request, { account }) => {
      const all = await lists.all(account);
      const nameOf = await usernames(all.map(({ owner }) => owner).filter((owner) => owner !== account));
      const menu: Omit<Menu, 'globalitems'> = {
        lists: all
          .filter(({ isInvited }) => !isInvited)
          .map(({ id, name, owner, isArchived, members }) => ({
            id,
            name,
            archived: isArchived,
            members,
            ...(owner === account ? {} : { owner: nameOf(owner) }),
          })),
        invitations: all
          .filter(({ isInvited }) => isInvited)
          .map(({ id, name, owner }) => ({ id, name, from: nameOf(owner) })),
        deleted: [...(await lists.deleted(account))],
      };
      const { json } = await namesOf(account, all);
      return createRawJsonAnswer(`{"data":{"globalitems":${json},${JSON.stringify(menu).slice(1)}}`);
    }),
    handle(checkedFast(getshoplist), async ({ id, client }, { account }) => {
      const own = await lists.one(account, id);
      const { state, last } = own ? await listFor(account, id, client) : {};
      if (!state) throw new Refusal(GONE);
      const mine = `${account}.${client}/`;
      const ids = client === undefined ? [] : [...state.ids].filter(([sent]) => sent.startsWith(mine));
      const refused = last && refusalIn(last);
      return {
        data: {
          id,
          ...(treeOf(states.seen(state)) as Tree),
          globalitems: (await namesOf(account, await lists.all(account))).names as OnWire,
          revision: state.revision,
          ids: Object.fromEntries(ids.map(([sent, given]) => [sent.slice(mine.length), given])),
          seq: last?.seq ?? 0,
          ...(refused === undefined ? {} : { refused }),
        },
      };
    }),
    handle(modifyshoplist, async (request, { account }) => modify(account, request)),
  ];
}
