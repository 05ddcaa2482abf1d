import { expect, test } from 'vitest';
import { INVALID_TOKEN_MESSAGE } from '#platform/contract/refusal.ts';
import { log, logout, serverinfo, signup, tokenconv } from '#platform/contract/session.ts';
import type { ExportFile, ServerTool } from '#platform/server/tool.ts';
import { startServer, TEST_PASSWORD, type TestServer } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { postRaw } from '#testing/security/postRaw.ts';
import { pairdevice, requestpairing, takepairing } from '#tools/devices/contract.ts';
import { changepassword, checkaccounts, deleteaccount, endsessions, exportaccount } from '../contract.ts';
import { setsignup } from '../contract/access.ts';
import { accounts } from './index.ts';

const logIn = async (server: TestServer, username: string, password = TEST_PASSWORD): Promise<string> =>
  (await server.call(log, { username, password })).token;
const isAlive = async (server: TestServer, token: string): Promise<boolean> =>
  (await postRaw(server.origin, '/api/tokenconv', { token })).answer['message'] === 'ok';

test('a token returns its username until the logout', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  expect(await ada.call(tokenconv, {})).toEqual({ username: 'Ada' });
  await ada.call(logout, {});
  await expect(ada.call(tokenconv, {})).rejects.toThrow(INVALID_TOKEN_MESSAGE);
});

test.each([
  [{ username: '', password: TEST_PASSWORD }, 'Enter a username'],
  [{ username: 'Ada', password: '' }, 'Enter a password'],
  [{ username: 'Ada', password: 'short' }, 'This password is too short. Enter at least 8 characters'],
  [{ username: 'Ada', password: '12345678' }, 'This password is too common. Choose another one'],
  [{ username: 'a'.repeat(33), password: TEST_PASSWORD }, 'This username is too long. Enter at most 32 characters'],
])('a sign-up that breaks a rule is refused: %j', async (request, sentence) => {
  await using server = await startServer();
  await expect(server.call(signup, request)).rejects.toThrow(sentence);
});

test.each([
  [{ username: 'Ada' }, 'password: '],
  [{ username: 7.5, password: TEST_PASSWORD }, 'username: '],
  [{ username: 'Ada', password: TEST_PASSWORD, days: 365 }, 'days: '],
])('a malformed sign-up is rejected with status 400 and the name of the field: %j', async (request, prefix) => {
  await using server = await startServer();
  const { status, answer } = await postRaw(server.origin, '/api/signup', request);
  expect(status).toBe(400);
  expect(answer['message']).toMatch(new RegExp(`^${prefix}`));
  expect(JSON.stringify(answer)).not.toContain(TEST_PASSWORD);
});

test('the overview lists the sessions, marks the current one, and has no undeclared fields', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  await logIn(server, 'ada');
  const { answer } = await postRaw(server.origin, '/api/checkaccounts', { token: ada.token });
  expect(answer).toMatchObject({ message: 'ok', username: 'Ada', isOwner: true, devices: [] });
  expect(Object.keys(answer).toSorted()).toEqual(['created', 'devices', 'isOwner', 'message', 'sessions', 'username']);
  const { sessions } = await ada.call(checkaccounts, {});
  expect(new Map(sessions.map(({ id, own }) => [id, own]))).toEqual(
    new Map([
      [1, true],
      [2, false],
    ]),
  );
  expect(Object.keys(sessions[0] ?? {}).toSorted()).toEqual(
    ['address', 'browser', 'created', 'expires', 'id', 'lastSeen', 'own'].toSorted(),
  );
});

test('changing the password needs the current one, and ends all other sessions', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const others = [await logIn(server, 'Ada'), await logIn(server, 'Ada')];
  const newPassword = 'a better horse';
  await expect(ada.call(changepassword, { password: 'not the password', newPassword })).rejects.toThrow(
    'Wrong password',
  );
  await expect(ada.call(changepassword, { password: TEST_PASSWORD, newPassword: 'ada' })).rejects.toThrow('at least 8');
  expect(await ada.call(changepassword, { password: TEST_PASSWORD, newPassword })).toEqual({ ended: 2 });
  expect(await isAlive(server, ada.token)).toBe(true);
  for (const token of others) expect(await isAlive(server, token)).toBe(false);
  await expect(logIn(server, 'Ada')).rejects.toThrow('Wrong username or password');
  await logIn(server, 'Ada', newPassword);
});

test('an account can end its own sessions only, by id or all others together', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const bob = await server.createAccount('Bob');
  const [one, two, three] = [await logIn(server, 'Ada'), await logIn(server, 'Ada'), await logIn(server, 'Ada')];
  expect(await bob.call(endsessions, { ids: [1, 3, 99] })).toEqual({ ended: 0 });
  expect(await isAlive(server, one)).toBe(true);
  expect(await ada.call(endsessions, { ids: [3] })).toEqual({ ended: 1 });
  expect(await isAlive(server, one)).toBe(false);
  expect(await ada.call(endsessions, {})).toEqual({ ended: 2 });
  expect([await isAlive(server, two), await isAlive(server, three)]).toEqual([false, false]);
  expect([await isAlive(server, ada.token), await isAlive(server, bob.token)]).toEqual([true, true]);
});

