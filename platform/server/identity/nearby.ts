import ipaddr from 'ipaddr.js';

const PRIVATE_RANGES = ['loopback', 'private', 'linkLocal', 'uniqueLocal'];

/** Whether the address is of this computer or of a private network, such as one at home. */
export const isPrivateNetworkAddress = (address: string): boolean =>
  ipaddr.isValid(address) && PRIVATE_RANGES.includes(ipaddr.process(address).range());
