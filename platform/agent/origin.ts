import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { Refusal } from '#platform/contract/refusal.ts';

const privateAddresses = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateAddresses.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  privateAddresses.addSubnet(network, prefix, 'ipv6');

export const isPrivateAddress = (address: string): boolean => {
  const family = isIP(address);
  return family !== 0 && privateAddresses.check(address, family === 4 ? 'ipv4' : 'ipv6');
};

const addressesOf = async (host: string): Promise<readonly string[]> => {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare)) return [bare];
  const found = await lookup(bare, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
};

/**
 * The server's origin as the agent uses it, from what was written: `http://192.168.1.5:8300`.
 * @throws Refusal for what is no such address, and for plain http over the open internet, where everybody on the way could type too.
 */
export const serverOrigin = async (written: string, options: { readonly insecure: boolean }): Promise<string> => {
  const text = /^https?:\/\//i.test(written) ? written : `http://${written}`;
  if (!URL.canParse(text))
    throw new Refusal(`'${written}' is no address of a server; it looks like http://192.168.1.5:8300`);
  const { protocol, hostname, origin } = new URL(text);
  if (protocol === 'https:' || options.insecure) return origin;
  const addresses = await addressesOf(hostname);
  if (addresses.length === 0) throw new Refusal(`The name ${hostname} is not known here`);
  if (addresses.every(isPrivateAddress)) return origin;
  throw new Refusal(
    `${origin} is not private: what is typed could be read and changed on the way. Use https, or --insecure`,
  );
};
