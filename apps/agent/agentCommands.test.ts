import { expect, test } from 'vitest';
import { isPrivateHost } from '#platform/contract/privateAddress.ts';
import { parseServerAddress } from './agentCommands.ts';

test('plain http is accepted for private addresses, with or without the scheme', async () => {
  const strict = { insecure: false };
  expect(await parseServerAddress('http://192.168.1.5:8300/dashboard', strict)).toBe('http://192.168.1.5:8300');
  expect(await parseServerAddress('192.168.1.5:8300', strict)).toBe('http://192.168.1.5:8300');
  expect(await parseServerAddress('http://[::1]:8300', strict)).toBe('http://[::1]:8300');
  expect(await parseServerAddress('http://localhost:8300', strict)).toBe('http://localhost:8300');
});

test.each([
  'http://10.1.2.3:8300',
  'http://0x7f.1',
  'http://[::1]',
  'http://[fd00::1]:8300',
  'http://[::ffff:192.168.1.5]',
  'http://169.254.1.1',
  'http://8.8.8.8',
  'http://172.32.0.1',
  'http://100.64.0.1',
  'http://[2001:db8::1]',
  'http://[::ffff:8.8.8.8]',
])('the page with the command for %s decides the same as the agent', async (origin) => {
  const isAccepted = await parseServerAddress(origin, { insecure: false }).then(
    () => true,
    () => false,
  );
  expect(isPrivateHost(new URL(origin).hostname)).toBe(isAccepted);
});

test('plain http to other addresses requires --insecure, https does not', async () => {
  await expect(parseServerAddress('http://8.8.8.8', { insecure: false })).rejects.toThrow('--insecure');
  expect(await parseServerAddress('http://8.8.8.8', { insecure: true })).toBe('http://8.8.8.8');
  expect(await parseServerAddress('https://pegboard.example', { insecure: false })).toBe('https://pegboard.example');
});

test('an invalid address is refused with a sentence', async () => {
  await expect(parseServerAddress('http://', { insecure: false })).rejects.toThrow('is not a server address');
  await expect(parseServerAddress('http://no-such-name.invalid', { insecure: false })).rejects.toThrow('was not found');
});
