import { array, assert, ipV4, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { getAddressKey, createPeerResolver, parseAddressRange } from './address.ts';

function resolveTestPeer(
  trustProxy: readonly string[],
  remoteAddress: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const untrustedAddresses: string[] = [];
  const { resolvePeer } = createPeerResolver({
    trustProxy,
    onUntrusted: (address) => void untrustedAddresses.push(address),
  });
  return { ...resolvePeer({ headers, socket: { remoteAddress } }), untrustedAddresses };
}

test('without a trusted proxy, the address of the connection counts, whatever the headers say', () => {
  assert(
    property(ipV4(), array(string()), (address, chain) => {
      const peer = resolveTestPeer([], address, { 'x-forwarded-for': chain.join(',') });
      expect(peer).toMatchObject({ address, isLocal: false, isHttps: false, untrustedAddresses: [address] });
    }),
  );
});

test('behind a trusted proxy, addresses to the left of the client have no effect', () => {
  assert(
    property(array(string()), (forged) => {
      const chain = [...forged, '203.0.113.9', '10.1.2.3'].join(', ');
      const peer = resolveTestPeer(['loopback', '10.0.0.0/8'], '127.0.0.1', { 'x-forwarded-for': chain });
      expect(peer.address).toBe('203.0.113.9');
    }),
  );
});

test('this computer is only local without a proxy in between', () => {
  expect(resolveTestPeer([], '127.0.0.1')).toMatchObject({ address: '127.0.0.1', isLocal: true });
  expect(resolveTestPeer([], '::ffff:127.0.0.1')).toMatchObject({ address: '127.0.0.1', isLocal: true });
  expect(resolveTestPeer([], '::1').isLocal).toBe(true);
  expect(resolveTestPeer(['loopback'], '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }).isLocal).toBe(false);
  expect(resolveTestPeer([], '127.0.0.1', { forwarded: 'for=1.2.3.4' })).toMatchObject({
    isLocal: false,
    untrustedAddresses: ['127.0.0.1'],
  });
  expect(resolveTestPeer([], '192.168.1.5').isLocal).toBe(false);
});

const isHttps = (proto: string): boolean =>
  resolveTestPeer(['loopback'], '127.0.0.1', { 'x-forwarded-proto': proto }).isHttps;

test('the nearest proxy decides whether a request is HTTPS', () => {
  expect([isHttps('https'), isHttps('http'), isHttps('https, http'), isHttps('http, https')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test('an invalid chain falls back to the address of the proxy', () => {
  expect(resolveTestPeer(['loopback'], '127.0.0.1', { 'x-forwarded-for': 'unknown' }).address).toBe('127.0.0.1');
});

test('rates count IPv6 by /64 network, and IPv4 by address', () => {
  expect(getAddressKey('192.168.1.5')).toBe('192.168.1.5');
  expect(getAddressKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(getAddressKey('2001:db8:1:2::9')).toBe(getAddressKey('2001:db8:1:2:ffff::1'));
  expect(getAddressKey('2001:db8:1:3::9')).not.toBe(getAddressKey('2001:db8:1:2::9'));
});

test('only addresses, ranges and loopback can be trusted', () => {
  for (const valid of ['loopback', '10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8'])
    expect(parseAddressRange(valid).length).toBeGreaterThan(0);
  for (const invalid of ['true', '*', 'proxy', '10.0.0.0/33', ''])
    expect(() => parseAddressRange(invalid)).toThrow(/is not an address/);
});
