import { expect, test } from 'vitest';
import { CallError } from '#platform/contract/client.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, TEST_PASSWORD, type TestServer } from '#testing/kits/server/server.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { deleteaccount, exportaccount } from '#tools/accounts/contract.ts';
import { deletepaste, mypastes, paste, MAX_TEXT_BYTES, pasteraw } from '../contract.ts';

const NOT_FOUND_PATTERN = /^There is no paste with this code/;
const createRetrieval = (inputValue: string) => ({ style: 'retreive', inputValue }) as const;
const newestRetrieval = createRetrieval('');

/** Returns a function that makes calls as one browser, with its cookies. */
function openBrowser(origin: string) {
  const jar = new Map<string, string>();
  return async (path: string, body: unknown, token?: string): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';', 1)[0]?.split('=') ?? [];
      jar.set(name, value);
    }
    return { status: response.status, ...((await response.json()) as object) };
  };
}

const storePaste = async ({ call }: Pick<TestServer, 'call'>, request: Parameters<typeof call<typeof paste>>[1]) =>
  (await call(paste, request)).code ?? '';

testOnBothDatabases('a stored text can be retrieved by its code, unchanged', async ({ dataDir, databaseUrl }) => {
  await using server = await startServer({ dataDir, databaseUrl });
  for (const inputValue of ['<b>hé</b>\r\n', 'a\0b', '\ud800', ' ', '{{7*7}}']) {
    const code = await storePaste(server, { inputValue });
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{10}$/);
    const spoken = ` ${code.slice(0, 5).toUpperCase()}-${code.slice(5).replaceAll('0', 'O').replaceAll('1', 'l')}`;
    expect(await server.call(paste, createRetrieval(spoken))).toMatchObject({ clipmessage: inputValue, code });
  }
});

test('the requests of the specification work without any optional field', async () => {
  await using server = await startServer();
  const request = openBrowser(server.origin);
  const stored = await request('/api/paste', { inputValue: 'only this' });
  expect(stored).toMatchObject({ status: 200, message: 'ok', code: expect.any(String) as string });
  expect(await request('/api/paste', newestRetrieval)).toMatchObject({ message: 'ok', clipmessage: 'only this' });
  expect(await request('/api/paste', createRetrieval(String(stored['code'])))).toMatchObject({
    clipmessage: 'only this',
  });
});

test('the newest paste is the one of the same account or browser', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  const [browser, otherBrowser] = [openBrowser(server.origin), openBrowser(server.origin)];
  const noPastes = { message: 'This account or browser has no pastes yet. Store a text, or open a paste by its code' };
  expect(await browser('/api/paste', newestRetrieval)).toMatchObject(noPastes);
  await browser('/api/paste', { inputValue: 'as visitor' });
  expect(await browser('/api/paste', newestRetrieval)).toMatchObject({ clipmessage: 'as visitor' });
  expect(await otherBrowser('/api/paste', newestRetrieval)).toMatchObject(noPastes);
  expect(await browser('/api/paste', newestRetrieval, anna.token)).toMatchObject({ clipmessage: 'as visitor' });
  await browser('/api/paste', { inputValue: 'as anna' }, anna.token);
  expect(await otherBrowser('/api/paste', newestRetrieval, anna.token)).toMatchObject({ clipmessage: 'as anna' });
  // The next user of the same browser does not see it.
  expect(await browser('/api/paste', newestRetrieval)).toMatchObject({ clipmessage: 'as visitor' });
  expect(await otherBrowser('/api/paste', newestRetrieval, ben.token)).toMatchObject(noPastes);
  await browser('/api/paste', { inputValue: 'burns', burn: true }, anna.token);
  await browser('/api/paste', { inputValue: 'c2VhbGVk', encrypted: true }, anna.token);
  expect(await browser('/api/paste', newestRetrieval, anna.token)).toMatchObject({ clipmessage: 'as anna' });
});

