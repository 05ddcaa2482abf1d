import { hash } from 'node:crypto';
import { expect } from 'vitest';
import { createPlayer, parsePlayerAnswer } from '#testing/kits/media/subsonicPlayer.ts';
import { testOnSqlite } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { apppasswords, makeapppassword, revokeapppassword } from '#tools/accounts/contract.ts';

testOnSqlite('every kind of password that players send is accepted, in the address and in the form', async () => {
  await using server = await startServer();
  const player = await createPlayer(server, await server.createAccount('Zoë Ada'));
  const ways = [player.token, player.plain, player.hidden, player.key];
  for (const way of ways) {
    const sent = { ...way, v: '1.13.0', c: 'test', f: 'json' };
    for (const call of ['ping', 'ping.view'])
      for (const how of [{}, { method: 'POST' }])
        expect(await parsePlayerAnswer(await player.fetch(call, sent, how))).toEqual({
          status: 'ok',
          version: '1.16.1',
          type: 'pegboard',
          serverVersion: expect.any(String),
          openSubsonic: true,
        });
  }
  expect(await parsePlayerAnswer(await player.fetch('tokenInfo', { ...player.key, f: 'json' }))).toMatchObject({
    tokenInfo: { username: 'Zoë Ada' },
  });
  // Parameters of the address and of the form are combined.
  const half = await fetch(`${server.origin}/rest/ping?f=json&u=zo%C3%AB+ada`, {
    method: 'POST',
    body: new URLSearchParams({ p: player.password }),
  });
  expect(await parsePlayerAnswer(half)).toMatchObject({ status: 'ok' });
});

