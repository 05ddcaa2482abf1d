import { expect, test } from 'vitest';
import { isLoopbackHost, isPrivateAddress, isPrivateHost } from './privateAddress.ts';

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '192.168.1.5',
  '172.16.0.1',
  '172.31.255.255',
  '169.254.1.1',
  '::1',
  'fd00::1',
  'fe80::1',
  'febf::1',
  'FD12:3456::1',
  'fe80::1%eth0',
  '::ffff:10.0.0.1',
  '0:0:0:0:0:0:0:1',
])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));
test.each([
  '8.8.8.8',
  '172.32.0.1',
  '11.0.0.1',
  '192.169.0.1',
  '2001:db8::1',
  'fec0::1',
  '::ffff:8.8.8.8',
  '::',
  '10.0.0',
  '10.0.0.256',
  'example',
  '',
])('%s is not private', (address) => expect(isPrivateAddress(address)).toBe(false));

test.each([
  'localhost',
  'pegboard.localhost',
  '127.0.0.1',
  '127.9.9.9',
  '[::1]',
  'localhost.',
  'pegboard.localhost.',
  '127.0.0.1.',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '::ffff:127.9.9.9',
  '[0:0:0:0:0:0:0:1]',
])('%s is this computer', (host) => expect(isLoopbackHost(host)).toBe(true));
test.each([
  'localhost.example',
  '127.example',
  '10.0.0.1',
  '[::2]',
  '[::ffff:10.0.0.1]',
  'nas',
  'localhost.example.',
  '127.0.0.1.example',
  '',
])('%s is another computer', (host) => expect(isLoopbackHost(host)).toBe(false));

test.each([
  'localhost',
  'nas',
  'nas.local',
  'nas.fritz.box',
  'nas.local.',
  'localhost.',
  '192.168.1.5.',
  '[::ffff:192.168.1.5]',
  'box.home.arpa',
  '192.168.1.5',
  '[fd00::1]',
])('plain http to %s needs no flag', (host) => expect(isPrivateHost(host)).toBe(true));
test.each([
  'pegboard.example.com',
  'local.example',
  'local.example.',
  '.',
  '203.0.113.5.',
  '[::ffff:8.8.8.8]',
  '203.0.113.5',
  '[2001:db8::1]',
])('plain http to %s needs --insecure', (host) => expect(isPrivateHost(host)).toBe(false));
