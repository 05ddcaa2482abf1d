import { assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatUrlHost,
  listPublicConstraints,
  listCertificateHosts,
  isHostPermitted,
  createNameConstraints,
} from './nameConstraints.ts';

const homeConstraints = createNameConstraints('Raspi.lan', []);

test.for([
  '192.168.1.5',
  '10.255.0.1',
  '172.31.0.1',
  '127.0.0.1',
  '169.254.3.4',
  'fd00::5',
  'fe80::1',
  '::1',
  'localhost',
  'raspi',
  'raspi.local',
  'raspi.lan',
  'nas.home.arpa',
  'a.b.internal',
])('an authority may sign for %s', (host) => {
  expect(isHostPermitted(homeConstraints, host)).toBe(true);
});

test.for([
  '8.8.8.8',
  '172.32.0.1',
  '100.64.0.1',
  '2001:db8::1',
  '::ffff:8.8.8.8',
  'example.com',
  'local.example.com',
  'notlocal',
  'otherlan',
  'raspi.example.com',
])('an authority may not sign for %s', (host) => {
  expect(isHostPermitted(homeConstraints, host)).toBe(false);
});

const isPrivate = (a: number, b: number): boolean =>
  a === 10 || a === 127 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168) || (a === 169 && b === 254);

test('no public address is permitted, whatever its bytes are', () => {
  const octet = integer({ min: 0, max: 255 });
  assert(
    property(octet, octet, octet, octet, (a, b, c, d) => {
      expect(isHostPermitted(homeConstraints, `${a}.${b}.${c}.${d}`)).toBe(isPrivate(a, b));
    }),
  );
});

test('a certificate lists addresses first, then names, then the computer itself', () => {
  const machine = { hostname: 'Raspi.fritz.box', addresses: ['192.168.1.5', 'FD00:0::5', 'fe80::1'], publicHosts: [] };
  expect(listCertificateHosts(machine)).toEqual([
    '192.168.1.5',
    'fd00::5',
    'raspi.local',
    'raspi',
    'raspi.lan',
    'raspi.home.arpa',
    'localhost',
    '127.0.0.1',
    '::1',
  ]);
  expect(listCertificateHosts({ ...machine, hostname: 'no_label', addresses: [] })).toEqual([
    'localhost',
    '127.0.0.1',
    '::1',
  ]);
});

test('if the operator named hosts, server and certificate only use these', () => {
  const publicHosts = ['192.168.1.9', '[fd00::9]', 'board.example.org'];
  const permitted = createNameConstraints('raspi', publicHosts);
  const hosts = listCertificateHosts({ hostname: 'raspi', addresses: ['10.0.0.1'], publicHosts });
  expect(hosts).toEqual(['192.168.1.9', 'fd00::9', 'board.example.org']);
  expect(hosts.every((host) => isHostPermitted(permitted, host))).toBe(true);
  expect(isHostPermitted(permitted, 'example.org')).toBe(false);
  expect(listPublicConstraints(permitted)).toEqual(['board.example.org']);
  expect(listPublicConstraints(createNameConstraints('raspi', ['203.0.113.5']))).toEqual(['203.0.113.5']);
  expect(listPublicConstraints(homeConstraints)).toEqual([]);
});

test('hosts are formatted as browsers write them', () => {
  expect(['fd00::5', '10.0.0.1', 'raspi.local'].map(formatUrlHost)).toEqual(['[fd00::5]', '10.0.0.1', 'raspi.local']);
});
