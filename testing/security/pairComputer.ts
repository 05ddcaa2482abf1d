import { createClient } from '#platform/contract/client.ts';
import { pairdevice, requestpairing, takepairing } from '#tools/devices/contract.ts';
import type { TestAccount } from '../kits/server/server.ts';

/** Pairs a computer with the account without an agent; returns the device's token. */
export async function pairComputer(origin: string, account: TestAccount, name: string): Promise<string> {
  const call = createClient({ origin });
  const { code, secret } = await call(requestpairing, { name, system: 'none' });
  await account.call(pairdevice, { code });
  return (await call(takepairing, { secret })).token ?? '';
}