test('1 MiB of any text is stored, more is refused, and 4 MiB of JSON is rejected with status 413', async () => {
  await using server = await startServer();
  for (const character of ['"', 'é', '👋'])
    await storePaste(server, {
      inputValue: character.repeat(MAX_TEXT_BYTES / new TextEncoder().encode(character).length),
    });
  await expect(server.call(paste, { inputValue: 'x'.repeat(MAX_TEXT_BYTES + 1) })).rejects.toThrow(
    'The text is too long: 1,048,577 bytes, and the limit is 1,048,576 (1 MiB). Split it into several pastes',
  );
  const tooLarge: unknown = await server
    .call(paste, { inputValue: 'x'.repeat(4 * MAX_TEXT_BYTES) })
    .catch((error: unknown) => error);
  expect(tooLarge).toBeInstanceOf(CallError);
  expect(tooLarge).toMatchObject({ status: 413 });
  await expect(server.call(paste, { inputValue: '' })).rejects.toThrow(
    'There is no text to store. Enter some text first',
  );
});

test('unknown and invalid codes get the same message', async () => {
  await using server = await startServer();
  for (const typed of ['0123456789', 'nope', '../../etc', '\0'])
    await expect(server.call(paste, createRetrieval(typed))).rejects.toThrow(NOT_FOUND_PATTERN);
});

test('a paste expires after the chosen retention period', async () => {
  let now = Temporal.Instant.from('2026-11-21T12:00:00Z');
  await using server = await startServer({ now: () => now });
  for (const [keep, expires] of [
    ['1h', '2026-11-21T13:00:00Z'],
    ['1d', '2026-11-22T12:00:00Z'],
    ['7d', '2026-11-28T12:00:00Z'],
    ['30d', '2026-12-21T12:00:00Z'],
    [undefined, '2026-12-21T12:00:00Z'],
  ] as const)
    expect(await server.call(paste, { inputValue: 'x', ...(keep ? { keep } : {}) })).toMatchObject({ expires });
  const code = await storePaste(server, { inputValue: 'x', keep: '1h' });
  now = Temporal.Instant.from('2026-11-21T12:59:59Z');
  await server.call(paste, createRetrieval(code));
  now = Temporal.Instant.from('2026-11-21T13:00:00Z');
  await expect(server.call(paste, createRetrieval(code))).rejects.toThrow(NOT_FOUND_PATTERN);
});

testOnBothDatabases(
  'a paste that burns is announced to careful callers, and returned once',
  async ({ dataDir, databaseUrl }) => {
    await using server = await startServer({ dataDir, databaseUrl });
    const code = await storePaste(server, { inputValue: 'secret', burn: true });
    for (let count = 0; count < 2; count += 1) {
      const announced = await server.call(paste, { ...createRetrieval(code), careful: true });
      expect(announced).toMatchObject({ burns: true, code });
      expect(announced).not.toHaveProperty('clipmessage');
      await expect(server.call(pasteraw, { code })).rejects.toThrow(`Open it at /pastebin?code=${code}`);
    }
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => server.call(paste, createRetrieval(code))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(results.find(({ status }) => status === 'fulfilled')).toMatchObject({
      value: { clipmessage: 'secret', burns: true },
    });
    await expect(server.call(paste, { ...createRetrieval(code), careful: true })).rejects.toThrow(NOT_FOUND_PATTERN);
  },
);

testOnBothDatabases('a wrong key does not burn a paste', async ({ dataDir, databaseUrl }) => {
  await using server = await startServer({ dataDir, databaseUrl });
  const sealed = 'A'.repeat(60);
  const code = await storePaste(server, { inputValue: sealed, burn: true, encrypted: true, keyproof: 'right' });
  const WRONG_KEY_PATTERN = /^The key in this link does not match the paste/;
  for (const careful of [false, true])
    await expect(server.call(paste, { ...createRetrieval(code), keyproof: 'wrong', careful })).rejects.toThrow(
      WRONG_KEY_PATTERN,
    );
  await expect(server.call(paste, createRetrieval(code))).rejects.toThrow(/^This paste is encrypted/);
  expect(await server.call(paste, { ...createRetrieval(code), careful: true })).toMatchObject({
    burns: true,
    encrypted: true,
  });
  expect(await server.call(paste, { ...createRetrieval(code), keyproof: 'right' })).toMatchObject({
    clipmessage: sealed,
  });
  await expect(server.call(paste, { ...createRetrieval(code), keyproof: 'right' })).rejects.toThrow(NOT_FOUND_PATTERN);
  // A client that sends no key proof, such as an older one, can still read its pastes.
  const codeWithoutProof = await storePaste(server, { inputValue: sealed, burn: true, encrypted: true });
  expect(await server.call(paste, { ...createRetrieval(codeWithoutProof), keyproof: 'any' })).toMatchObject({
    clipmessage: sealed,
  });
});

