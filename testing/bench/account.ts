import { createClient, type Client } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { pairdevice, requestpairing, takepairing } from '#tools/devices/contract.ts';

export interface BenchOwner {
  readonly token: string;
  readonly call: Client;
}

/** Signs up the owner of a fresh server. */
export async function signUpOwner(origin: string): Promise<BenchOwner> {
  const { token } = await createClient({ origin })(signup, { username: 'owner', password: 'correct horse staple' });
  return { token, call: createClient({ origin, token: () => token }) };
}

/** Enters the code that a computer shows; returns the computer's target id. */
export async function pairWith({ call }: BenchOwner, code: string): Promise<string> {
  return String((await call(pairdevice, { code })).id);
}

/** Pairs a computer over the API like an agent; also returns its token. */
export async function pairComputer(
  origin: string,
  owner: BenchOwner,
): Promise<{ readonly token: string; readonly target: string }> {
  const callAnonymously = createClient({ origin });
  const { code, secret } = await callAnonymously(requestpairing, { name: 'workstation', system: 'bench' });
  const target = await pairWith(owner, code);
  const { token } = await callAnonymously(takepairing, { secret });
  if (token === undefined) throw new Error('the pairing gave no token');
  return { token, target };
}
