import { expect, test } from 'vitest';
import { isPrivateHost } from '#platform/contract/privateAddress.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { findServerAddress, parseServerOrigin } from './agentCommands.ts';

test('plain http is accepted for private addresses, with or without the scheme', async () => {
  const strict = { insecure: false };
  expect(await parseServerOrigin('http://192.168.1.5:8300/dashboard', strict)).toBe('http://192.168.1.5:8300');
  expect(await parseServerOrigin('192.168.1.5:8300', strict)).toBe('http://192.168.1.5:8300');
  expect(await parseServerOrigin('http://[::1]:8300', strict)).toBe('http://[::1]:8300');
  expect(await parseServerOrigin('http://localhost:8300', strict)).toBe('http://localhost:8300');
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
  const isAccepted = await parseServerOrigin(origin, { insecure: false }).then(
    () => true,
    () => false,
  );
  expect(isPrivateHost(new URL(origin).hostname)).toBe(isAccepted);
});

test('plain http to other addresses requires --insecure, https does not', async () => {
  await expect(parseServerOrigin('http://8.8.8.8', { insecure: false })).rejects.toThrow('--insecure');
  expect(await parseServerOrigin('http://8.8.8.8', { insecure: true })).toBe('http://8.8.8.8');
  expect(await parseServerOrigin('https://pegboard.example', { insecure: false })).toBe('https://pegboard.example');
});

test.each(['', '/pegboard'])('the server at %j is found by its address and by that of a page', async (basePath) => {
  await using server = await startServer({ basePath });
  const { origin, host } = new URL(server.origin);
  for (const path of ['', '/', '/dashboard/settings/pair?x=1'])
    expect(await findServerAddress(server.origin + path, origin)).toBe(server.origin);
  expect(await findServerAddress(`${host}${basePath}`, origin)).toBe(server.origin);
  // The answer of the server then says where it is.
  expect(await findServerAddress(`${origin}/elsewhere`, origin)).toBe(origin);
});

test('an invalid address is refused with a sentence', async () => {
  await expect(parseServerOrigin('http://', { insecure: false })).rejects.toThrow('is not a server address');
  await expect(parseServerOrigin('http://no-such-name.invalid', { insecure: false })).rejects.toThrow('was not found');
});
