import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { ALL_DEVICES } from '../../contract/limits.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';

/**
 * The computer that a call names, also one that was removed and has usage; undefined for all of them together.
 * @throws Refusal for what is no number, and in the same words for an unknown and a foreign one.
 */
export const askedDevice = async (
  { devices }: Pick<ServerContext, 'devices'>,
  store: Pick<UsageStore, 'devices'>,
  account: number,
  deviceid: string | undefined,
): Promise<number | undefined> => {
  const text = deviceid?.trim() ?? '';
  if (text === '' || Number(text) === ALL_DEVICES) return undefined;
  if (!/^\d+$/.test(text)) throw new Refusal(`deviceid is a computer's number, or ${ALL_DEVICES} for all of them`);
  const known = await store.devices.list(account);
  return known.find(({ id }) => id === Number(text))?.id ?? (await devices.getOwned(account, text)).id;
};
