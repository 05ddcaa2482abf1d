import ipaddr from 'ipaddr.js';

const NEARBY = ['loopback', 'private', 'linkLocal', 'uniqueLocal'];

/** Whether the address is of this computer or of a private network, such as one at home. */
export const isNearby = (address: string): boolean =>
  ipaddr.isValid(address) && NEARBY.includes(ipaddr.process(address).range());