testOnSqlite('a failed authentication has its code, in the requested format', async () => {
  await using server = await startServer({ rateLimits: false });
  const ada = await server.createAccount('Ada');
  const player = await createPlayer(server, ada);
  const { password: calendar } = await ada.call(makeapppassword, { name: 'Phone' });
  const { t, ...withoutToken } = player.token;
  const wrong: readonly (readonly [code: number, sent: Parameters<typeof player.fetch>[1]])[] = [
    [10, {}],
    [10, { u: 'Ada' }],
    [10, { p: player.password }],
    [10, withoutToken],
    [10, { u: 'Ada', t: String(t) }],
    [40, { u: 'Ada', p: ada.password }],
    [40, { u: 'Ada', p: ada.token }],
    [40, { u: 'Ada', p: calendar }],
    [40, { u: 'Ada', p: `enc:${Buffer.from(ada.password).toString('hex')}` }],
    [40, { u: 'Ada', p: 'enc:zz' }],
    [40, { u: 'Ada', t: hash('md5', `${ada.password}salt`, 'hex'), s: 'salt' }],
    [40, { u: 'Ada', t: hash('md5', `${calendar}salt`, 'hex'), s: 'salt' }],
    [40, { u: 'Bob', p: player.password }],
    [40, { u: '\u0000', p: '\u0000' }],
    [43, { ...player.key, u: 'Ada' }],
    [43, { ...player.token, p: player.password }],
    [44, { apiKey: ada.token }],
    [44, { apiKey: calendar }],
    [20, { ...player.token, v: '0.9.0' }],
    [30, { ...player.token, v: '2.0.0' }],
    [0, { ...player.token, v: '1.99.0', none: 'such' }],
  ];
  for (const [code, sent] of wrong) {
    const answer = await parsePlayerAnswer(
      await player.fetch(code === 0 ? 'noSuchCall' : 'ping', { ...sent, f: 'json' }),
    );
    expect([answer.status, answer.error?.code, sent]).toEqual(['failed', code, sent]);
    expect(answer.error?.message).toBeTruthy();
  }
  const xml = await player.fetch('ping', { u: 'Ada', p: 'x' });
  expect([xml.status, xml.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8']);
  expect(await xml.text()).toMatch(
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<subsonic-response xmlns="http:\/\/subsonic.org\/restapi" status="failed" .*<error code="40" message="Wrong username/,
  );
  // The extensions are public.
  expect(await parsePlayerAnswer(await player.fetch('getOpenSubsonicExtensions', { f: 'json' }))).toMatchObject({
    status: 'ok',
  });
  // Session tokens are ignored, also in a header.
  const headers = { authorization: `Bearer ${ada.token}`, cookie: `usertoken=${ada.token}` };
  expect(await parsePlayerAnswer(await player.fetch('getPlaylists', { f: 'json' }, { headers }))).toMatchObject({
    status: 'failed',
  });
  expect((await player.fetch('noSuchCall', player.token)).status).toBe(404);
});

/** Returns whether pages of any site can read the response. */
const isOpen = ({ headers }: Response): boolean =>
  headers.get('access-control-allow-origin') === '*' &&
  headers.get('access-control-allow-credentials') === null &&
  headers.get('cross-origin-resource-policy') === 'cross-origin';

testOnSqlite(
  'a player on another site can make requests and read the answers, and no other address allows it',
  async () => {
    await using server = await startServer();
    const ada = await server.createAccount('Ada');
    const player = await createPlayer(server, ada);
    const elsewhere = { origin: 'https://player.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
    for (const method of ['GET', 'POST']) {
      const answer = await player.fetch('ping', { ...player.token, f: 'json' }, { method, headers: elsewhere });
      expect([isOpen(answer), await parsePlayerAnswer(answer)]).toMatchObject([true, { status: 'ok' }]);
    }
    const asks = { ...elsewhere, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-own' };
    const before = await player.fetch('stream.view', {}, { method: 'OPTIONS', headers: asks });
    expect([before.status, isOpen(before), before.headers.get('access-control-allow-methods')]).toEqual([
      204,
      true,
      'GET, HEAD, POST',
    ]);
    // The browser's session is ignored.
    const cookie = { ...elsewhere, cookie: `usertoken=${ada.token}`, authorization: `Bearer ${ada.token}` };
    const unauthenticated = await player.fetch('getPlaylists', { f: 'json' }, { headers: cookie });
    expect([isOpen(unauthenticated), await parsePlayerAnswer(unauthenticated)]).toMatchObject([
      true,
      { status: 'failed' },
    ]);

    for (const path of ['/api/ytgetdata', '/api/downloads', '/dav/', '/', '/restless', '/rest'])
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        const answer = await fetch(server.origin + path, { method, headers: cookie });
        await answer.arrayBuffer();
        expect([path, answer.headers.get('access-control-allow-origin')]).toEqual([path, null]);
        expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
        if (method === 'POST' || path.startsWith('/api/')) expect(answer.status).toBe(400);
      }
  },
);

testOnSqlite('a revoked app password stops working immediately, and passwords are not logged', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const player = await createPlayer(server, ada);
  for (const way of [player.token, player.plain, player.hidden, player.key])
    await (await player.fetch('ping', { ...way, f: 'json' })).text();
  const { passwords } = await ada.call(apppasswords, {});
  expect(passwords).toMatchObject([{ name: 'Player', kind: 'music', address: '127.0.0.1' }]);
  await ada.call(revokeapppassword, { id: passwords[0]?.id ?? 0 });
  expect((await player.request('ping')).error?.code).toBe(40);
  const log = server.log.join('\n');
  for (const secret of [player.password, String(player.token['t']), String(player.hidden['p'])])
    expect(log).not.toContain(secret);
});

testOnSqlite(
  'many wrong passwords from one address are throttled with a message, and the right one never is',
  async () => {
    await using server = await startServer();
    const player = await createPlayer(server, await server.createAccount('Ada'));
    for (let at = 0; at < 30; at += 1)
      expect(
        (await parsePlayerAnswer(await player.fetch('ping', { u: 'Ada', p: 'wrong', f: 'json' }))).error?.code,
      ).toBe(40);
    const throttled = await player.fetch('ping', { u: 'Ada', p: 'wrong', f: 'json' });
    expect([throttled.status, Number(throttled.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await parsePlayerAnswer(throttled)).error?.message).toContain('Too many wrong app passwords');
    expect(await player.request('ping')).toMatchObject({ status: 'ok' });
  },
);
