import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { removeBrackets, isPrivateAddress } from '#platform/contract/privateAddress.ts';
import { Refusal } from '#platform/contract/refusal.ts';

const lookUpAddresses = async (host: string): Promise<readonly string[]> => {
  const bare = removeBrackets(host);
  if (isIP(bare)) return [bare];
  const found = await lookup(bare, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
};

/**
 * The server's origin as the agent uses it, from what was written: `http://192.168.1.5:8300`.
 * @throws Refusal for what is no such address, and for plain http over the open internet, where everybody on the way could type too.
 */
export const parseServerOrigin = async (written: string, options: { readonly insecure: boolean }): Promise<string> => {
  const text = /^https?:\/\//i.test(written) ? written : `http://${written}`;
  if (!URL.canParse(text))
    throw new Refusal(`'${written}' is no address of a server; it looks like http://192.168.1.5:8300`);
  const { protocol, hostname, origin } = new URL(text);
  if (protocol === 'https:' || options.insecure) return origin;
  const addresses = await lookUpAddresses(hostname);
  if (addresses.length === 0) throw new Refusal(`The name ${hostname} is not known here`);
  if (addresses.every(isPrivateAddress)) return origin;
  throw new Refusal(
    `${origin} is not private: what is typed could be read and changed on the way. Use https, or --insecure`,
  );
};
