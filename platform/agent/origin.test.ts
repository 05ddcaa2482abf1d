import { expect, test } from 'vitest';
import { isPrivateAddress, serverOrigin } from './origin.ts';

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
])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));
test.each(['8.8.8.8', '172.32.0.1', '11.0.0.1', '192.169.0.1', '2001:db8::1', 'example', ''])('%s is not', (address) =>
  expect(isPrivateAddress(address)).toBe(false),
);

test('plain http is taken to private addresses, with or without the scheme written', async () => {
  const strict = { insecure: false };
  expect(await serverOrigin('http://192.168.1.5:8300/dashboard', strict)).toBe('http://192.168.1.5:8300');
  expect(await serverOrigin('192.168.1.5:8300', strict)).toBe('http://192.168.1.5:8300');
  expect(await serverOrigin('http://[::1]:8300', strict)).toBe('http://[::1]:8300');
  expect(await serverOrigin('http://localhost:8300', strict)).toBe('http://localhost:8300');
});

test('plain http to anywhere else needs --insecure, https does not', async () => {
  await expect(serverOrigin('http://8.8.8.8', { insecure: false })).rejects.toThrow('--insecure');
  expect(await serverOrigin('http://8.8.8.8', { insecure: true })).toBe('http://8.8.8.8');
  expect(await serverOrigin('https://pegboard.example', { insecure: false })).toBe('https://pegboard.example');
});

test('what is no address is refused in a sentence', async () => {
  await expect(serverOrigin('http://', { insecure: false })).rejects.toThrow('is no address of a server');
  await expect(serverOrigin('http://no-such-name.invalid', { insecure: false })).rejects.toThrow('is not known');
});
