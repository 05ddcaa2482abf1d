import { makeClient, type Client } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { pairdevice, requestpairing, takepairing } from '#tools/devices/contract.ts';

export interface OwnerWithComputer {
  readonly token: string;
  readonly call: Client;
  readonly device: { readonly token: string; readonly target: string };
}

/** Signs up the owner of a fresh server and pairs a computer with it, over the API as anybody would. */
export const ownerWithComputer = async (origin: string): Promise<OwnerWithComputer> => {
  const anyone = makeClient({ origin });
  const { token } = await anyone(signup, { username: 'owner', password: 'correct horse staple' });
  const call = makeClient({ origin, token: () => token });
  const { code, secret } = await anyone(requestpairing, { name: 'workstation', system: 'bench' });
  const { id } = await call(pairdevice, { code });
  const { token: deviceToken } = await anyone(takepairing, { secret });
  if (deviceToken === undefined) throw new Error('the pairing gave no token');
  return { token, call, device: { token: deviceToken, target: String(id) } };
};
