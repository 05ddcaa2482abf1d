import { expect, test } from 'vitest';
import { ACCOUNT_SUSPENDED } from '#platform/contract/refusal.ts';
import { log, signup } from '#platform/contract/session.ts';
import { waitFor } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { formatBasicAuth } from '#testing/kits/planning/dav.ts';
import { importZip, packZip } from '#testing/kits/server/accountTransfer.ts';
import { startServer, TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { postRaw } from '#testing/security/postRaw.ts';
import { makecalendarfeed } from '#tools/calendar/contract/exchange.ts';
import { cwlt } from '#tools/gallery/contract.ts';
import { paste, pasteraw } from '#tools/paste/contract.ts';
import { makeapppassword, securityevents } from '../contract.ts';
import {
  invitations,
  makeinvitation,
  revokeinvitation,
  serveraccounts,
  setsignup,
  suspendaccount,
} from '../contract/access.ts';

const SENTENCE = 'This account is suspended. Ask the owner of this server to lift the suspension';

test('a suspended account is cut off everywhere, with a sentence, and works again after it', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const bob = await server.createAccount('Bob');
  const id = (await ada.call(serveraccounts, {})).accounts[1]?.id ?? 0;
  await using page = await openSocket(server, { token: bob.token });
  await using ownersPage = await openSocket(server, { token: ada.token });
  await using device = await startDevice(server, bob);
  const dav = await bob.call(makeapppassword, { name: 'Phone' });
  const music = await bob.call(makeapppassword, { name: 'Player', kind: 'music' });
  const { path } = await bob.call(makecalendarfeed, {});
  const readTexts = () =>
    Promise.all(
      [
        ['/dav/', { authorization: formatBasicAuth('Bob', dav.password) }] as const,
        [`/rest/ping?f=json&v=1.16.1&c=test&apiKey=${music.password}`, {}] as const,
        [path, {}] as const,
      ].map(async ([address, headers]) => (await fetch(server.origin + address, { headers })).text()),
    );
  const textsBefore = await readTexts();

  await ada.call(suspendaccount, { id, suspended: true });
  expect(await page.closed).toBe('account suspended');
  await waitFor('the agent is told', () =>
    device.printedLines.includes('The server closed the connection: account suspended'),
  );
  await expect(openSocket(server, { token: device.token })).rejects.toThrow(SENTENCE);
  expect(await postRaw(server.origin, '/api/checkaccounts', { token: bob.token })).toMatchObject({
    status: 200,
    answer: { message: SENTENCE, code: ACCOUNT_SUSPENDED },
  });
  await expect(openSocket(server, { token: bob.token })).rejects.toThrow(SENTENCE);
  await expect(server.call(log, { username: 'Bob', password: TEST_PASSWORD })).rejects.toThrow(SENTENCE);
  for (const text of await readTexts()) expect(text).toContain(SENTENCE);
  // What visitors may do, the account may do as well.
  expect(
    (await postRaw(server.origin, '/api/log', { ...ada, username: 'Ada', token: bob.token })).answer,
  ).toMatchObject({
    message: 'ok',
  });
  expect(ownersPage.raw.connected).toBe(true);
  expect((await ada.call(serveraccounts, {})).accounts[1]).toMatchObject({
    username: 'Bob',
    suspended: expect.any(String),
  });

  await ada.call(suspendaccount, { id, suspended: false });
  await using _page = await openSocket(server, { token: bob.token });
  await using _device = await openSocket(server, { token: device.token });
  expect(await readTexts()).toEqual(textsBefore);
  expect((await bob.call(securityevents, {})).events.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['account.suspended', 'account.restored']),
  );
});

test('what a suspended account has published is hidden until the suspension is lifted', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const bob = await server.createAccount('Bob');
  const recording = {
    title: 'Holiday',
    start: '2026-11-20T12:00:00Z',
    end: '2026-11-20T12:01:00Z',
    public: true,
  };
  await importZip(
    bob,
    await packZip({
      'gallery.json': { recordings: [{ ...recording, file: 'a.webm' }] },
      'gallery/a.webm': Buffer.from('1a45dfa3', 'hex'),
    }),
  );
  const store = async (text: string, burn: boolean) => (await bob.call(paste, { inputValue: text, burn })).code ?? '';
  const [code, burning] = [await store('Hello', false), await store('Once', true)];
  const [file = ''] = (await server.call(cwlt, {})).files.flatMap(({ files }) => files);
  const getVideoStatus = async () => (await fetch(`${server.origin}/api/cwservev/${file}.webm`)).status;
  const read = (inputValue: string) => server.call(paste, { style: 'retreive', inputValue });
  expect(await getVideoStatus()).toBe(200);
  // The video has four bytes, the pastes nine.
  expect((await ada.call(serveraccounts, {})).accounts.map(({ storedBytes }) => storedBytes)).toEqual([0, 13]);

  await ada.call(suspendaccount, { id: 2, suspended: true });
  expect(await getVideoStatus()).toBe(404);
  for (const reader of [ada, server]) expect((await reader.call(cwlt, {})).files).toEqual([]);
  for (const hidden of [code, burning]) await expect(read(hidden)).rejects.toThrow('There is no paste with this code');
  await expect(server.call(pasteraw, { code })).rejects.toThrow('There is no paste with this code');

  await ada.call(suspendaccount, { id: 2, suspended: false });
  expect(await getVideoStatus()).toBe(200);
  expect([await read(code), await read(burning)]).toMatchObject([{ clipmessage: 'Hello' }, { clipmessage: 'Once' }]);
});

test('only the owner sees and changes who may join', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  const bob = await server.createAccount('Bob');
  const days = { name: '', days: 1, maxUses: 1 };
  for (const attempt of [
    bob.call(setsignup, { rule: 'open' }),
    bob.call(invitations, {}),
    bob.call(makeinvitation, days),
    bob.call(revokeinvitation, { id: 1 }),
    bob.call(serveraccounts, {}),
    bob.call(suspendaccount, { id: 1, suspended: true }),
  ])
    await expect(attempt).rejects.toThrow('Only the owner of this server can');
  await expect(ada.call(suspendaccount, { id: 1, suspended: true })).rejects.toThrow(
    "The owner of this server can't be suspended",
  );

  await ada.call(setsignup, { rule: 'invitation' });
  const { secret, id } = await ada.call(makeinvitation, days);
  await server.call(signup, { username: 'Cyd', password: TEST_PASSWORD, invitation: secret });
  expect((await ada.call(invitations, {})).invitations).toMatchObject([{ id, uses: 1, maxUses: 1 }]);
  await ada.call(revokeinvitation, { id });
  expect(await ada.call(invitations, {})).toEqual({ invitations: [] });
  expect(server.log.join('\n')).not.toContain(secret);
});
