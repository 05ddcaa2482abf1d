import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy } from './addressPolicy.ts';
import { EgressRefusal } from './egress.ts';

/** Gives all addresses of a name, as the machine's own resolver has them. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: ResolveName = async (name) => lookup(name, { all: true, order: 'verbatim' });

const PRIVATE_ADDRESS_MESSAGE =
  "That address lies in this server's own network; its operator can allow it with EGRESS_ALLOW";

const WEB_PORTS = [80, 443, 8080, 8443];
const BLOCKED_PORT_MESSAGE = 'This address names a port that downloads are not let through to';

interface ResolveOptions {
  readonly targets: AddressPolicy;
  readonly resolve: ResolveName;
  /** Ports of the web alone; what the operator allows may have any. */
  readonly isOfWeb?: boolean | undefined;
}

/**
 * The addresses of a host, looked up once: what is dialled afterwards is among them, however often the name changes its answer. A name that
 * has one inside this network among them is refused as a whole: no site of the web has.
 * @throws EgressRefusal
 */
export const resolveAllowedAddresses = async (
  { hostname, port, protocol }: URL,
  { targets, resolve, isOfWeb = false }: ResolveOptions,
): Promise<readonly LookupAddress[]> => {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  const family = isIP(host);
  const found = family === 0 ? await named(host, resolve) : [{ address: host, family }];
  const dialled = Number(port || (protocol === 'https:' ? 443 : 80));
  if (targets.isAllowedName(host, dialled)) return found;
  if (!found.every(({ address }) => targets.canConnect(address, dialled)))
    throw new EgressRefusal('inner', PRIVATE_ADDRESS_MESSAGE);
  if (!isOfWeb || WEB_PORTS.includes(dialled)) return found;
  if (!found.every(({ address }) => targets.isAllowed(address, dialled)))
    throw new EgressRefusal('port', BLOCKED_PORT_MESSAGE);
  return found;
};

/** Gives the addresses that were checked, whatever the name says by now. */
export const createFixedLookup =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_name, { all }, answer) => {
    const [first] = addresses;
    if (all === true) answer(null, [...addresses]);
    else if (first) answer(null, first.address, first.family);
    else answer(new Error('no address'), '');
  };

const named = async (host: string, resolve: ResolveName): Promise<readonly LookupAddress[]> => {
  try {
    const found = await resolve(host);
    if (found.length > 0) return found;
  } catch (cause) {
    throw new EgressRefusal('unreached', 'No server was found under that name', { cause });
  }
  throw new EgressRefusal('unreached', 'No server was found under that name');
};
