import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { EgressRefusal } from './egress.ts';
import type { Targets } from './target.ts';

/** Gives all addresses of a name, as the machine's own resolver has them. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = async (name) => lookup(name, { all: true, order: 'verbatim' });

const INNER = "That address lies in this server's own network; its operator can allow it with EGRESS_ALLOW";

/**
 * The addresses of a host that may be dialled, looked up once: what is dialled afterwards is among them, however often the name changes its answer.
 * @throws EgressRefusal
 */
export const checkedAddresses = async (
  { hostname }: URL,
  { targets, resolve }: { readonly targets: Targets; readonly resolve: Resolve },
): Promise<readonly LookupAddress[]> => {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  const family = isIP(host);
  const found = family === 0 ? await named(host, resolve) : [{ address: host, family }];
  const may = found.filter(({ address }) => targets.mayDial(address));
  if (may.length === 0) throw new EgressRefusal('inner', INNER);
  return may;
};

const named = async (host: string, resolve: Resolve): Promise<readonly LookupAddress[]> => {
  try {
    const found = await resolve(host);
    if (found.length > 0) return found;
  } catch (cause) {
    throw new EgressRefusal('unreached', 'No server was found under that name', { cause });
  }
  throw new EgressRefusal('unreached', 'No server was found under that name');
};
