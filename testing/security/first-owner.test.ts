import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { assembleServer } from '../../apps/server/assemble.ts';
import { startServer, TEST_PASSWORD } from '../kits/server/server.ts';
import { postRaw } from './postRaw.ts';

const UNOWNED =
  'This server has no owner yet. Enter the set-up code that the server printed at startup, or open its link';
/** Headers of a proxy on this computer for a client on the network. */
const fromNetwork = { 'x-forwarded-for': '203.0.113.9' };
const ada = { username: 'Ada', password: TEST_PASSWORD };

/** Starts a fresh server behind a proxy; returns the set-up code that its terminal shows. */
async function startFresh() {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  const server = await assembleServer({
    dataDir,
    passwordHash: 'test',
    logLevel: 'silent',
    busyAfterMs: 0,
    disk: { reserveBytes: 0 },
    trustProxy: ['loopback'],
  });
  const origin = await server.listen({ port: 0, host: '127.0.0.1' });
  return {
    identity: server.identity,
    signUp: async (body: object, headers: Record<string, string> = {}) =>
      (await postRaw(origin, '/api/signup', body, headers)).answer,
    info: async (headers: Record<string, string>) => (await fetch(`${origin}/api/serverinfo`, { headers })).json(),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

test("a fresh server can't be claimed from the network without the set-up code", async () => {
  await using server = await startFresh();
  expect(await server.signUp(ada, fromNetwork)).toEqual({ message: UNOWNED, code: 'account.no_owner' });
  expect(await server.signUp({ ...ada, setupCode: 'AAAAA-AAAAA' }, fromNetwork)).toEqual({
    message: UNOWNED,
    code: 'account.no_owner',
  });
  expect(await server.identity.hasOwner()).toBe(false);
  expect(await server.info(fromNetwork)).toMatchObject({ hasOwner: false, needsSetupCode: true });
});

test('the set-up code creates one owner, and is then invalid', async () => {
  await using server = await startFresh();
  const setupCode = (await server.identity.getSetupCode()) ?? '';
  expect(await server.identity.getSetupCode()).toBe(setupCode);
  const enteredCode = setupCode.toLowerCase().replace('-', ' ');
  expect(await server.signUp({ ...ada, setupCode: enteredCode }, fromNetwork)).toMatchObject({ message: 'ok' });
  expect(await server.identity.findAccountByName('ada')).toMatchObject({ isOwner: true });
  expect(await server.identity.getSetupCode()).toBeUndefined();
  const bob = { username: 'Bob', password: TEST_PASSWORD, setupCode };
  expect(await server.signUp(bob, fromNetwork)).toMatchObject({ message: 'ok' });
  expect(await server.identity.findAccountByName('bob')).toMatchObject({ isOwner: false });
  expect(await server.info(fromNetwork)).toMatchObject({ hasOwner: true, needsSetupCode: false });
});

test('if two clients use the code at the same moment, one becomes the owner', async () => {
  await using server = await startFresh();
  const setupCode = await server.identity.getSetupCode();
  const answers = await Promise.all(
    ['Ada', 'Bob'].map((username) => server.signUp({ username, password: TEST_PASSWORD, setupCode }, fromNetwork)),
  );
  expect(answers).toMatchObject([{ message: 'ok' }, { message: 'ok' }]);
  const accounts = await Promise.all(['ada', 'bob'].map((name) => server.identity.findAccountByName(name)));
  expect(accounts.filter((account) => account?.isOwner)).toHaveLength(1);
});

test('this computer needs no code, but an untrusted forwarded header does not count as this computer', async () => {
  await using server = await startServer();
  const spoofed = await postRaw(server.origin, '/api/signup', ada, { 'x-forwarded-for': '127.0.0.1' });
  expect(spoofed.answer).toEqual({ message: UNOWNED, code: 'account.no_owner' });
  expect((await postRaw(server.origin, '/api/signup', ada)).answer).toMatchObject({ message: 'ok', username: 'Ada' });
});

test('codes can be guessed thirty times an hour at most', async () => {
  await using server = await startFresh();
  for (let index = 0; index < 30; index += 1)
    expect(await server.signUp({ ...ada, setupCode: `GUESS-0000${index}` }, fromNetwork)).toEqual({
      message: UNOWNED,
      code: 'account.no_owner',
    });
  expect(await server.signUp(ada, fromNetwork)).toEqual({
    message: 'Too many sign-ups from your network. Try again in 60 minutes',
  });
  expect(await server.signUp(ada)).toMatchObject({ message: 'ok' });
});