test('the raw view is inert plain text, and refuses pastes that burn or are encrypted', async () => {
  await using server = await startServer();
  const code = await storePaste(server, { inputValue: '<script>alert(1)</script> hé' });
  const response = await fetch(`${server.origin}/api/pasteraw?code=${code.toUpperCase()}`);
  expect(await response.text()).toBe('<script>alert(1)</script> hé');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; sandbox/);
  expect(response.headers.get('content-disposition')).toBeNull();
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await (await server.call(pasteraw, { code })).content.text()).toBe('<script>alert(1)</script> hé');
  const sealed = await storePaste(server, { inputValue: 'c2VhbGVk', encrypted: true });
  await expect(server.call(pasteraw, { code: sealed })).rejects.toThrow('This paste is encrypted');
  await expect(server.call(pasteraw, { code: '0123456789' })).rejects.toThrow(NOT_FOUND_PATTERN);
});

test('only an account can list and delete its own pastes', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  const first = (await anna.call(paste, { inputValue: 'héé', keep: '1d' })).code ?? '';
  for (let count = 0; count < 21; count += 1) await anna.call(paste, { inputValue: 'x', burn: true });
  const { pieces } = await anna.call(mypastes, {});
  expect(pieces).toHaveLength(20);
  expect(pieces[0]).toMatchObject({ bytes: 1, burns: true, encrypted: false });
  expect((await ben.call(mypastes, {})).pieces).toEqual([]);
  expect((await server.call(mypastes, {})).pieces).toEqual([]);
  for (const other of [ben, server])
    await expect(other.call(deletepaste, { code: first })).rejects.toThrow(NOT_FOUND_PATTERN);
  await anna.call(deletepaste, { code: first.toUpperCase() });
  await expect(anna.call(paste, createRetrieval(first))).rejects.toThrow(NOT_FOUND_PATTERN);
});

test('storing and retrieving have separate rate limits, with a Retry-After header', async () => {
  // A forwarded address does not count as local.
  await using server = await startServer({ trustProxy: ['loopback'] });
  const send = async (body: unknown, address = '203.0.113.9') =>
    fetch(`${server.origin}/api/paste`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    });
  for (let count = 0; count < 30; count += 1) expect((await send({ inputValue: 'x' })).status).toBe(200);
  const refused = await send({ inputValue: 'x' });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
  expect((await send({ inputValue: 'x' }, '203.0.113.10')).status).toBe(200);
  const statuses = await Promise.all(
    Array.from({ length: 31 }, async () => (await send(createRetrieval('0123456789'))).status),
  );
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
});

test('when disk space is low, only users with an account can store texts', async () => {
  await using server = await startServer({ disk: { read: async () => 400 * 1024 * 1024, reserveBytes: 0 } });
  const anna = await server.createAccount('anna');
  await expect(server.call(paste, { inputValue: 'x' })).rejects.toThrow('This server is low on disk space');
  await anna.call(paste, { inputValue: 'x' });
});

test('the pastes of an account are exported, and deleted with the account', async () => {
  await using server = await startServer();
  await server.createAccount('owner');
  const anna = await server.createAccount('anna');
  const codes: string[] = [];
  for (let count = 0; count < 20; count += 1)
    codes.push((await anna.call(paste, { inputValue: `text ${count}` })).code ?? '');
  const { content } = await anna.call(exportaccount, { password: TEST_PASSWORD });
  const files = readZip(await content.bytes());
  const { pieces } = readJsonFromZip(files, 'paste.json') as { readonly pieces: readonly { readonly code: string }[] };
  expect(pieces.map(({ code }) => code)).toEqual(codes);
  expect(pieces[0]).toMatchObject({ text: 'text 0', isEncrypted: false });
  await anna.call(deleteaccount, { password: TEST_PASSWORD, username: 'anna' });
  await expect(server.call(paste, createRetrieval(codes[0] ?? ''))).rejects.toThrow(NOT_FOUND_PATTERN);
});

test('texts and codes are not logged', async () => {
  await using server = await startServer({ logLevel: 'debug' });
  const code = await storePaste(server, { inputValue: 'very private words' });
  await server.call(paste, createRetrieval(code));
  await server.call(pasteraw, { code });
  expect(server.log.join('\n')).not.toMatch(new RegExp(`private words|${code}`));
});
