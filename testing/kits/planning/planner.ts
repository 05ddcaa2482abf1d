import type { RequestInputOf } from '#platform/contract/call.ts';
import { NEW_LIST, answershoplist, getshoplist, modifyshoplist, shareshoplist } from '#tools/shopping/contract.ts';
import type { TestAccount } from '../server/server.ts';

type ModifyRequest = RequestInputOf<typeof modifyshoplist>;

/** Sends changes like a plain client, with the specified fields only; `more` adds others. */
export function sendChanges(
  account: TestAccount,
  id: number,
  changes: ModifyRequest['changes'],
  more: Partial<ModifyRequest> = {},
) {
  return account.call(modifyshoplist, { id, changes, timesent: Date.now() / 1000, ...more });
}

/** `changes` adds items, types and links; the built-in type is 1. */
export async function createShoplist(account: TestAccount, name = 'Groceries', changes: object = {}): Promise<number> {
  const { id } = await sendChanges(account, NEW_LIST, { name, ...(changes as ModifyRequest['changes']) });
  if (id === undefined) throw new Error('no list was made');
  return id;
}

export async function readShoplist(account: TestAccount, id: number, client?: string) {
  return (await account.call(getshoplist, { id, ...(client === undefined ? {} : { client }) })).data;
}

/** Shares a list: the owner invites, the other account joins. */
export async function shareWith(owner: TestAccount, other: TestAccount, id: number): Promise<void> {
  await owner.call(shareshoplist, { id, username: other.name });
  await other.call(answershoplist, { id, join: true });
}

export const MILK_ITEM = { name: 'Milk', emoji: '🥛', defaultquantity: 2, actualquantity: 0, state: 0 };