test('the export needs the password, and is a zip with a JSON file per tool', async () => {
  await using server = await startServer({ now: () => Temporal.Instant.from('2026-11-21T12:00:00Z') });
  const ada = await server.createAccount('Ada Łove');
  await expect(ada.call(exportaccount, { password: 'not the password' })).rejects.toThrow('Wrong password');
  const { fileName, content } = await ada.call(exportaccount, { password: TEST_PASSWORD });
  expect(fileName).toBe('pegboard-Ada Łove-2026-11-21.zip');
  expect(content.type).toBe('application/zip');
  const files = readZip(await content.bytes());
  expect(readJsonFromZip(files, 'accounts.json')).toMatchObject({
    username: 'Ada Łove',
    isOwner: true,
    sessions: [{ id: 1 }],
  });
  const readme = files.get('README.txt')?.toString() ?? '';
  for (const path of files.keys()) if (path !== 'README.txt') expect(readme).toContain(`\n${path}\n`);
  for (const text of files.values()) expect(text.toString()).not.toMatch(/pg[ud]_|argon2/);
});

async function* streamLines(): AsyncGenerator<object> {
  for (let line = 0; line < 3; line += 1) yield { line };
}
async function* streamPicture(bytes: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(bytes);
  if (bytes > 10) throw new Error('the disk is gone');
}

test('a tool can export files and streamed lists, and an interrupted export is reported', async () => {
  let size = 10;
  async function* files(): AsyncGenerator<ExportFile> {
    yield { path: 'a/1.png', content: streamPicture(size), isPacked: true };
  }
  const pictures: ServerTool = {
    name: 'pictures',
    migrations: [],
    start: () => ({
      calls: [],
      exportAccount: async () => ({ lines: streamLines() }),
      exportDescription: 'Your pictures.',
      exportFiles: files,
    }),
  };
  await using server = await startServer({ tools: [accounts, pictures] });
  const ada = await server.createAccount('Ada');
  const zip = await ada.call(exportaccount, { password: TEST_PASSWORD });
  const zipFiles = readZip(await zip.content.bytes());
  expect([...zipFiles.keys()]).toEqual([
    'README.txt',
    'manifest.json',
    'accounts.json',
    'pictures.json',
    'pictures/a/1.png',
  ]);
  expect(readJsonFromZip(zipFiles, 'pictures.json')).toEqual({ lines: [{ line: 0 }, { line: 1 }, { line: 2 }] });
  expect(zipFiles.get('README.txt')?.toString()).toContain('pictures.json\n    Your pictures.');
  size = 11;
  await expect(ada.call(exportaccount, { password: TEST_PASSWORD })).rejects.toThrow(
    'The download was incomplete. Try again',
  );
});

test('deleting an account needs password and name, and makes the name available', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const bob = await server.createAccount('Bob');
  const request = { password: TEST_PASSWORD, username: 'Bob' };
  await expect(bob.call(deleteaccount, { ...request, password: 'not the password' })).rejects.toThrow('Wrong password');
  await expect(bob.call(deleteaccount, { ...request, username: 'Ada' })).rejects.toThrow(
    'not the name of your account',
  );
  await expect(ada.call(deleteaccount, { ...request, username: 'Ada' })).rejects.toThrow('You own this server');
  await bob.call(deleteaccount, request);
  expect(await isAlive(server, bob.token)).toBe(false);
  await expect(logIn(server, 'Bob')).rejects.toThrow('Wrong username or password');
  await server.createAccount('Bob');
  expect(await isAlive(server, ada.token)).toBe(true);
});

test('only the owner can open and close sign-up', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const bob = await server.createAccount('Bob');
  await expect(bob.call(setsignup, { open: false })).rejects.toThrow('Only the owner of this server');
  await ada.call(setsignup, { open: false });
  expect(await server.call(serverinfo, {})).toMatchObject({
    hasOwner: true,
    signupOpen: false,
    signupRule: 'closed',
  });
  await expect(server.createAccount('Cyd')).rejects.toThrow('Sign-up is closed');
});

test("callers outside the network don't learn the local addresses of the server", async () => {
  const addresses = ['http://192.168.1.5:8300'];
  await using server = await startServer({ trustProxy: ['loopback'], addresses: () => addresses });
  expect((await server.call(serverinfo, {})).addresses).toEqual(addresses);
  async function fetchAddresses(address: string): Promise<unknown> {
    const response = await fetch(`${server.origin}/api/serverinfo`, { headers: { 'x-forwarded-for': address } });
    return ((await response.json()) as { readonly addresses: unknown }).addresses;
  }
  expect(await fetchAddresses('203.0.113.9')).toEqual([]);
  expect(await fetchAddresses('192.168.1.9')).toEqual(addresses);
});

test("the token of a device can't make calls of an account", async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const { code, secret } = await server.call(requestpairing, { name: 'Desk', system: 'Debian 12, X11' });
  await ada.call(pairdevice, { code });
  const { token = '' } = await server.call(takepairing, { secret });
  expect(token).toMatch(/^pgd_/);
  for (const path of ['/api/tokenconv', '/api/checkaccounts', '/api/endsessions', '/api/logout'] as const)
    expect((await postRaw(server.origin, path, { token })).answer).toEqual({
      message: INVALID_TOKEN_MESSAGE,
      code: 'auth.invalid_token',
    });
  expect((await ada.call(checkaccounts, {})).devices).toEqual(['Desk']);
});

test('passwords and tokens are not logged', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  await ada.call(changepassword, { password: TEST_PASSWORD, newPassword: 'a better horse' });
  await expect(logIn(server, 'Ada', 'sesame sesame')).rejects.toThrow('Wrong username or password');
  const logText = server.log.join('');
  expect(logText).toContain('login.failed');
  for (const secret of [ada.token, TEST_PASSWORD, 'a better horse', 'sesame sesame'])
    expect(logText).not.toContain(secret);
});
